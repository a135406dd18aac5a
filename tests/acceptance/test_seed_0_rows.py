"""A row of each table of "Memory + Review Evidence DB Schema (v1.1)" is kept as it is written.

Which columns there are, of which type and with which default, is read from the text's own tables.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb
from seed_0 import NOW, SESSION, entered, tell_much
from test_seed_0_schema import COLUMNS, TABLES, catalogue, shortened

from quipu import Memory

__all__ = ["catalogue"]
VALUES: dict[str, object] = {
    "bigint": None,
    "boolean": True,
    "integer": 7,
    "jsonb": Jsonb({"a": [1]}),
    "numeric(2,1)": Decimal("4.5"),
    "numeric(6,2)": Decimal("12.25"),
    "numeric(6,3)": Decimal("0.125"),
    "smallint": 3,
    "text": "a word",
    "text[]": ["one", "two"],
    "timestamp with time zone": NOW,
    "uuid": SESSION,
}
WORDS: dict[str, object] = {
    "confidence": "low",
    "confidence_cap": "low",
    "entity_type": "competitor",
    "event_type": "fact_corrected",
    "fallback_type": "timeout",
    "memory_namespace": "other",
    "memory_scope": "session",
    "preference_namespace": "other",
    "source_name": "reviews",
    "theme": "value",
    "value_source": "inferred",
}
IDS = {
    "recommendation_id": "chat_recommendations",
    "source_event_id": "chat_memory_events",
    "message_id": None,
}


def value_of(conn: psycopg.Connection[Any], table: str, name: str, kind: str) -> object:
    if name in IDS:
        of = IDS[name]
        row = conn.execute(f"select min(id) as id from {of}".encode()).fetchone() if of else {"id": None}
        return row and row["id"]
    if name == "status":
        return "resolved" if table == "chat_competitor_checks" else "ok"
    return WORDS.get(name, VALUES[kind])


def insert(conn: psycopg.Connection[Any], table: str, row: dict[str, object]) -> dict[str, Any]:
    names = ", ".join(row)
    places = ", ".join(f"${place}" for place in range(1, len(row) + 1))
    query = f"insert into {table} ({names}) values ({places}) returning *"
    done = conn.execute(query.encode(), list(row.values())).fetchone()
    assert done is not None
    return done


@pytest.mark.parametrize("table", TABLES)
def test_a_row_is_kept_as_it_is_written(
    catalogue: psycopg.Connection, memory: Memory, address: str, space: str, table: str
) -> None:
    tell_much(memory, space)
    columns = catalogue.execute(COLUMNS.encode(), [f"original.{table}"]).fetchall()
    with entered(address, space) as conn:
        row = {
            name: value_of(conn, table, name, kind)
            for name, kind, *_ in columns
            if name != "id" and not (table == "chat_recommendations" and name in COUNTED)
        }
        kept = insert(conn, table, row)
        assert {name: str(kept[name]) for name in row} == {
            name: str(value.obj if isinstance(value, Jsonb) else value) for name, value in row.items()
        }
        conn.rollback()
    needed = {name for name, _, is_needed, default in columns if is_needed and default is None}
    with entered(address, space) as conn:
        least = insert(conn, table, {n: v for n, v in row.items() if n in needed | BESIDES.get(table, set())})
        for name, _, _, default in columns:
            if default is not None and shortened(default) != "the next number":
                said = catalogue.execute(f"select {default}".encode()).fetchone()
                assert said is not None
                assert type(least[name]) is type(said[0])
                assert least[name] == said[0] or default == "now()"
        conn.rollback()
    for name in needed - {"session_id"}:
        with entered(address, space) as conn, pytest.raises(psycopg.errors.IntegrityError):
            insert(conn, table, {**row, name: None})


COUNTED = {"evidence_count", "recency_window_days", "review_backed"}  # with the evidence, by triggers
# What a check of the text asks for besides, where a column may be null.
BESIDES = {
    "chat_memory_events": {"session_id"},
    "chat_recommendation_evidence": {"place_id", "review_publish_at"},
}
