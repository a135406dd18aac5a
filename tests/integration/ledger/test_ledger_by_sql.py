"""What SQL writes is a fact like any other: it has its event, recall finds it, and a rebuild keeps it."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from quipu import AsyncMemory
from quipu.kinds.ledger.ledger import AsyncLedger

pytestmark = pytest.mark.anyio

HERE: dict[str, Any] = {"space": "cafe", "session": "s-1"}
EVENT = """
insert into chat_memory_events (session_id, turn_index, event_type, memory_scope, memory_namespace,
    memory_key, new_value_json, value_source)
select id, 1, 'fact_set', 'session', 'other', 'boat', '"green"', 'explicit' from chat_sessions
"""
VALUE = """
insert into chat_session_memory (session_id, memory_namespace, memory_key, value_json, value_source,
    source_turn_index, source_event_id)
select session_id, memory_namespace, memory_key, new_value_json, value_source, turn_index, id
from chat_memory_events where memory_key = 'boat'
"""
PREFERENCE = """
insert into chat_user_preferences (distinct_id, preference_namespace, preference_key, value_json,
    value_source)
values ('eve', 'ui', 'ui.response_depth', '{"value": "verbose"}', 'explicit')
"""


def sql(url: str, *statements: str) -> None:
    """One transaction of an application that knows the tables."""
    with psycopg.connect(url, options="-c search_path=ledger") as conn:
        conn.execute("set local role quipu_app")
        conn.execute("select core.enter('cafe')")
        for statement in statements:
            conn.execute(statement.encode())


async def found(memory: AsyncMemory, question: str) -> list[str]:
    return sorted(hit.text for hit in await memory.recall(question, space="cafe", kinds=["ledger"]))


async def test_what_sql_writes_is_found_by_the_next_recall(
    cafe: AsyncMemory, ledger: AsyncLedger, url: str
) -> None:
    sql(url, EVENT, VALUE, PREFERENCE)
    question = "green boat response depth"
    assert await found(cafe, question) == ["boat: green", "ui.response_depth: verbose"]
    (event,) = await ledger.history("ui.response_depth", space="cafe", user="eve")
    assert (event.event_type, event.new, event.source) == ("fact_set", {"value": "verbose"}, "explicit")
    stood = await ledger.values(space="cafe")
    await ledger.rebuild(space="cafe")
    assert [(v.key, v.value, v.event_id) for v in await ledger.values(space="cafe")] == [
        (v.key, v.value, v.event_id) for v in stood
    ]
    assert await found(cafe, question) == ["boat: green", "ui.response_depth: verbose"]


async def test_a_value_that_comes_long_after_its_event_is_found_too(
    cafe: AsyncMemory, ledger: AsyncLedger, url: str
) -> None:
    sql(url, EVENT)
    await ledger.set("pier", "long", **HERE)
    assert await found(cafe, "boat pier") == ["pier: long"]
    sql(url, VALUE)
    assert await found(cafe, "boat pier") == ["boat: green", "pier: long"]


@pytest.mark.parametrize("noted", [True, False])
async def test_a_correction_by_sql_takes_the_place_of_what_stood(
    cafe: AsyncMemory, ledger: AsyncLedger, url: str, noted: bool
) -> None:
    await ledger.assume("boat", "green", **HERE)
    assert await found(cafe, "boat") == ["boat: green"]
    told = """
        insert into chat_memory_events (session_id, turn_index, event_type, memory_scope, memory_namespace,
            memory_key, old_value_json, new_value_json, value_source)
        select id, 1, 'assumption_corrected', 'session', 'other', 'boat', '"green"', '"blue"', 'explicit'
        from chat_sessions"""
    kept = """
        update chat_session_memory set value_json = '"blue"', value_source = 'explicit', assumed = false,
            confidence_cap = 'none', last_updated_at = now() where memory_key = 'boat'"""
    if noted:
        sql(url, told)
        assert await found(cafe, "boat") == ["boat: green"]
    sql(url, kept)
    assert await found(cafe, "boat") == ["boat: blue"]
    events = await ledger.history("boat", **HERE)
    assert [(event.event_type, event.old, event.new) for event in events] == [
        ("assumption_set", None, "green"),
        ("assumption_corrected", "green", "blue"),
    ]
    assert (await ledger.state(**HERE))["boat"].event_id == events[-1].id


async def test_what_was_filed_and_superseded_beyond_the_mark_is_taken_out(
    cafe: AsyncMemory, ledger: AsyncLedger, url: str
) -> None:
    sql(url, EVENT)
    await ledger.set("pier", "long", **HERE)
    assert await found(cafe, "boat pier") == ["pier: long"]
    sql(url, VALUE)  # the index looks again at all that came after the event of this
    await ledger.set("pier", "short", **HERE)
    assert await found(cafe, "boat pier") == ["boat: green", "pier: short"]
    with psycopg.connect(url) as conn:
        filed = conn.execute("select content from core.recall_entries where kind = 2 order by 1").fetchall()
    assert filed == [("boat: green",), ("pier: short",)]


async def test_what_sql_purges_leaves_the_index(cafe: AsyncMemory, ledger: AsyncLedger, url: str) -> None:
    sql(url, PREFERENCE)
    assert await found(cafe, "response depth") == ["ui.response_depth: verbose"]
    sql(
        url,
        "update chat_user_preferences set expires_at = now()",
        "delete from chat_user_preferences where expires_at <= now()",
    )
    assert await found(cafe, "response depth") == []
    with psycopg.connect(url) as conn:
        assert conn.execute("select content from core.recall_entries where kind = 2").fetchall() == []


async def test_an_excerpt_that_sql_changes_is_found_as_it_reads(
    cafe: AsyncMemory, ledger: AsyncLedger, url: str
) -> None:
    advice = """
        insert into chat_recommendations (session_id, turn_index, location_label, action, time_window,
            confidence, source_name, rule_version)
        select id, 1, 'Lisbon', 'row', 'today', 'low', 'reviews', 'r' from chat_sessions"""
    excerpt = """
        insert into chat_recommendation_evidence (recommendation_id, session_id, turn_index, source_name,
            entity_type, place_id, review_publish_at, theme, excerpt)
        select id, session_id, 1, 'reviews', 'own_location', 'p', now(), 'wait_time', 'seated late'
        from chat_recommendations"""
    sql(url, advice, excerpt)
    assert await found(cafe, "seated") == ["wait_time: seated late"]
    sql(url, "update chat_recommendation_evidence set excerpt = 'seated in time'")
    assert await found(cafe, "seated") == ["wait_time: seated in time"]


@pytest.mark.usefixtures("cafe")
async def test_a_session_is_given_an_id_or_a_name(url: str) -> None:
    """An id beside a name was dropped without a word, and what came next named no session that was there."""
    given = "00000000-0000-4000-8000-000000000001"
    sql(url, f"insert into chat_sessions (id) values ('{given}')")
    sql(url, "insert into chat_sessions (name) values ('of the harbour')")
    with pytest.raises(psycopg.errors.FeatureNotSupported, match="cannot be chosen both"):
        sql(url, f"insert into chat_sessions (id, name) values ('{given[:-1]}2', 'of the pier')")
    with psycopg.connect(url) as conn:
        names = conn.execute("select name from ledger.chat_sessions order by name").fetchall()
    assert [given, "of the harbour", "s-1"] == sorted(name for (name,) in names)
