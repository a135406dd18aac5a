"""What was forgotten is nowhere: every column of every table is searched for every word of it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from everywhere import columns, found
from psycopg import RawCursor

from quipu import AsyncMemory
from quipu.kernel.base.clock import FrozenClock
from quipu.kinds.ledger.evidence.model import EvidenceReference
from quipu.kinds.ledger.signals.model import Review

pytestmark = pytest.mark.anyio

SPACE = "zoo"
# Each word is said in one place only. What Quentin leaves in his session, what he leaves beside it, what is
# Roswitha's and stays.
IN_SESSION = {
    "aardvark": "a message",
    "bonobo": "an answer",
    "capybara": "a fact of the session",
    "dugong": "the fact that replaced it",
    "echidna": "an assumption",
    "flamingo": "a reason",
    "gibbon": "an actor",
    "hoopoe": "a correlation id",
    "ibex": "a recommendation",
    "jackal": "an explanation",
    "kookaburra": "an excerpt",
    "lemur": "evidence's own notes",
    "marmot": "a look-up",
    "narwhal": "the result of one",
    "ocelot": "the arguments of a tool",
    "pangolin": "the result of a tool",
    "quokka": "why sources failed",
    "raccoon": "what was answered then",
    "serval": "notes on the session",
    "tapir": "a trace id",
    "urial": "a key",
    "vicuna": "the name of the session",
    "wombat": "a place",
    "quince": "a time window",
}
OF_PERSON = {"xerus": "a preference", "yak": "a fact across sessions", "zebu": "a fact that was deleted"}
OF_OTHERS = {"badger": "a message", "cormorant": "a fact", "dormouse": "a preference", "egret": "an excerpt"}


@pytest.fixture
async def memory(settings: Any, database: Any, clock: FrozenClock) -> AsyncIterator[AsyncMemory]:
    async with AsyncMemory(settings=settings, clock=clock) as opened:
        await leave_everywhere(opened, clock)
        yield opened


def reference(clock: FrozenClock, **given: Any) -> EvidenceReference:
    at = clock.now() - timedelta(days=1)
    return replace(EvidenceReference(theme="wait_time", place_id="p1", published_at=at, rating=2.0), **given)


async def leave_everywhere(memory: AsyncMemory, clock: FrozenClock) -> None:
    """Words in every table that a session and a person write to."""
    ledger, trace = memory.ledger, memory.trace
    here: dict[str, Any] = {"space": SPACE, "session": "vicuna"}
    said = [
        {"id": "m1", "role": "user", "content": "My aardvark.", "speaker": "Quentin"},
        {"id": "m2", "role": "assistant", "content": "Which bonobo?"},
    ]
    await memory.observe(said, user="Quentin", **here)
    await ledger.open_session(user="Quentin", trace_id="tapir", meta={"note": ["serval"]}, **here)
    await ledger.set("pet", "capybara", reason="flamingo", actor="gibbon", correlation_id="hoopoe", **here)
    await ledger.correct("pet", {"names": ["dugong"]}, **here)
    await ledger.assume("urial", {"is": "echidna"}, **here)
    await ledger.set("food", "xerus", space=SPACE, user="Quentin")
    await ledger.set("drink", "yak", scope="cross_session", **here)
    await ledger.set("coat", "zebu", space=SPACE, user="Quentin")
    await ledger.delete("coat", space=SPACE, user="Quentin")
    made = await memory.evidence.recommend(
        "Feed the ibex.",
        location="wombat",
        time_window="quince",
        confidence="high",
        source="reviews",
        evidence=[reference(clock, excerpt="The kookaburra waited.", meta={"note": "lemur"})],
        explanation={"why": ["jackal"]},
        message="m2",
        **here,
    )
    assert made.evidence_count == 1
    await trace.competitor_check("marmot", status="resolved", place="p2", name="narwhal", **here)
    await trace.tool_call(
        "look",
        source="reviews",
        latency_ms=3,
        args={"q": "ocelot"},
        result=["pangolin"],
        message="m2",
        **here,
    )
    await trace.fallback("timeout", reason="quokka", response="raccoon", sources_down=["weather"], **here)
    review = Review(text="We waited an hour.", rating=1.0, published_at=clock.now(), place_id="p1")
    await trace.read_reviews([review], place="p1", **here)
    there: dict[str, Any] = {"space": SPACE, "session": "burrow"}
    await memory.observe([{"id": "o1", "content": "My badger."}], user="Roswitha", **there)
    await ledger.set("pet", "cormorant", user="Roswitha", actor="Quentin", **there)
    await ledger.set("food", "dormouse", space=SPACE, user="Roswitha")
    await memory.evidence.recommend(
        "Rest.",
        location="burrow",
        time_window="night",
        confidence="low",
        source="reviews",
        evidence=[reference(clock, excerpt="An egret waited.")],
        **there,
    )
    assert await memory.recall("capybara dugong kookaburra xerus", space=SPACE, limit=50)  # files what stands


def numbers(url: str, session: str) -> list[str]:
    """How other tables refer to a session."""
    with psycopg.connect(url) as conn:
        rows = conn.execute("select uid::text from core.sessions where name = %s", [session]).fetchall()
    return [uid for (uid,) in rows]


WHOLE = [*IN_SESSION, *OF_PERSON, "quentin"]


def test_every_column_that_can_hold_a_text_is_searched(url: str) -> None:
    searched = {f"{schema}.{table}.{column}" for schema, table, column, _ in columns(url)}
    assert len(searched) > 100
    assert {
        "core.messages.content",
        "core.recall_entries.content",
        "core.recall_entries.terms",
        "core.tool_calls.args_json",
        "ledger.chat_memory_events.new_value_json",
        "ledger.chat_fallbacks.sources_down",
        "ledger.chat_recommendation_evidence.excerpt",
        "ledger.session_details.session_id",
    } <= searched


async def test_before_anything_is_forgotten_every_word_is_found(memory: AsyncMemory, url: str) -> None:
    traces = found(url, [*WHOLE, *OF_OTHERS, *numbers(url, "vicuna")])
    assert {needle for _, needle in traces} == {*WHOLE, *OF_OTHERS, *numbers(url, "vicuna")}
    tables = {place.rsplit(".", 1)[0] for place, _ in traces if place.startswith("ledger.")}
    with psycopg.connect(url) as conn:
        every = conn.execute(
            "select 'ledger.' || relname from pg_class"
            " where relnamespace = 'ledger'::regnamespace and relkind = 'r'"
        ).fetchall()
    # They are about no session or person.
    of_nobody = {"ledger.source_runs", "ledger.filing_marks", "ledger.shapes"}
    assert {name for (name,) in every} - tables == of_nobody


async def test_of_a_person_who_was_forgotten_nothing_is_left_anywhere(memory: AsyncMemory, url: str) -> None:
    needles = [*WHOLE, *numbers(url, "vicuna")]
    await memory.forget(space=SPACE, user="Quentin", confirm=True)
    assert found(url, needles) == set()
    assert {needle for _, needle in found(url, OF_OTHERS)} == set(OF_OTHERS)


async def test_of_a_session_that_was_forgotten_only_what_is_of_the_person_is_left(
    memory: AsyncMemory, url: str
) -> None:
    needles = [*IN_SESSION, *numbers(url, "vicuna")]
    await memory.forget(space=SPACE, session="vicuna", confirm=True)
    assert found(url, needles) == set()
    assert {needle for _, needle in found(url, {**OF_PERSON, **OF_OTHERS})} == {*OF_PERSON, *OF_OTHERS}


async def test_of_a_session_whose_time_was_over_only_what_is_of_the_person_is_left(
    memory: AsyncMemory, url: str, clock: FrozenClock
) -> None:
    needles = [*IN_SESSION, *numbers(url, "vicuna")]
    clock.advance(timedelta(days=91))
    await memory.observe([{"content": "Still here."}], space=SPACE, session="burrow")
    await memory.ledger.retention(space=SPACE, confirm=True)
    assert found(url, needles) == set()
    assert {needle for _, needle in found(url, OF_PERSON)} == set(OF_PERSON)


async def test_of_a_session_that_was_emptied_for_its_evidence_no_word_is_left_but_of_the_evidence(
    memory: AsyncMemory, url: str, clock: FrozenClock
) -> None:
    clock.advance(timedelta(days=10))
    await memory.ledger.retention(space=SPACE, confirm=True, session_days=5)
    kept = {"vicuna", "ibex", "jackal", "lemur", "wombat", "quince"}
    assert {needle for _, needle in found(url, IN_SESSION)} == kept


SESSION = "delete from chat_sessions where id = $1;"
IDENTITY = """delete from chat_user_preferences where distinct_id = $1;
delete from chat_memory_events where distinct_id = $1;"""


def run_verbatim(url: str, statements: str, parameter: str, *, role: str) -> None:
    """SQL of the original, word for word, in the space."""
    with psycopg.connect(url, cursor_factory=RawCursor) as conn:
        conn.execute(f"set local role {role}".encode())
        conn.execute("set local search_path = ledger")
        conn.execute("select core.enter($1)", [SPACE])
        for statement in statements.split("\n"):
            conn.execute(statement.encode(), [parameter])


async def test_a_session_that_is_deleted_in_sql_is_as_gone_as_one_that_was_forgotten(
    memory: AsyncMemory, url: str
) -> None:
    (uid,) = numbers(url, "vicuna")
    run_verbatim(url, SESSION, uid, role="quipu_app")
    assert found(url, [*IN_SESSION, uid]) == set()
    assert {needle for _, needle in found(url, {**OF_PERSON, **OF_OTHERS})} == {*OF_PERSON, *OF_OTHERS}
    assert [hit.text for hit in await memory.recall("xerus", space=SPACE)] == ["food: xerus"]
    assert (await memory.ledger.rebuild(space=SPACE)).changed == 0


async def test_an_identity_that_is_deleted_in_sql_leaves_no_fact(memory: AsyncMemory, url: str) -> None:
    """What was said stays until the sessions are deleted as well; the two statements do not name them."""
    run_verbatim(url, IDENTITY, "Quentin", role="quipu_eraser")
    facts = ["capybara", "dugong", "echidna", "flamingo", "gibbon", "hoopoe", "urial", *OF_PERSON]
    assert found(url, facts) == set()
    assert (await memory.ledger.rebuild(space=SPACE)).changed == 0
    with_sessions = "delete from chat_sessions where distinct_id = $1;"
    run_verbatim(url, with_sessions, "Quentin", role="quipu_app")
    left = found(url, WHOLE)
    assert left == {("ledger.chat_memory_events.actor", "quentin")}  # what he wrote of others


async def test_facts_of_a_session_that_was_a_persons_from_its_messages_alone_go_with_the_person(
    memory: AsyncMemory, url: str
) -> None:
    """Nobody told the ledger whose session it is; its messages do."""
    await memory.observe([{"content": "Hello."}], space=SPACE, session="hollow", user="Sybil")
    await memory.ledger.set("pet", "fennec", space=SPACE, session="hollow")
    await memory.observe([{"content": "Hello."}], space=SPACE, session="shared", user="Sybil")
    await memory.observe([{"content": "Hello."}], space=SPACE, session="shared", user="Roswitha")
    await memory.ledger.set("pet", "heron", space=SPACE, session="shared")
    preview = await memory.forget(space=SPACE, user="Sybil")
    done = await memory.forget(space=SPACE, user="Sybil", confirm=True)
    assert done.counts == preview.counts
    assert done.counts["ledger.chat_memory_events"] == 1
    assert found(url, ["fennec", "hollow", "sybil"]) == set()
    assert found(url, ["heron"]) != set()
