"""Acceptance of "Schema Changes for Memory Extraction": its columns are there, its usage patterns run.

The original is made beside ours from its own SQL, in SQLite, for which it was written. Ours differs as the
design says: times are timestamptz instead of numbers, and keys begin with the space.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from datetime import timedelta
from uuid import UUID, uuid4

import psycopg
import pytest
from seed_1 import BY_CATEGORY, BY_TEXT, INSERT, MARK, NOW, TEXTS, UNPROCESSED, entered, record, run

TYPES = {"TEXT": {"text", "uuid"}, "INTEGER": {"integer", "timestamp with time zone"}, "REAL": {"real"}}
CATEGORIES = ("preferences", "knowledge", "patterns", "context", "corrections", "todo")

COLUMNS = """
select a.attname as name, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull as needed,
    a.atthasdef as filled
from pg_attribute a
where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped
"""
INDEXES = """
select c.relname as name, array(
    select pg_get_indexdef(i.indexrelid, n, false) from generate_series(1, i.indnkeyatts) as n) as columns
from pg_index i join pg_class c on c.oid = i.indexrelid
where i.indrelid = 'transcripts.memories'::regclass
"""


@pytest.fixture(scope="module")
def original() -> Iterator[sqlite3.Connection]:
    """The tables of the text in a database for which it was written."""
    conn = sqlite3.connect(":memory:")
    for name in ("before.sql", "migration.sql"):
        conn.executescript((TEXTS / name).read_text("utf-8"))
    yield conn
    conn.close()


@pytest.mark.parametrize("table", ["sessions", "memories"])
def test_every_column_is_there_under_its_name(
    original: sqlite3.Connection, address: str, space: str, table: str
) -> None:
    want = {row[1]: row[2] for row in original.execute(f"pragma table_info({table})")}
    with entered(address, space) as conn:
        have = {row["name"]: row["type"] for row in conn.execute(COLUMNS, [f"transcripts.{table}"])}
    assert want
    assert {name: have.get(name) in TYPES[kind] for name, kind in want.items()} == dict.fromkeys(want, True)


def test_what_is_ours_besides_is_needed_by_no_insert_of_the_text(
    original: sqlite3.Connection, address: str, space: str
) -> None:
    names = {row[1] for row in original.execute("pragma table_info(memories)")}
    with entered(address, space) as conn:
        ours = conn.execute(COLUMNS, ["transcripts.memories"]).fetchall()
    assert [
        row["name"] for row in ours if row["name"] not in names and row["needed"] and not row["filled"]
    ] == []


def test_every_index_is_there_by_its_name_and_begins_with_the_space(
    original: sqlite3.Connection, address: str, space: str
) -> None:
    want = {
        row[0]: [column[2] for column in original.execute(f"pragma index_info({row[0]})")]
        for row in original.execute(
            "select name from sqlite_master where type = 'index' and tbl_name = 'memories'"
        )
        if row[0].startswith("idx_")
    }
    with entered(address, space) as conn:
        have = {row["name"]: row["columns"] for row in conn.execute(INDEXES.encode())}
    assert want
    assert {name: have.get(name) for name in want} == {
        name: ["space_id", *columns] for name, columns in want.items()
    }


def test_sessions_wait_for_extraction_until_they_are_marked(address: str, space: str) -> None:
    with entered(address, space) as conn:
        record(conn, "s-old", days=0)
        record(conn, "s-new", days=1)
        assert [row["id"] for row in run(conn, UNPROCESSED)] == ["s-new", "s-old"]
        run(conn, MARK, NOW + timedelta(days=2), "s-new")
        waiting = run(conn, UNPROCESSED)
        assert [(row["id"], row["project_path"]) for row in waiting] == [("s-old", "/home/ana/boats")]
        (marked,) = conn.execute("select * from sessions where id = 's-new'").fetchall()
        assert (marked["memories_extracted"], marked["extraction_attempted_at"]) == (
            1,
            NOW + timedelta(days=2),
        )


def test_a_later_extraction_that_fails_leaves_a_session_extracted(address: str, space: str) -> None:
    attempt = (
        "insert into extractions (session_id, extractor, version, status, attempted_at)"
        " select id, 'rules', $2, $1, $3 from core.sessions where name = 's-1'"
        " on conflict (space_id, session_id, extractor) do update"
        " set status = excluded.status, version = excluded.version, attempted_at = excluded.attempted_at"
    )
    with entered(address, space) as conn:
        record(conn, "s-1", days=0)
        for version, (status, extracted) in enumerate(
            [("failed", 0), ("done", 1), ("failed", 1), ("failed", 1), ("none", 0)], 1
        ):
            conn.execute(attempt.encode(), [status, version, NOW + timedelta(days=version)])
            (session,) = conn.execute("select * from sessions").fetchall()
            assert (session["memories_extracted"], session["extraction_status"]) == (extracted, status)
            assert session["extraction_attempted_at"] == NOW + timedelta(days=version)


def test_a_subagent_is_not_listed_as_unprocessed(address: str, space: str) -> None:
    with entered(address, space) as conn:
        record(conn, "s-1", days=0)
        record(conn, "agent-1", days=0)
        conn.execute(
            "update session_details set parent_session = 's-1'"
            " where session_id = (select id from core.sessions where name = 'agent-1')"
        )
        assert [row["id"] for row in run(conn, UNPROCESSED)] == ["s-1"]


def test_a_memory_is_inserted_and_found_by_category_and_by_text(address: str, space: str) -> None:
    with entered(address, space) as conn:
        record(conn, "s-1", days=0)
        for place, category in enumerate(CATEGORIES):
            at = NOW + timedelta(hours=place)
            run(conn, INSERT, uuid4(), "s-1", f"Fact {place} about {category}.", category, place / 10, at, at)
        run(conn, INSERT, uuid4(), None, "Tabs, not spaces.", "preferences", 0.9, NOW, NOW)
        preferred = run(conn, BY_CATEGORY, "preferences")
        assert [row["fact"] for row in preferred] == ["Tabs, not spaces.", "Fact 0 about preferences."]
        assert preferred[0]["created_at"] == NOW
        found = run(conn, BY_TEXT, "about")
        assert [row["category"] for row in found] == [*reversed(CATEGORIES)]
        assert {row["session_id"] for row in found} == {"s-1"}


def test_a_session_tells_how_many_memories_it_has_and_outlives_none_of_another_space(
    address: str, space: str
) -> None:
    with entered(address, space) as conn:
        record(conn, "s-1", days=0)
        run(conn, INSERT, UUID(int=1), "s-1", "A fact.", "knowledge", 0.5, NOW, NOW)
        conn.commit()
    with entered(address, f"{space} of another") as conn:
        assert run(conn, UNPROCESSED) == []
        assert run(conn, BY_TEXT, "fact") == []


def test_a_confidence_beyond_one_and_a_session_that_is_not_there_are_refused(
    address: str, space: str
) -> None:
    with entered(address, space) as conn:
        with pytest.raises(psycopg.errors.CheckViolation), conn.transaction():
            run(conn, INSERT, uuid4(), None, "A fact.", "knowledge", 1.5, NOW, NOW)
        with pytest.raises(psycopg.errors.ForeignKeyViolation), conn.transaction():
            run(conn, INSERT, uuid4(), "s-nowhere", "A fact.", "knowledge", 0.5, NOW, NOW)
