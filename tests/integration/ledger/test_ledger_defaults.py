"""A default is an assumption, through every door: an event, a cap, disclosed until somebody confirms it."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from quipu.kinds.ledger.ledger import AsyncLedger

pytestmark = pytest.mark.anyio

HERE: dict[str, Any] = {"space": "cafe", "session": "s-1", "user": "dana"}
KEY = "baseline.foh.Lisbon.dinner"

EVENT = """
insert into ledger.chat_memory_events (session_id, distinct_id, turn_index, event_type, memory_scope,
    memory_namespace, memory_key, new_value_json, value_source)
select uid, 'dana', 1, 'assumption_set', 'session', 'baseline', 'baseline.foh.Lisbon.dinner', '{"value": 4}',
    'default'
from core.sessions
"""
OF_SESSION = """
insert into ledger.chat_session_memory (session_id, memory_namespace, memory_key, value_json, value_source,
    source_turn_index, source_event_id)
select session_id, memory_namespace, memory_key, new_value_json, value_source, turn_index, id
from ledger.chat_memory_events
"""
PREFERENCE = """
insert into ledger.chat_user_preferences (distinct_id, preference_namespace, preference_key, value_json,
    value_source)
values ('dana', 'ui', 'ui.response_depth', '{"value": "verbose"}', 'default')
"""


async def test_a_default_is_noted_capped_and_disclosed_until_it_is_confirmed(ledger: AsyncLedger) -> None:
    for key, value in ((KEY, {"value": 4}), ("ui.response_depth", {"value": "verbose"})):
        change = await ledger.set(key, value, source="default", **HERE)
        assert change.event is not None
        told = (change.event.event_type, change.event.source, change.event.assumed)
        assert told == ("assumption_set", "default", True)
        assert change.event.confidence_cap == "medium"
    disclosed = await ledger.assumptions(**HERE)
    assert disclosed == await ledger.assumptions(space="cafe")
    assert [(v.key, v.source, v.assumed, v.confidence_cap) for v in disclosed] == [
        (KEY, "default", True, "medium"),
        ("ui.response_depth", "default", True, "medium"),
    ]
    confirmed = await ledger.set(KEY, {"value": 4}, **HERE)
    assert confirmed.event is not None
    assert confirmed.event.event_type == "assumption_corrected"
    assert [value.key for value in await ledger.assumptions(**HERE)] == ["ui.response_depth"]
    assert (await ledger.rebuild(space="cafe")).changed == 0


async def test_a_default_that_comes_back_by_undo_is_an_assumption_again(ledger: AsyncLedger) -> None:
    await ledger.set(KEY, {"value": 4}, source="default", **HERE)
    said = await ledger.set(KEY, {"value": 5}, **HERE)
    assert said.event is not None
    undone = await ledger.undo(said.event.id, space="cafe")
    assert undone.value is not None
    assert (undone.value.source, undone.value.assumed, undone.value.confidence_cap) == (
        "default",
        True,
        "medium",
    )


async def test_a_default_that_sql_writes_is_marked_as_well(ledger: AsyncLedger, url: str) -> None:
    with psycopg.connect(url) as conn:
        conn.execute("set local role quipu_app")
        conn.execute("select core.enter('cafe')")
        for statement in (EVENT, OF_SESSION, PREFERENCE):
            conn.execute(statement.encode())
        for table in ("chat_memory_events", "chat_session_memory", "chat_user_preferences"):
            marks = conn.execute(f"select assumed, confidence_cap from ledger.{table}".encode()).fetchall()
            assert set(marks) == {(True, "medium")}, table
    disclosed = await ledger.assumptions(**HERE)
    assert [(value.key, value.source) for value in disclosed] == [
        (KEY, "default"),
        ("ui.response_depth", "default"),
    ]
    assert (await ledger.set(KEY, {"value": 4}, **HERE)).event.event_type == "assumption_corrected"  # type: ignore[union-attr]
