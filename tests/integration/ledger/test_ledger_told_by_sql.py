"""Whatever SQL does to what stands in the ledger, there is an event that says so, and it can be read."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, LiteralString

import psycopg
import pytest
from by_sql import ADVICE, EVENT, HERE, PREFERENCE, PROOF, VALUE, found, sql

from quipu import AsyncMemory
from quipu.kinds.ledger.evidence.evidence import AsyncEvidence
from quipu.kinds.ledger.ledger import AsyncLedger
from quipu.kinds.ledger.model import Value

pytestmark = pytest.mark.anyio

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
CHANGES: dict[LiteralString, list[tuple[str, Any, Any]]] = {
    "expires_at = now() + interval '500 years'": [("fact_set", "green", "green")],
    "expires_at = now() - interval '1 day'": [("fact_set", "green", "green")],
    "assumed = true": [("assumption_set", "green", "green")],
    "confidence_cap = 'low'": [("fact_set", "green", "green")],
    "value_source = 'inferred'": [("fact_corrected", "green", "green")],
    "value_source = 'default'": [("fact_corrected", "green", "green")],
    "memory_key = 'pier'": [("fact_deleted", "green", None), ("fact_set", None, "green")],
    "memory_namespace = 'constraint'": [("fact_deleted", "green", None), ("fact_set", None, "green")],
    "session_id = (select id from chat_sessions where name = 's-2')": [
        ("fact_deleted", "green", None),
        ("fact_set", None, "green"),
    ],
    "distinct_id = 'dana'": [("fact_deleted", "green", None), ("fact_set", None, "green")],
    "preference_key = 'ui.pier'": [("fact_deleted", "green", None), ("fact_set", None, "green")],
    "preference_namespace = 'workflow'": [("fact_deleted", "green", None), ("fact_set", None, "green")],
}
OF_SESSIONS = ("memory", "session")


async def standing(ledger: AsyncLedger) -> list[Value]:
    """What stands, whenever that was said last: SQL may leave that as it was."""
    return [replace(value, updated_at=EPOCH) for value in await ledger.list(space="cafe")]


@pytest.mark.parametrize(
    ("table", "change"),
    [
        (table, change)
        for table in ("chat_session_memory", "chat_user_preferences")
        for change in CHANGES
        if not change.startswith(("distinct", "preference") if "session" in table else OF_SESSIONS)
    ],
)
async def test_whatever_sql_changes_of_a_fact_has_its_event(
    cafe: AsyncMemory, ledger: AsyncLedger, url: str, table: str, change: LiteralString
) -> None:
    """Else recall and history tell what stood before, and a rebuild brings it back."""
    sql(url, "insert into chat_sessions (name) values ('s-2')")
    if table == "chat_session_memory":
        await ledger.set("boat", "green", **HERE)
    else:
        sql(url, PREFERENCE.replace("response_depth", "boat").replace('{"value": "verbose"}', '"green"'))
    assert len(await found(cafe, "boat")) == 1
    sql(url, f"update {table} set {change}")
    events = await ledger.events(space="cafe")
    assert [(e.event_type, e.old, e.new) for e in reversed(events)][1:] == CHANGES[change]
    stood = await standing(ledger)
    assert await found(cafe, "boat pier") == [f"{value.key}: green" for value in stood]
    await ledger.rebuild(space="cafe")
    assert await standing(ledger) == stood
    assert await found(cafe, "boat pier") == [f"{value.key}: green" for value in stood]


@pytest.mark.parametrize("at_once", [True, False])
async def test_what_sql_deletes_has_ended_and_no_rebuild_brings_it_back(
    cafe: AsyncMemory, ledger: AsyncLedger, url: str, at_once: bool
) -> None:
    await ledger.set("boat", "green", **HERE)
    sql(url, PREFERENCE)
    assert len(await found(cafe, "boat response depth")) == 2
    told = """
        insert into chat_memory_events (session_id, turn_index, event_type, memory_scope, memory_namespace,
            memory_key, old_value_json, new_value_json, value_source)
        select id, 1, 'fact_deleted', 'session', 'other', 'boat', '"green"', 'null', 'explicit'
        from chat_sessions"""
    if not at_once:  # the program writes the event itself
        sql(url, told)
    sql(url, "delete from chat_session_memory", "delete from chat_user_preferences")
    assert await found(cafe, "boat response depth") == []
    for key, of in (("boat", HERE), ("ui.response_depth", {"space": "cafe", "user": "eve"})):
        assert [e.event_type for e in await ledger.history(key, **of)] == ["fact_set", "fact_deleted"]
    await ledger.rebuild(space="cafe")
    assert await ledger.list(space="cafe") == []


async def test_what_expires_by_sql_alone_does_not_come_back(
    cafe: AsyncMemory, ledger: AsyncLedger, url: str
) -> None:
    """The event was written by a program that says when it ends in the table only, as the text does."""
    sql(url, EVENT, VALUE, "update chat_session_memory set expires_at = now()")
    assert await found(cafe, "boat") == []
    sql(url, "delete from chat_session_memory where expires_at <= now()")
    await ledger.rebuild(space="cafe")
    assert await ledger.list(space="cafe") == []


@pytest.mark.parametrize("kept", ["do nothing", "do update set value_json = excluded.value_json"])
@pytest.mark.parametrize("scope", ["session", "cross_session"])
@pytest.mark.parametrize("ends", ["commit", "rollback"])
async def test_two_who_upsert_a_new_key_at_once_have_an_event_each_of_what_came_of_it(
    ledger: AsyncLedger, url: str, kept: LiteralString, scope: str, ends: str
) -> None:
    """Who came second had told of a value that was never kept, or of one without what stood before."""
    if scope == "session":
        upsert = f"""
            insert into ledger.chat_session_memory (session_id, memory_namespace, memory_key, value_json,
                value_source, source_turn_index)
            select id, 'other', 'boat', to_jsonb(%s::text), 'explicit', 1 from ledger.chat_sessions
            on conflict (space_id, session_id, memory_namespace, memory_key) {kept}"""
    else:
        upsert = f"""
            insert into ledger.chat_user_preferences (distinct_id, preference_namespace, preference_key,
                value_json, value_source)
            values ('dana', 'other', 'boat', to_jsonb(%s::text), 'explicit')
            on conflict (space_id, distinct_id, preference_namespace, preference_key) {kept}"""
    with psycopg.connect(url) as first, psycopg.connect(url) as second, psycopg.connect(url) as third:
        for conn in (first, second):
            conn.execute("set role quipu_app")
            conn.execute("select core.enter('cafe')")
        first.execute(upsert.encode(), ["green"])
        later = threading.Thread(target=lambda: (second.execute(upsert.encode(), ["blue"]), second.commit()))
        later.start()
        third.autocommit = True
        waits = "select from pg_stat_activity where pid = %s and wait_event_type = 'Lock'"
        while third.execute(waits, [second.info.backend_pid]).fetchone() is None:
            assert later.is_alive()
        getattr(first, ends)()
        later.join()
    events = [(e.event_type, e.old, e.new) for e in reversed(await ledger.events(space="cafe"))]
    if ends == "rollback":
        assert events == [("fact_set", None, "blue")]
    else:
        corrected = [] if kept == "do nothing" else [("fact_corrected", "green", "blue")]
        assert events == [("fact_set", None, "green"), *corrected]
    stood = await standing(ledger)
    assert [value.value for value in stood] == [events[-1][2]]
    await ledger.rebuild(space="cafe")
    assert await standing(ledger) == stood


@pytest.mark.parametrize(
    "change",
    [
        "chat_recommendations set impact_score = 'NaN'",
        "chat_recommendation_evidence set review_rating = 'NaN'",
        "chat_recommendation_evidence set evidence_weight = 'NaN'",
    ],
)
async def test_what_is_no_number_is_no_figure(evidence: AsyncEvidence, url: str, change: str) -> None:
    sql(url, ADVICE, PROOF)
    with pytest.raises(psycopg.errors.CheckViolation):
        sql(url, f"update {change}")
    (advice,) = await evidence.list(space="cafe")
    assert advice.impact_score is None
