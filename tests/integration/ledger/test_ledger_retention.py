"""Retention: what its time is over for goes, and nothing else; first it says what that would be."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import anyio
import psycopg
import pytest
from cases import case

from quipu import AsyncMemory
from quipu.app.kinds import PACKAGES
from quipu.errors import BadInput
from quipu.kernel.base.clock import FrozenClock
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.kinds.ledger.evidence.model import EvidenceReference
from quipu.kinds.ledger.ledger import AsyncLedger
from quipu.kinds.ledger.retention.model import RetentionReport

pytestmark = pytest.mark.anyio

HERE: dict[str, Any] = {"space": "cafe", "session": "s-1"}
DANA: dict[str, Any] = {"space": "cafe", "user": "dana"}
TABLES = (
    "core.sessions",
    "core.messages",
    "core.recall_entries",
    "core.erasures",
    "core.tool_calls",
    "ledger.session_details",
    "ledger.chat_memory_events",
    "ledger.chat_session_memory",
    "ledger.chat_user_preferences",
    "ledger.chat_recommendations",
    "ledger.chat_recommendation_evidence",
    "ledger.chat_competitor_checks",
    "ledger.chat_review_signal_runs",
    "ledger.chat_fallbacks",
)


def rows(url: str, table: str, columns: str = "*") -> list[tuple[Any, ...]]:
    with psycopg.connect(url) as conn:
        return conn.execute(f"select {columns} from {table} t order by t::text".encode()).fetchall()


def everything(url: str) -> dict[str, list[tuple[Any, ...]]]:
    return {table: rows(url, table) for table in TABLES}


def numbers(url: str) -> dict[str, int]:
    return {table: len(found) for table, found in everything(url).items()}


async def advise(cafe: AsyncMemory, clock: FrozenClock, **where: Any) -> int:
    review = EvidenceReference(
        theme="wait_time",
        place_id="place-1",
        published_at=clock.now() - timedelta(days=3),
        rating=2.0,
        excerpt="We waited an hour for a table.",
    )
    made = await cafe.evidence.recommend(
        "Open a second till.",
        location="Lisbon",
        time_window="Friday",
        confidence="medium",
        source="reviews",
        evidence=[review],
        **where,
    )
    return made.id


async def fill(cafe: AsyncMemory, clock: FrozenClock) -> None:
    """A session with facts, a preference, advice; and what else a session leaves behind."""
    await cafe.ledger.set("team", 4, **HERE)
    await cafe.ledger.set("boat", "green", user="dana", scope="cross_session", **HERE)
    await advise(cafe, clock, **HERE)


async def tried_and_done(ledger: AsyncLedger, url: str, **given: int) -> RetentionReport:
    """Retention, whose preview changed nothing and foretold what went."""
    before = everything(url)
    preview = await ledger.retention(space="cafe", **given)
    assert everything(url) == before
    assert (preview.done, preview.receipts) == (False, ())
    done = await ledger.retention(space="cafe", confirm=True, **given)
    assert replace(done, done=False, receipts=()) == preview
    assert done.done
    assert len(done.receipts) == done.sessions + done.emptied
    return done


async def test_what_is_young_stays(
    cafe: AsyncMemory, ledger: AsyncLedger, clock: FrozenClock, url: str
) -> None:
    await fill(cafe, clock)
    clock.advance(timedelta(days=30))
    before = everything(url)
    done = await tried_and_done(ledger, url)
    assert done.counts == {}
    assert everything(url) == before


async def test_a_session_nobody_wrote_to_for_ninety_days_goes_with_all_that_was_said_and_known_in_it(
    cafe: AsyncMemory, ledger: AsyncLedger, clock: FrozenClock, url: str
) -> None:
    await fill(cafe, clock)
    await cafe.recall("boat", space="cafe")
    clock.advance(timedelta(days=80))
    await ledger.open_session(space="cafe", session="s-2")
    await ledger.set("boat", "green", **DANA)  # the preference is said again
    clock.advance(timedelta(days=11))
    done = await tried_and_done(ledger, url)
    assert (done.sessions, done.emptied, done.expired) == (1, 0, 0)
    assert done.counts == {
        "jobs": 2,
        "ledger.chat_memory_events": 1,
        "ledger.chat_recommendation_evidence": 1,
        "ledger.chat_recommendations": 1,
        "ledger.chat_session_memory": 1,
        "messages": 3,
    }
    assert [name for (name,) in rows(url, "core.sessions", "name")] == ["s-2"]
    assert [s.name for s in await cafe.sessions(space="cafe")] == ["s-2"]
    assert [(hit.kind, hit.text) for hit in await cafe.recall("team boat", space="cafe")] == [
        ("ledger", "boat: green")
    ]
    left = rows(url, "ledger.chat_memory_events", "id, memory_key, session_id")
    assert [key for _, key, _ in left] == ["boat", "boat"]  # of the person, not of the session
    assert [session for *_, session in left] == [None, None]
    assert (await ledger.rebuild(space="cafe")).changed == 0


@pytest.mark.parametrize("activity", ["message", "fact", "advice", "preference", "end"])
async def test_whatever_is_written_in_a_session_keeps_it_for_another_ninety_days(
    cafe: AsyncMemory, ledger: AsyncLedger, clock: FrozenClock, url: str, activity: str
) -> None:
    clock.advance(timedelta(days=89))
    match activity:
        case "message":
            await cafe.observe([{"content": "Are you there?"}], **HERE)
        case "fact":
            await ledger.set("team", 4, **HERE)
        case "advice":
            await advise(cafe, clock, **HERE)
        case "preference":
            await ledger.set("boat", "green", user="dana", scope="cross_session", **HERE)
        case _:
            await ledger.end_session("s-1", space="cafe")
    clock.advance(timedelta(days=89))
    assert (await tried_and_done(ledger, url)).sessions == 0
    clock.advance(timedelta(days=2))
    assert (await tried_and_done(ledger, url)).sessions == 1
    assert rows(url, "core.sessions") == []
    assert rows(url, "core.messages") == []


async def test_what_an_import_brings_in_is_as_young_as_the_import(
    cafe: AsyncMemory, ledger: AsyncLedger, clock: FrozenClock, url: str
) -> None:
    said = {"content": "Long ago.", "session": "old", "time": "2001-01-01T00:00:00Z"}
    await cafe.import_messages([said], space="cafe")
    assert (await tried_and_done(ledger, url)).counts == {}
    clock.advance(timedelta(days=91))
    assert (await tried_and_done(ledger, url)).sessions == 2


async def test_messages_that_stand_alone_are_of_no_session_and_stay(
    cafe: AsyncMemory, ledger: AsyncLedger, clock: FrozenClock, url: str
) -> None:
    await cafe.observe([{"content": "A note."}], space="cafe")
    clock.advance(timedelta(days=1000))
    await tried_and_done(ledger, url)
    assert [text for (text,) in rows(url, "core.messages", "content")] == ["A note."]


async def test_values_whose_time_is_over_get_an_event_that_says_so_and_no_row(
    ledger: AsyncLedger, clock: FrozenClock, url: str
) -> None:
    await ledger.set("boat", "green", **DANA)
    await ledger.set("ui.response_depth", {"value": "verbose"}, **DANA)
    await ledger.set(
        "ui.response_depth", {"value": "verbose"}, space="cafe", user="bob", expires_at="2199-01-01"
    )
    soon = clock.now() + timedelta(days=1)
    await ledger.assume("team", 4, expires_at=soon, **HERE)
    await ledger.set("hours", 8, **HERE)
    clock.advance(timedelta(days=90))
    await ledger.set("hours", 9, **HERE)
    done = await tried_and_done(ledger, url)
    assert done.expired == 3
    assert done.counts == {"ledger.chat_session_memory": 1, "ledger.chat_user_preferences": 2}
    assert [key for (key,) in rows(url, "ledger.chat_session_memory", "memory_key")] == ["hours"]
    assert [who for (who,) in rows(url, "ledger.chat_user_preferences", "distinct_id")] == ["bob"]
    for key, whose in (("boat", DANA), ("ui.response_depth", DANA), ("team", HERE)):
        *_, said, ended = await ledger.history(key, **whose)
        assert (ended.event_type, ended.new) == ("fact_expired", None)
        assert (ended.actor, ended.reason) == ("retention", "its time is over")
        assert ended.old == said.new
        assert ended.created_at == clock.now()
    assert (await ledger.rebuild(space="cafe")).changed == 0
    assert (await tried_and_done(ledger, url)).counts == {}


async def test_the_excerpt_goes_first_the_metadata_stay_in_the_audit_window_and_then_go_too(
    cafe: AsyncMemory, ledger: AsyncLedger, clock: FrozenClock, url: str
) -> None:
    advice = await advise(cafe, clock, **HERE)
    assert [hit.kind for hit in await cafe.recall("waited an hour", space="cafe")][:1] == ["ledger"]
    (whole,) = (await cafe.evidence.sources(advice, space="cafe")).pieces
    clock.advance(timedelta(days=31))
    done = await tried_and_done(ledger, url)
    assert (done.excerpts, done.counts) == (1, {"ledger.chat_recommendation_evidence.excerpt": 1})
    (piece,) = (await cafe.evidence.sources(advice, space="cafe")).pieces
    assert piece == replace(whole, excerpt=None)
    made = await cafe.evidence.get(advice, space="cafe")
    assert (made.review_backed, made.evidence_count) == (True, 1)
    assert [hit.kind for hit in await cafe.recall("waited an hour", space="cafe", kinds=["ledger"])] == []
    assert (await tried_and_done(ledger, url)).counts == {}
    clock.advance(timedelta(days=58))
    await ledger.set("team", 5, **HERE)  # the session goes on
    assert (await tried_and_done(ledger, url)).counts == {}
    clock.advance(timedelta(days=2))
    done = await tried_and_done(ledger, url)
    assert done.counts == {"ledger.chat_recommendation_evidence": 1, "ledger.chat_recommendations": 1}
    assert (done.sessions, len(rows(url, "core.sessions"))) == (0, 1)


async def test_a_session_that_goes_before_its_evidence_stays_as_its_place_and_loses_every_word(
    cafe: AsyncMemory, ledger: AsyncLedger, clock: FrozenClock, url: str, database: Database
) -> None:
    await fill(cafe, clock)
    await leave_traces(ledger, database)
    await advise(cafe, clock, **HERE)
    await cafe.recall("boat", space="cafe")
    clock.advance(timedelta(days=40))
    days = {"session_days": 30, "evidence_days": 90, "excerpt_days": 60}
    done = await tried_and_done(ledger, url, **days)
    assert (done.sessions, done.emptied, done.excerpts) == (0, 1, 2)
    assert rows(url, "ledger.session_details", "trace_id, meta") == [(None, {})]
    assert numbers(url) == {
        "core.sessions": 1,
        "core.messages": 0,
        "core.recall_entries": 1,  # the preference
        "core.erasures": 1,
        "core.tool_calls": 0,
        "ledger.session_details": 1,
        "ledger.chat_memory_events": 1,
        "ledger.chat_session_memory": 0,
        "ledger.chat_user_preferences": 1,
        "ledger.chat_recommendations": 2,
        "ledger.chat_recommendation_evidence": 2,
        "ledger.chat_competitor_checks": 0,
        "ledger.chat_review_signal_runs": 0,
        "ledger.chat_fallbacks": 0,
    }
    assert (
        rows(url, "ledger.chat_recommendation_evidence", "review_rating, theme, excerpt")
        == [(2, "wait_time", None)] * 2
    )
    assert (await tried_and_done(ledger, url, **days)).counts == {}
    clock.advance(timedelta(days=51))
    done = await tried_and_done(ledger, url, **days)
    assert (done.sessions, done.emptied) == (1, 0)
    assert numbers(url)["core.sessions"] == numbers(url)["ledger.chat_recommendations"] == 0


TRACES = (
    "insert into core.tool_calls (space_id, session_id, turn_index, tool_name, status, latency_ms)"
    " select space_id, id, 1, 'reviews', 'ok', 5 from core.sessions",
    "insert into ledger.chat_competitor_checks (session_id, turn_index, query_text, status)"
    " select uid, 1, 'the cafe next door', 'resolved' from core.sessions",
    "insert into ledger.chat_review_signal_runs"
    " (session_id, turn_index, entity_type, place_id, recency_window_days, status)"
    " select uid, 1, 'competitor', 'p', 90, 'ok' from core.sessions",
    "insert into ledger.chat_fallbacks (session_id, turn_index, fallback_type, reason, response_text)"
    " select uid, 1, 'timeout', 'slow', 'Sorry, Dana.' from core.sessions",
)


async def leave_traces(ledger: AsyncLedger, database: Database) -> None:
    """A row of the one session in each table that has none yet."""
    async with database.write("cafe") as tx:
        for statement in TRACES:
            await tx.conn.execute(statement.encode())
    await ledger.open_session(space="cafe", session="s-1", trace_id="trace", meta={"note": "of Dana"})


async def test_an_emptied_session_is_still_forgotten_with_its_person(
    cafe: AsyncMemory, ledger: AsyncLedger, clock: FrozenClock, url: str
) -> None:
    await fill(cafe, clock)
    clock.advance(timedelta(days=40))
    await ledger.retention(space="cafe", confirm=True, session_days=30)
    await cafe.forget(confirm=True, **DANA)
    assert {table: n for table, n in numbers(url).items() if n} == {"core.erasures": 3}  # and a note


async def test_nothing_of_another_space_goes(
    cafe: AsyncMemory, ledger: AsyncLedger, clock: FrozenClock, url: str
) -> None:
    for space in ("cafe", "bar"):
        await cafe.observe([{"content": "Hello."}], space=space, session="s-1")
        await ledger.set("boat", "green", space=space, user="dana")
        await advise(cafe, clock, space=space, session="s-1")
    clock.advance(timedelta(days=100))
    done = await tried_and_done(ledger, url)
    assert (done.sessions, done.expired) == (1, 1)
    assert [s.name for s in await cafe.sessions(space="bar")] == ["s-1"]
    assert (
        len(rows(url, "ledger.chat_user_preferences")) == len(rows(url, "ledger.chat_recommendations")) == 1
    )
    assert (await ledger.retention(space="nowhere", confirm=True)).counts == {}


async def test_days_are_settings_and_nought_keeps_for_ever(
    cafe: AsyncMemory, clock: FrozenClock, url: str, settings: Settings
) -> None:
    days = dict.fromkeys(("session_days", "excerpt_days", "evidence_days"), 0)
    kept = replace(settings, tuned=days)
    async with Database.open(url, kept, packages=PACKAGES) as database:
        ledger = AsyncLedger(database, clock=clock, settings=kept)
        await fill(cafe, clock)
        clock.advance(timedelta(days=4000))
        done = await tried_and_done(ledger, url)
        assert done.counts == {"ledger.chat_user_preferences": 1}
        assert (done.limits.sessions, done.limits.excerpts, done.limits.evidence) == (None, None, None)
        days = {"session_days": 3999, "evidence_days": 0}
        assert (await tried_and_done(ledger, url, **days)).emptied == 1
        assert (await tried_and_done(ledger, url, session_days=3999, evidence_days=3999)).sessions == 1


async def test_days_out_of_range_are_refused(ledger: AsyncLedger) -> None:
    for value in [-1, 36_501, 1.5, True, "90"]:
        for field in ["session_days", "excerpt_days", "evidence_days"]:
            with case(value, field):
                with pytest.raises(BadInput) as caught:
                    await ledger.retention(space="cafe", confirm=True, **{field: value})
                assert caught.value.field == field


async def test_more_sessions_than_go_at_once_all_go(
    cafe: AsyncMemory, ledger: AsyncLedger, clock: FrozenClock, url: str
) -> None:
    said = [{"content": f"boat {n}", "session": f"old {n}"} for n in range(120)]
    await cafe.import_messages(said, space="cafe")
    clock.advance(timedelta(days=91))
    await cafe.observe([{"content": "I am back."}], **HERE)
    done = await tried_and_done(ledger, url)
    assert (done.sessions, done.counts) == (120, {"jobs": 240, "messages": 120})
    assert [hit.text for hit in await cafe.recall("back boat", space="cafe")] == ["I am back."]
    assert len(rows(url, "core.messages")) == 4


async def test_who_writes_meanwhile_loses_nothing(
    cafe: AsyncMemory, ledger: AsyncLedger, clock: FrozenClock, url: str
) -> None:
    said = [{"content": f"boat {n}", "session": f"old {n}"} for n in range(60)]
    await cafe.import_messages(said, space="cafe")
    clock.advance(timedelta(days=91))

    async def write() -> None:
        for n in range(20):
            await cafe.observe([{"content": f"new {n}"}], space="cafe", session=f"old {n}")
            await ledger.set("team", n, space="cafe", session=f"old {n}")

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(write)
        await ledger.retention(space="cafe", confirm=True)
    texts = {text for (text,) in rows(url, "core.messages", "content")}
    assert {f"new {n}" for n in range(20)} <= texts
    assert len(rows(url, "ledger.chat_session_memory")) == 20
    assert (await ledger.rebuild(space="cafe")).changed == 0
