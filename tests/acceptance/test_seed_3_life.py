"""Acceptance of "Data Schemas" as one life: a conversation is heard, understood, recalled and forgotten.

Only public doors, and the worker that every program has.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import psycopg
import pytest
from psycopg import sql

from quipu import Memory
from quipu.errors import NotFound
from quipu.kernel.base.clock import FrozenClock
from quipu.kernel.config import Settings

SPACE = "a life"
TALK = (
    "Hi, I want to plan a trip to Lisbon in May.",
    "Great, when do you want to go?",
    "On 14 May. I decided to take the night train from Madrid. I live in Madrid.",
    "Noted: the night train from Madrid on 14 May.",
    "I'm so happy! Could you send me a list of hotels?",
    "I'll send you a list of hotels tomorrow.",
    "Thanks, that works. Bye!",
    "Goodbye!",
)
WORDS = ("lisbon", "madrid", "hotel", "zoraida")


@pytest.fixture
def memory(accepting: Settings, address: str, clock: FrozenClock) -> Iterator[Memory]:
    with Memory(settings=accepting, clock=clock) as opened:
        yield opened
        opened.forget(space=SPACE, confirm=True)


def test_a_conversation_is_understood_recalled_and_forgotten(
    memory: Memory, clock: FrozenClock, address: str
) -> None:
    begun = clock.now()
    for place, text in enumerate(TALK):
        role = "user" if place % 2 == 0 else "assistant"
        memory.observe(
            [{"id": f"m{place}", "role": role, "content": text}], space=SPACE, session="trip", user="zoraida"
        )
        clock.advance(timedelta(minutes=1))
    clock.advance(timedelta(hours=5))
    work = memory.work()
    assert (work.failed, work.dead) == (0, 0)

    (conversation,) = memory.conversations.list(space=SPACE)
    assert (conversation.session, conversation.status, conversation.user) == ("trip", "active", "zoraida")
    shown = memory.conversations.get("trip", space=SPACE)
    exchanges = shown.exchanges
    assert len(exchanges) == 4
    assert all(one.chunk is not None for one in exchanges)
    assert {thread.user for thread in memory.conversations.threads(space=SPACE)} == {"zoraida"}
    assert {topic.user for topic in memory.conversations.topics(space=SPACE)} == {"zoraida"}

    (episode,) = memory.episodes.list(space=SPACE)
    assert (episode.session, episode.messages, episode.happened_at) == (
        "trip",
        len(TALK),
        begun + timedelta(minutes=len(TALK) - 1),
    )
    assert 0 < episode.freshness < 1
    loops = memory.loops.list(space=SPACE)
    promise = next(loop for loop in loops if loop.message == "m5")
    assert any("list of hotels tomorrow" in text for text in episode.open_loops)
    assert "home" in {belief.key: belief.value for belief in memory.beliefs.list(space=SPACE)}

    asked = {"question": "the night train to Lisbon", "space": SPACE, "user": "zoraida"}
    (found,) = memory.recall(**asked, kinds=["episodes"])
    folded = [one for hit in memory.recall(**asked) for one in hit.folded]
    assert [one.id for one in folded if one.kind == "episodes"] == [found.id]  # under the message it rests on
    assert {"activation", "freshness"} <= found.parts.keys()
    assert found.source.session == "trip"
    block = memory.recall_block("the night train to Lisbon", budget_tokens=600, space=SPACE, user="zoraida")
    assert "Open:" in block.text

    memory.observe(
        [
            {"role": "assistant", "content": "I sent you the list of hotels."},
            {"role": "user", "content": "Got it, thanks!"},
        ],
        space=SPACE,
        session="trip",
        user="zoraida",
    )
    clock.advance(timedelta(hours=5))
    memory.work()
    assert memory.loops.get(promise.id, space=SPACE).state == "closed"
    told = memory.episodes.get(episode.id, space=SPACE)
    assert not any("list of hotels tomorrow" in text for text in told.open_loops)
    assert told.uses == 1  # by the block
    assert told.freshness > episode.freshness

    memory.forget(space=SPACE, user="zoraida", confirm=True)
    assert left(address) == []
    assert memory.recall("the night train to Lisbon", space=SPACE) == []
    with pytest.raises(NotFound):
        memory.episodes.get(episode.id, space=SPACE)
    after = memory.work()
    assert (after.failed, after.dead) == (0, 0)
    assert left(address) == []


def left(address: str) -> list[tuple[str, str]]:
    """The tables of the space that still hold a word of the conversation, or its person."""
    tables = """
        select n.nspname, c.relname from pg_class c
        join pg_namespace n on n.oid = c.relnamespace
        join pg_attribute a on a.attrelid = c.oid and a.attname = 'space_id'
        where c.relkind in ('r', 'p') order by 1, 2
    """
    with psycopg.connect(address) as conn:
        ((space,),) = conn.execute("select id from core.spaces where name = %s", (SPACE,)).fetchall()
        named = conn.execute(tables).fetchall()
        assert len(named) > 30
        return [
            (name, word)
            for schema, name in named
            for word in WORDS
            if conn.execute(
                sql.SQL("select from {} t where space_id = %s and t::text ilike %s limit 1").format(
                    sql.Identifier(schema, name)
                ),
                (space, f"%{word}%"),
            ).fetchone()
        ]
