"""The tables of "Memory + Review Evidence DB Schema (v1.1)" are there, with every column, check and index.

The original is made beside ours, from its own SQL, and the two are compared through the catalogue. What is
ours differs in one thing: every key, index and reference begins with the space.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from seed_0 import NOW, SESSION, entered, rows

from quipu import Memory

ORIGINAL = Path(__file__).resolve().parent.parent / "fixtures" / "seed_0"

TABLES = [
    "chat_memory_events",
    "chat_session_memory",
    "chat_user_preferences",
    "chat_competitor_checks",
    "chat_review_signal_runs",
    "chat_recommendation_evidence",
    "chat_recommendations",
    "chat_fallbacks",
    "source_runs",
]
VIEWS = ["chat_sessions", "chat_messages", "chat_tool_calls"]

COLUMNS = """
select a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid)
from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
where a.attrelid = %s::regclass and a.attnum > 0 and not a.attisdropped
order by a.attnum
"""
CHECKS = "select pg_get_constraintdef(oid) from pg_constraint where conrelid = %s::regclass and contype = 'c'"
INDEXES = """
select c.relname, array(
    select pg_get_indexdef(i.indexrelid, n, false)
        || case i.indoption[n - 1] & 1 when 1 then ' desc' else '' end
    from generate_series(1, i.indnkeyatts) as n)
from pg_index i join pg_class c on c.oid = i.indexrelid
where i.indrelid = %s::regclass and not i.indisunique
"""
UNIQUE = """
select array(select attname::text from unnest(k.conkey) with ordinality as c (n, place)
    join pg_attribute a on a.attrelid = k.conrelid and a.attnum = c.n order by place)
from pg_constraint k where k.conrelid = %s::regclass and k.contype in ('p', 'u')
"""
REFERENCES = """
select (select array_agg(attname::text order by place) from unnest(k.conkey) with ordinality as c (n, place)
    join pg_attribute a on a.attrelid = k.conrelid and a.attnum = c.n), confrelid::regclass::text
