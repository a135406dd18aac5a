"""Long lists are read page by page: behind a row, whatever is written between two pages."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from quipu import AsyncMemory
from quipu.errors import BadInput
from quipu.kernel.db.database import Database
from quipu.kinds.episodes.decay.model import ORDERS

pytestmark = pytest.mark.anyio

SPACE = "lists"
ROWS = 7
NOW = datetime.now(UTC)

EPISODE = """
insert into episodes.episodes (id, intent, context, action, emotion, outcome, gist, salience, freshness,
    topic, exchange_id, salience_factors, open_loops, created_at)
values (gen_random_uuid(), '{"type": "planning", "direction": "narrowing"}', '{"situational": "at home"}',
    'Compared two boats.', '{"type": "joy", "valence": "positive", "intensity": "low", "arc": "steady"}',
    'The blue boat was chosen.', %(gist)s, %(salience)s, %(salience)s, 'boats', null,
    '{"novelty": 2, "emotional": 2, "commitment": 1, "unresolved": false}', '[]', %(at)s)
"""

LOOP = """
with said as (
    select space_id, session_id, id from core.messages
    where space_id = core.current_space() and external_id = 'm'
), loop as (
    insert into episodes.loops (space_id, kind, content, by_whom, session_id, message_id, said_at)
    select space_id, 'promise', %(text)s, 'Ana', session_id, id, %(at)s from said
    returning space_id, id, message_id
)
insert into episodes.loop_messages (space_id, loop_id, message_id) select space_id, id, message_id from loop
"""

Write = Callable[[AsyncMemory, Database, int], Awaitable[object]]
List = Callable[..., Awaitable[Sequence[Any]]]


async def _longterm(memory: AsyncMemory, _: Database, number: int) -> None:
    importance = ("low", "medium", "high")[number % 3]
    await memory.longterm.add(f"Ana has {number} boats.", space=SPACE, importance=importance)


async def _lesson(memory: AsyncMemory, _: Database, number: int) -> None:
    confidence = 0.5 + number % 3 / 10
    await memory.lessons.add(f"Port {number} is taken.", space=SPACE, confidence=confidence)


async def _episode(_: AsyncMemory, database: Database, number: int) -> None:
    values = {"gist": f"Boat {number}.", "salience": 0.5, "at": NOW - timedelta(hours=number % 3)}
    async with database.write(SPACE) as tx:
        await tx.conn.execute(EPISODE, values)


async def _loop(memory: AsyncMemory, database: Database, number: int) -> None:
    await memory.observe([{"id": "m", "content": "Hello."}], space=SPACE, session="s")
    values = {"text": f"I will row to {number}.", "at": NOW - timedelta(days=number % 3)}
    async with database.write(SPACE) as tx:
        await tx.conn.execute(LOOP, values)


LISTS: dict[str, tuple[Write, Callable[[AsyncMemory], List], dict[str, str]]] = {
    "longterm": (_longterm, lambda m: m.longterm.list, {}),
    "lessons": (_lesson, lambda m: m.lessons.list, {}),
    "episodes by time": (_episode, lambda m: m.episodes.list, {}),
    "episodes by salience": (_episode, lambda m: m.episodes.list, {"order": "salience"}),
    "episodes by freshness": (_episode, lambda m: m.episodes.list, {"order": "freshness"}),
    "episodes by activation": (_episode, lambda m: m.episodes.list, {"order": "activation"}),
    "loops": (_loop, lambda m: m.loops.list, {}),
}


async def test_a_page_goes_on_behind_a_row_that_is_not_of_the_list_any_more(
    memory: AsyncMemory, database: Database
) -> None:
    for number in range(4):
        await _lesson(memory, database, number)
        await _episode(memory, database, number)
    lessons = [one.id for one in await memory.lessons.list(space=SPACE)]
    await memory.lessons.archive(lessons[1], space=SPACE)
    left = await memory.lessons.list(space=SPACE, after=lessons[1])
    assert [one.id for one in left] == lessons[2:]
    for order in ORDERS:
        episodes = [one.id for one in await memory.episodes.list(space=SPACE, order=order)]
        await memory.episodes.archive(episodes[1], space=SPACE)
        left = await memory.episodes.list(space=SPACE, order=order, after=episodes[1])
        assert [one.id for one in left] == episodes[2:]
        await memory.episodes.unarchive(episodes[1], space=SPACE)


@pytest.mark.parametrize("name", LISTS)
async def test_pages_lose_and_repeat_nothing_while_rows_come_in(
    memory: AsyncMemory, database: Database, name: str
) -> None:
    write, lists, asked = LISTS[name]
    for number in range(ROWS):
        await write(memory, database, number)
    listing = lists(memory)
    before = [str(one.id) for one in await listing(space=SPACE, **asked)]
    seen: list[str] = []
    while page := await listing(space=SPACE, limit=2, after=seen[-1] if seen else None, **asked):
        seen += [str(one.id) for one in page]
        if len(seen) < ROWS:
            await write(memory, database, ROWS + len(seen))
    assert len(set(seen)) == len(seen)
    assert [one for one in seen if one in before] == before
    for gone in ("00000000-0000-0000-0000-000000000000", "no id"):
        with pytest.raises(BadInput, match="Begin at the first page"):
            await listing(space=SPACE, after=gone, **asked)


async def test_lessons_are_as_sure_in_the_list_as_the_server_that_chose_them_says(
    memory: AsyncMemory, database: Database
) -> None:
    """The server works out in SQL what decay.py does: here many lives, told apart by both."""
    for number in range(1, 6):
        await memory.observe([{"content": "Hello."}], space=SPACE, session=f"session {number}")
    async with database.write(SPACE) as tx:
        await tx.conn.execute(LIVES, {"now": NOW})
    everything = await memory.lessons.list(space=SPACE, state="all", limit=1_000)
    assert len(everything) == 2 * 2 * 3 * 2 * 3 * 2
    assert [one.confidence for one in everything] == sorted(
        (one.confidence for one in everything), reverse=True
    )
    for state in ("live", "faded", "archived"):
        found = await memory.lessons.list(space=SPACE, state=state, limit=1_000)
        assert [one.id for one in found] == [one.id for one in everything if one.state == state]
        assert found, state


LIVES = """
with lives as (
    insert into transcripts.memories (fact, confidence, status, happened_at, uses, used_at, edited_at)
    select format('%%s %%s %%s %%s %%s %%s', judged, status, days, uses, edited, sessions), judged, status,
        %(now)s::timestamptz - days * interval '1 day', uses,
        case when uses > 0 then %(now)s::timestamptz - days * interval '12 hours' end,
        case when edited then %(now)s::timestamptz - days * interval '18 hours' end
    from unnest(array[0.3, 0.9]) judged, unnest(array['active', 'archived']) status,
        unnest(array[0, 30, 400]) days, unnest(array[0, 9]) uses, unnest(array[1, 2, 5]) sessions,
        unnest(array[false, true]) edited
    returning id, split_part(fact, ' ', 6)::integer as sessions
), told as (
    insert into transcripts.memory_sources (memory_id, session_id, turn_index)
    select id, 'session ' || n, 0 from lives, generate_series(1, sessions) n
)
insert into transcripts.memory_contradictions (memory_id, contradicted_by)
select a.id, b.id from (select id, row_number() over (order by id) as n from lives) a
join (select id, row_number() over (order by id) as n from lives) b on b.n = a.n + 1
where a.n %% 2 = 0
"""
