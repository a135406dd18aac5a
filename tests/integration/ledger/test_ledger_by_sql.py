"""What SQL writes is a fact like any other: it has its event, recall finds it, and a rebuild keeps it."""

from __future__ import annotations

import re
from typing import Any

import psycopg
import pytest
from by_sql import ADVICE, EVENT, HERE, PREFERENCE, PROOF, VALUE, found, sql

from quipu import AsyncMemory
from quipu.kinds.ledger.ledger import AsyncLedger

pytestmark = pytest.mark.anyio

SHAPE = """
insert into shapes (pattern, namespace, shape) values ('boat', 'other', '{"type": "string"}')
"""


READING = """
insert into chat_review_signal_runs (session_id, turn_index, entity_type, place_id, recency_window_days,
    status, signal_scores_json)
select id, 1, 'competitor', 'p', 30, 'ok', '{"a": 1}' from chat_sessions
"""
OPENED = "insert into chat_sessions (name, meta) values ('pier', '{\"a\": 1}')"


async def test_what_sql_writes_is_found_by_the_next_recall(
    cafe: AsyncMemory, ledger: AsyncLedger, url: str
) -> None:
    sql(url, EVENT, VALUE, PREFERENCE)
    question = "green boat response depth"
    assert await found(cafe, question) == ["boat: green", "ui.response_depth: verbose"]
    (event,) = await ledger.history("ui.response_depth", space="cafe", user="eve")
    assert (event.event_type, event.new, event.source) == ("fact_set", {"value": "verbose"}, "explicit")
    stood = await ledger.list(space="cafe")
    await ledger.rebuild(space="cafe")
    assert [(v.key, v.value, v.event_id) for v in await ledger.list(space="cafe")] == [
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


def nested(depth: int) -> str:
    return '{"a":' * (depth - 1) + '{"a": 1}' + "}" * (depth - 1)


@pytest.mark.parametrize("value", [nested(33), nested(3_000), '{"a": [-1e4300]}'], ids=len)
@pytest.mark.parametrize("statement", [EVENT, PREFERENCE, SHAPE, ADVICE, PROOF, READING, OPENED])
async def test_what_no_program_could_read_is_not_taken(
    cafe: AsyncMemory, ledger: AsyncLedger, url: str, statement: str, value: str
) -> None:
    sql(url, ADVICE)
    with pytest.raises(psycopg.errors.CheckViolation):
        sql(url, re.sub(r"'[{\"][^']*'", f"'{value}'", statement, count=1))
    await ledger.set("pier", "long", **HERE)
    assert await found(cafe, "boat pier") == ["pier: long"]
    (advice,) = await cafe.evidence.list(space="cafe")
    assert advice.explanation == {"a": 1}


async def test_the_largest_number_that_a_program_reads_is_taken(
    cafe: AsyncMemory, ledger: AsyncLedger, url: str
) -> None:
    sql(url, EVENT.replace('"green"', "1e4299"), VALUE)
    (value,) = await ledger.list(space="cafe")
    assert value.value == 10**4299
    assert len(await found(cafe, "boat")) == 1


@pytest.mark.parametrize("flagged", [True, False])
@pytest.mark.parametrize("scope", ["session", "cross_session"])
async def test_what_sql_upserts_is_one_event_with_what_stood_before(
    ledger: AsyncLedger, url: str, scope: Any, flagged: bool
) -> None:
    """With ``flagged`` it says that it is no assumption; it follows from the source as well."""
    await ledger.set("boat", "green", **HERE, user="dana", scope=scope, source="default")
    flags = ", assumed = excluded.assumed, confidence_cap = excluded.confidence_cap" if flagged else ""
    if scope == "session":
        insert = """
            insert into chat_session_memory (session_id, memory_namespace, memory_key, value_json,
                value_source, source_turn_index)
            select id, 'other', 'boat', '"blue"', 'explicit', 1 from chat_sessions
            on conflict (space_id, session_id, memory_namespace, memory_key)"""
    else:
        insert = """
            insert into chat_user_preferences (distinct_id, preference_namespace, preference_key, value_json,
                value_source) values ('dana', 'other', 'boat', '"blue"', 'explicit')
            on conflict (space_id, distinct_id, preference_namespace, preference_key)"""
    sql(url, f"{insert} do nothing")
    assert [one.new for one in await ledger.events(space="cafe")] == ["green"]
    kept = "do update set value_json = excluded.value_json, value_source = excluded.value_source"
    sql(url, f"{insert} {kept}, last_updated_at = now(){flags}")
    events = [(e.event_type, e.old, e.new, e.assumed) for e in await ledger.events(space="cafe")]
    assert events == [
        ("assumption_corrected", "green", "blue", False),
        ("assumption_set", None, "green", True),
    ]
    (value,) = await ledger.list(space="cafe")
    assert (value.value, value.source, value.assumed, value.confidence_cap) == (
        "blue",
        "explicit",
        False,
        "none",
    )
    assert await ledger.assumptions(space="cafe") == []
    await ledger.rebuild(space="cafe")
    (again,) = await ledger.list(space="cafe")
    assert (again.value, again.event_id) == ("blue", value.event_id)


async def test_what_was_inferred_and_sql_says_now_has_its_event(ledger: AsyncLedger, url: str) -> None:
    await ledger.set("boat", "green", **HERE, source="inferred")
    sql(url, "update chat_session_memory set value_source = 'explicit'")
    await ledger.rebuild(space="cafe")
    assert [(e.source, e.new) for e in await ledger.history("boat", **HERE)] == [
        ("inferred", "green"),
        ("explicit", "green"),
    ]
    assert [value.source for value in await ledger.list(space="cafe")] == ["explicit"]


async def test_a_preference_with_its_namespace_beside_its_key_is_a_fact_like_any_other(
    cafe: AsyncMemory, ledger: AsyncLedger, url: str
) -> None:
    sql(
        url, PREFERENCE, PREFERENCE.replace("ui.response_depth", "response_depth").replace("verbose", "brief")
    )
    stood = ["ui.response_depth: verbose", "ui/response_depth: brief"]
    assert await found(cafe, "response depth") == stood
    await ledger.rebuild(space="cafe")
    with psycopg.connect(url) as conn:
        keys = conn.execute("select preference_key from ledger.chat_user_preferences order by 1").fetchall()
    assert keys == [("response_depth",), ("ui.response_depth",)]
    assert await found(cafe, "response depth") == stood
    (event,) = await ledger.history("ui/response_depth", space="cafe", user="eve")
    assert event.new == {"value": "brief"}
    await ledger.expire("ui/response_depth", space="cafe", user="eve")
    assert await found(cafe, "response depth") == stood[:1]


async def test_a_write_through_the_library_leaves_nothing_to_be_done_for_sql(
    cafe: AsyncMemory, ledger: AsyncLedger, url: str
) -> None:
    """Each value that took the place of another was looked at as if SQL had written it."""
    append = """select ledger.append(space => 'cafe', act => 'set', scope => %s, session => 's-1',
        person => 'dana', namespace => 'other', key => 'boat', value => to_jsonb(%s::text),
        source => 'explicit', assumption => false, cap => 'none', turn => 1, at => now(), expires => null,
        renewal => null, correlation => null, who => null, why => null, latest_known => null)"""
    with psycopg.connect(url) as conn:
        conn.execute("set local role quipu_app")
        for scope in ("session", "cross_session"):
            for value in ("green", "blue"):
                conn.execute(append, [scope, value])
        assert conn.execute("select * from core.at_commit").fetchall() == []
        conn.execute("update ledger.chat_session_memory set source_event_id = source_event_id - 1")
        assert len(conn.execute("select * from core.at_commit").fetchall()) == 1
    assert await found(cafe, "boat") == ["boat: blue", "boat: green"]
    await ledger.rebuild(space="cafe")