from pg_constraint k where k.conrelid = %s::regclass and k.contype = 'f'
"""
# What the original refers to -> where it is with us.
TARGETS = {
    "chat_sessions": "core.sessions",
    "chat_messages": "core.messages",
    "chat_recommendations": "ledger.chat_recommendations",
    "chat_memory_events": "ledger.chat_memory_events",
}


@pytest.fixture(scope="module")
def catalogue(address: str) -> Iterator[psycopg.Connection]:
    """A transaction with the original in a schema of its own, which is never committed."""
    with psycopg.connect(address) as conn:
        conn.execute("create schema original")
        conn.execute("set local search_path = original, public")
        for name in ("before.sql", "migration.sql"):
            conn.execute((ORIGINAL / name).read_text("utf-8").encode())
        yield conn
        conn.rollback()


def both(catalogue: psycopg.Connection, query: str, table: str) -> list[list[tuple[object, ...]]]:
    """What the catalogue says of the original table, and of ours."""
    return [
        catalogue.execute(query.encode(), [f"{schema}.{table}"]).fetchall()
        for schema in ("original", "ledger")
    ]


def shortened(default: object) -> object:
    """A default without the name of the sequence."""
    return "the next number" if str(default).startswith("nextval") else default


def test_the_original_has_the_tables_that_are_compared(catalogue: psycopg.Connection) -> None:
    found = catalogue.execute(
        "select relname from pg_class where relnamespace = 'original'::regnamespace and relkind = 'r'"
    ).fetchall()
    assert {name for (name,) in found} == {*TABLES, *VIEWS}


@pytest.mark.parametrize("table", TABLES)
def test_every_column_is_there_as_written(catalogue: psycopg.Connection, table: str) -> None:
    original, ours = both(catalogue, COLUMNS, table)
    have = {name: (kind, needed, shortened(default)) for name, kind, needed, default in ours}
    want = {name: (kind, needed, shortened(default)) for name, kind, needed, default in original}
    assert {name: have.get(name) for name in want} == want


@pytest.mark.parametrize("table", TABLES)
def test_what_is_ours_besides_is_needed_by_no_insert_of_the_original(
    catalogue: psycopg.Connection, table: str
) -> None:
    original, ours = both(catalogue, COLUMNS, table)
    names = {name for name, *_ in original}
    assert [name for name, _, needed, default in ours if name not in names and needed and not default] == []


@pytest.mark.parametrize("view", VIEWS)
def test_every_column_of_the_record_is_shown_under_its_name(catalogue: psycopg.Connection, view: str) -> None:
    original, ours = both(catalogue, COLUMNS, view)
    have = {name: kind for name, kind, *_ in ours}
    assert {name: have.get(name) for name, *_ in original} == {name: kind for name, kind, *_ in original}


@pytest.mark.parametrize("table", TABLES)
def test_every_check_is_there_as_written(catalogue: psycopg.Connection, table: str) -> None:
    original, ours = both(catalogue, CHECKS, table)
    assert {check for (check,) in original} - {check for (check,) in ours} == set()


@pytest.mark.parametrize("table", TABLES)
def test_every_index_is_there_by_its_name_and_begins_with_the_space(
    catalogue: psycopg.Connection, table: str
) -> None:
    original, ours = both(catalogue, INDEXES, table)
    have = dict(ours)
    assert {name: have.get(name) for name, _ in original} == {
        name: ["space_id", *columns]
        for name, columns in original  # type: ignore[misc]
    }


@pytest.mark.parametrize("table", TABLES)
def test_what_was_unique_is_unique_in_a_space(catalogue: psycopg.Connection, table: str) -> None:
    original, ours = both(catalogue, UNIQUE, table)
    assert {("space_id", *columns) for (columns,) in original} <= {tuple(columns) for (columns,) in ours}  # type: ignore[misc]


@pytest.mark.parametrize("table", TABLES)
def test_every_reference_leads_to_the_same_thing_in_the_same_space(
    catalogue: psycopg.Connection, table: str
) -> None:
    original, ours = both(catalogue, REFERENCES, table)
    want = {("space_id", *columns): TARGETS[str(target)] for columns, target in original}  # type: ignore[misc]
    have = {tuple(columns): target for columns, target in ours}  # type: ignore[misc]
    assert {columns: have.get(columns) for columns in want} == want


def test_the_sources_of_the_text_are_taken(memory: Memory, address: str, space: str) -> None:
    here: dict[str, Any] = {"space": space, "session": SESSION}
    for source in sources("chat_tool_calls"):
        memory.trace.tool_call("look", source=source, latency_ms=1, **here)
    for source in sources("chat_recommendations"):
        advice: dict[str, Any] = {"location": "Lisbon", "time_window": "Friday", "confidence": "low"}
        memory.evidence.recommend("Rest.", source=source, **advice, **here)
    for source in sources("source_runs"):
        memory.trace.source_run(source, space=space, started_at=NOW)
    for table in ("chat_tool_calls", "chat_recommendations", "source_runs"):
        kept = {row["source_name"] for row in rows(address, space, f"select source_name from {table}")}
        assert kept >= sources(table), table


def test_the_migration_of_the_text_runs_over_ours_but_for_what_is_a_view(address: str, space: str) -> None:
    statements = [one for one in (ORIGINAL / "migration.sql").read_text("utf-8").split(";\n") if one.strip()]
    assert len(statements) == 28
    refused = []
    with entered(address, space, role="quipu_owner") as conn:
        conn.execute("set local search_path = ledger, public")
        for statement in statements:
            try:
                with conn.transaction():
                    conn.execute(statement.encode())
            except psycopg.errors.WrongObjectType:
                refused.append(statement)
        conn.rollback()
    assert [one.count("table if exists chat_tool_calls") for one in refused] == [1, 1]


def test_a_row_is_upserted_by_the_key_that_has_the_space(memory: Memory, address: str, space: str) -> None:
    memory.ledger.set("boat", "green", space=space, session=SESSION)
    upsert = (
        "insert into chat_session_memory (session_id, memory_namespace, memory_key, value_json, value_source,"
        " source_turn_index) select session_id, memory_namespace, memory_key, '\"red\"', 'explicit', 1"
        " from chat_session_memory on conflict ({}) do update set value_json = excluded.value_json"
    )
    unique = "session_id, memory_namespace, memory_key"
    with entered(address, space) as conn:
        with pytest.raises(psycopg.errors.InvalidColumnReference), conn.transaction():
            conn.execute(upsert.format(unique).encode())
        assert conn.execute(upsert.format(f"space_id, {unique}").encode()).rowcount == 1
        conn.rollback()


def sources(table: str) -> set[str]:
    """The names that the check of the text allows."""
    found = re.search(
        rf"add constraint {table}_source_name_check\s+check \(source_name in \((.*)\)\)",
        (ORIGINAL / "migration.sql").read_text("utf-8"),
    )
    assert found
    return set(re.findall(r"'(\w+)'", found[1]))
