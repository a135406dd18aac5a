"""The seed's migration on a file that ccrecall made: whole or not at all, twice without harm."""

from __future__ import annotations

import sqlite3
import stat
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from ccrecall import SCHEMA, ccrecall

from quipu.errors import BadInput, NotFound
from quipu.kernel.db import queries
from quipu.kinds.transcripts.sqlite.file import migrate

NOW = datetime(2026, 5, 5, tzinfo=UTC)
MEMORY = {
    "id": "m-1",
    "session_id": "s-1",
    "fact": "The mast is green.",
    "category": "knowledge",
    "confidence": 0.9,
    "created_at": 1,
    "updated_at": 2,
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return ccrecall(tmp_path / "ccrecall.db")


def all_rows(path: Path, table: str) -> list[Any]:
    with closing(sqlite3.connect(path)) as db:
        return db.execute(f"select * from {table}").fetchall()


def columns(path: Path, table: str) -> dict[str, tuple[str, int, Any, int]]:
    with closing(sqlite3.connect(path)) as db:
        return {row[1]: row[2:] for row in db.execute(f"pragma table_info({table})")}


def indexes(path: Path) -> set[str]:
    with closing(sqlite3.connect(path)) as db:
        return {row[0] for row in db.execute("select name from sqlite_master where type = 'index'")}


def test_the_tables_are_those_of_the_seed_afterwards(file: Path) -> None:
    done = migrate(file, now=NOW)
    assert columns(file, "memories") == {
        "id": ("TEXT", 0, None, 1),
        "session_id": ("TEXT", 0, None, 0),
        "fact": ("TEXT", 1, None, 0),
        "category": ("TEXT", 0, None, 0),
        "confidence": ("REAL", 0, None, 0),
        "created_at": ("INTEGER", 0, None, 0),
        "updated_at": ("INTEGER", 0, None, 0),
    }
    assert columns(file, "sessions")["memories_extracted"] == ("INTEGER", 0, "0", 0)
    assert columns(file, "sessions")["extraction_attempted_at"] == ("INTEGER", 0, None, 0)
    assert {f"idx_memories_{c}" for c in ("session", "category", "created")} <= indexes(file)
    assert "idx_sessions_extraction" in indexes(file)
    assert len(done.changed) == 7


def test_what_was_in_it_is_in_it_still(file: Path) -> None:
    before = all_rows(file, "messages"), [row[:7] for row in all_rows(file, "sessions")]
    migrate(file, now=NOW)
    assert (all_rows(file, "messages"), [row[:7] for row in all_rows(file, "sessions")]) == before
    assert [row[7:] for row in all_rows(file, "sessions")] == [(0, None), (0, None)]


def test_the_file_as_it_was_is_kept_beside(file: Path) -> None:
    file.chmod(0o640)
    done = migrate(file, now=NOW)
    assert done.backup is not None
    assert "memories" not in {row[1] for row in all_rows(done.backup, "sqlite_master")}
    assert all_rows(done.backup, "messages") == all_rows(file, "messages")
    assert stat.S_IMODE(done.backup.stat().st_mode) == 0o640


def test_the_second_time_nothing_is_changed_nor_copied(file: Path) -> None:
    migrate(file, now=NOW)
    before = file.read_bytes()
    again = migrate(file, now=datetime(2026, 5, 6, tzinfo=UTC))
    assert (again.changed, again.backup) == ((), None)
    assert file.read_bytes() == before
    assert len(list(file.parent.iterdir())) == 2


def test_one_that_was_migrated_in_part_is_completed(file: Path) -> None:
    with closing(sqlite3.connect(file)) as db:
        db.execute("alter table sessions add column memories_extracted INTEGER default 0")
    assert "memories_extracted" not in migrate(file, now=NOW).changed
    assert "extraction_attempted_at" in columns(file, "sessions")


def test_memories_are_written_changed_and_never_twice(file: Path) -> None:
    source = {"memory_id": "m-1", "session_id": "s-1", "turn_index": 3, "extracted_at": 5}
    read = {"id": "s-1", "attempted_at": 9}
    done = migrate(file, now=NOW, memories=[MEMORY], sources=[source], extracted=[read])
    assert (done.memories, done.sources) == (1, 1)
    assert all_rows(file, "memories") == [tuple(MEMORY.values())]
    assert all_rows(file, "memory_sources") == [("m-1", "s-1", 3, 5)]
    assert [row[7:] for row in all_rows(file, "sessions")] == [(1, 9), (0, None)]
    later = datetime(2026, 5, 6, tzinfo=UTC)
    assert migrate(file, now=later, memories=[MEMORY], sources=[source]).memories == 0
    changed = {**MEMORY, "fact": "The mast is teal."}
    assert migrate(file, now=datetime(2026, 5, 7, tzinfo=UTC), memories=[changed]).memories == 1
    assert [row[2] for row in all_rows(file, "memories")] == ["The mast is teal."]


def test_a_memory_of_a_session_that_the_file_has_not_is_kept_without_it(file: Path) -> None:
    migrate(file, now=NOW, memories=[{**MEMORY, "session_id": "elsewhere"}])
    assert all_rows(file, "memories")[0][1] is None


def test_what_fails_in_the_middle_changes_nothing(file: Path) -> None:
    before = all_rows(file, "sqlite_master")
    with pytest.raises(BadInput):
        migrate(file, now=NOW, memories=[{**MEMORY, "fact": None}])
    assert all_rows(file, "sqlite_master") == before


FOREIGN = [
    pytest.param(b"", "no file of ccrecall", id="empty"),
    pytest.param(b"Not a database at all, but long enough to be read as one." * 20, "no SQLite", id="text"),
]


@pytest.mark.parametrize(("content", "told"), FOREIGN)
def test_a_file_of_another_kind_is_refused_and_left_alone(tmp_path: Path, content: bytes, told: str) -> None:
    path = tmp_path / "other.db"
    path.write_bytes(content)
    with pytest.raises(BadInput, match=told):
        migrate(path, now=NOW)
    assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


def test_a_database_of_another_program_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute("create table sessions (id integer)")
    with pytest.raises(BadInput, match=r"no column sessions\.first_timestamp"):
        migrate(path, now=NOW)


def test_a_table_of_the_same_name_is_not_taken_for_ours(file: Path) -> None:
    with closing(sqlite3.connect(file)) as db:
        db.execute("create table memories (id integer, text)")
    with pytest.raises(BadInput, match="of somebody else"):
        migrate(file, now=NOW)


def test_a_damaged_file_is_refused(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[200:4000] = b"\xff" * 3800
    file.write_bytes(content)
    with pytest.raises(BadInput, match="damaged"):
        migrate(file, now=NOW)


def test_a_locked_file_is_refused_with_the_way_out(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quipu.kernel.base.sqlite._LOCK_SECONDS", 0.05)
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("begin exclusive")
        with pytest.raises(BadInput, match="locked") as refused:
            migrate(file, now=NOW)
    assert "End ccrecall" in str(refused.value.hint)


def test_a_file_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        migrate(tmp_path / "none.db", now=NOW)
    assert list(tmp_path.iterdir()) == []


def test_our_schema_has_the_columns_of_the_origin(tmp_path: Path) -> None:
    theirs = {line.split()[2] for line in SCHEMA.splitlines() if line.startswith("CREATE TABLE")}
    ours = tmp_path / "ours.db"
    with closing(sqlite3.connect(ours)) as db:
        for statement in queries.load("quipu.kinds.transcripts.sqlite", folder="origin").values():
            db.execute(statement)
    origin = ccrecall(tmp_path / "theirs.db")
    for table in theirs:
        assert list(columns(ours, table)) == list(columns(origin, table)), table
