"""What is said while a conversation is being read or condensed is neither lost nor in two episodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from anyio import create_task_group, fail_after, sleep
from patience import PATIENCE_SECONDS
from talk import BUILD, told

from quipu import AsyncMemory
from quipu.kernel.base.clock import FrozenClock
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kinds.episodes.building.service import EpisodeWriter
from quipu.kinds.episodes.chunking.chunkers import RulesChunker
from quipu.kinds.episodes.chunking.model import Chunked, Talk
from quipu.kinds.episodes.conversations import reader
from quipu.kinds.episodes.conversations.exchanges import channel_of
from quipu.kinds.episodes.conversations.store import begin_topic, hold_threads, topic_names
from quipu.recall.generations import Models
from quipu.record.store import lock_sessions

pytestmark = pytest.mark.anyio
SPACE = "home"
LATE = {"id": "late", "role": "assistant", "content": "One more thing: pin the compiler in build.toml."}


async def begun(memory: AsyncMemory) -> None:
    await memory.import_messages(told(BUILD, session="s"), space=SPACE)
    await memory.work(topics=["memory_chunker"])


async def messages(memory: AsyncMemory) -> list[list[str]]:
    """The messages of each episode, by episode in the order of time."""
    found = sorted(await memory.episodes.list(space=SPACE), key=lambda one: one.started_at)
    return [[one.id for one in await memory.episodes.messages(each.id, space=SPACE)] for each in found]


async def test_an_exchange_that_grew_while_it_was_condensed_is_condensed_once_more(
    memory: AsyncMemory, settings: Settings, database: Database, clock: FrozenClock
) -> None:
    await begun(memory)
    async with Models.open(database, settings) as models:
        writer = EpisodeWriter(database, models, clock=clock, language=None, secrets=True)
        ready = await writer.ready(SPACE, "s", finished=True)
        assert ready is not None
        await memory.observe([LATE | {"time": clock.now() - timedelta(hours=22)}], space=SPACE, session="s")
        await memory.work(topics=["memory_chunker"])
        async with database.write(SPACE) as tx:
            assert await writer.write(tx, ready) == []
    await memory.work()
    assert await messages(memory) == [[*(f"s-{place}" for place in range(len(BUILD))), "late"]]


async def test_an_exchange_that_was_condensed_while_more_of_it_was_read_does_not_grow(
    memory: AsyncMemory, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Slow(RulesChunker):
        """Reads while somebody else condenses, the first time."""

        condensed = False

        async def read(self, talks: Sequence[Talk]) -> list[Chunked]:
            if not Slow.condensed:
                Slow.condensed = True
                assert len((await memory.episodes.condense(space=SPACE)).episodes) == 1
            return await super().read(talks)

    await begun(memory)
    await memory.observe([LATE | {"time": clock.now() - timedelta(hours=22)}], space=SPACE, session="s")
    monkeypatch.setattr(reader, "chunker_of", lambda context: Slow())
    assert (await memory.work(topics=["memory_chunker"])).failed == 0
    assert Slow.condensed
    await memory.work()
    assert await messages(memory) == [[f"s-{place}" for place in range(len(BUILD))], ["late"]]


async def test_what_is_said_to_have_been_earlier_belongs_to_the_exchange_that_it_came_after(
    memory: AsyncMemory, clock: FrozenClock
) -> None:
    await begun(memory)
    early = clock.now() - timedelta(days=1, minutes=3)
    await memory.observe([LATE | {"time": early}], space=SPACE, session="s")
    await memory.work(topics=["memory_chunker"])
    await memory.work()
    assert await messages(memory) == [[*(f"s-{place}" for place in range(len(BUILD))), "late"]]
    (thread,) = await memory.conversations.threads(space=SPACE)
    shown = await memory.conversations.get("s", space=SPACE)
    assert thread.started_at == early == min(one.started_at for one in shown.exchanges)


async def condensed(memory: AsyncMemory, database: Database, settings: Settings, clock: FrozenClock) -> int:
    """Condense all of the session beside what is open; how many episodes. It waits for nothing."""
    async with Models.open(database, settings) as models:
        writer = EpisodeWriter(database, models, clock=clock, language=None, secrets=True)
        ready = await writer.ready(SPACE, "s", finished=True)
        assert ready is not None
        async with database.write(SPACE) as tx:
            await tx.conn.execute("set local lock_timeout = '1s'")
            return len(await writer.write(tx, ready))


async def test_an_episode_is_written_beside_what_is_said_in_its_session(
    memory: AsyncMemory, settings: Settings, database: Database, clock: FrozenClock
) -> None:
    """Who says something holds the session, then the space; who condenses refers to it, holding the space."""
    await begun(memory)
    async with database.write(SPACE) as tx:
        numbers = await lock_sessions(tx, ["s"])
        await tx.conn.execute("update core.sessions set messages = messages where id = %s", [numbers["s"]])
        assert await condensed(memory, database, settings, clock) == 1


async def test_an_episode_is_written_beside_what_is_read_into_its_thread(
    memory: AsyncMemory, settings: Settings, database: Database, clock: FrozenClock
) -> None:
    """Who reads holds threads, then exchanges; who condenses refers to threads, holding exchanges."""
    await begun(memory)
    (thread,) = await memory.conversations.threads(space=SPACE)
    async with database.write(SPACE) as tx:
        held = await hold_threads(tx, channel_of("s"), thread.started_at, thread.last_at)
        assert len(held) == 1
        assert await condensed(memory, database, settings, clock) == 1


async def test_who_condenses_several_episodes_waits_for_an_exchange_with_none_that_comes_after_it(
    memory: AsyncMemory, settings: Settings, database: Database, clock: FrozenClock
) -> None:
    """Two who hold several hold them in one order: that of their ids, whichever was said first."""
    for day in range(3):
        at = clock.now() - timedelta(days=9 - day)
        talk = [
            {"role": role, "content": f"Paint boat {day}.", "time": at + timedelta(seconds=place)}
            for place, role in enumerate(("user", "assistant"))
        ]
        await memory.observe(talk, space=SPACE, session="s")
    await memory.work(topics=["memory_chunker"])
    async with Models.open(database, settings) as models, create_task_group() as tasks:
        writer = EpisodeWriter(database, models, clock=clock, language=None, secrets=True)
        ready = await writer.ready(SPACE, "s", finished=True)
        assert ready is not None
        ready = replace(ready, new=ready.new[::-1], vectors=ready.vectors[::-1])
        ids = sorted(one.id for draft in ready.new for one in draft.exchanges)
        assert len(ready.new) == len(ids) == 3

        async def write() -> None:
            async with database.write(SPACE) as tx:
                assert len(await writer.write(tx, ready)) == 3

        async with database.write(SPACE) as first:
            await first.conn.execute("select from episodes.exchanges where id = %s for update", [ids[0]])
            tasks.start_soon(write)
            with fail_after(PATIENCE_SECONDS):
                while not await waiting(first):  # noqa: ASYNC110 - PostgreSQL sends no event
                    await sleep(0.02)
            async with database.write(SPACE) as second:
                free = await second.conn.execute("select id from episodes.exchanges for update skip locked")
                held_by_none = {row[0] for row in await free.fetchall()}
    assert held_by_none == {*ids[1:]}


async def test_whoever_begins_a_topic_of_a_person_waits_for_another_who_does(
    memory: AsyncMemory, database: Database, clock: FrozenClock
) -> None:
    """Two sessions with the same words would give their topics the same name."""
    await memory.import_messages(told(BUILD, session="s"), space="elsewhere")
    await memory.work()
    await memory.import_messages(told(BUILD, session="s"), space=SPACE)
    (topic,) = await memory.conversations.topics(space="elsewhere")
    async with create_task_group() as tasks:

        async def work() -> None:
            worked = await memory.work(topics=["memory_chunker"])
            assert worked.done > 0
            assert worked.failed == 0

        async with database.write(SPACE) as first:
            assert await topic_names(first, {"ana"}) == {"ana": set()}
            await begin_topic(first, user="ana", name=topic.name, last_at=clock.now())
            tasks.start_soon(work)
            with fail_after(PATIENCE_SECONDS):
                while not await waiting(first):  # noqa: ASYNC110 - PostgreSQL sends no event
                    await sleep(0.02)
    assert topic.name in {one.name for one in await memory.conversations.topics(space=SPACE)}
    assert (await memory.conversations.get("s", space=SPACE)).exchanges


async def waiting(tx: SpaceTransaction) -> bool:
    """Whether somebody waits for what the transaction holds."""
    # pg_stat_activity shows a transaction, each time, who was there when it first looked.
    found = await tx.conn.execute(
        "select from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))"
    )
    return await found.fetchone() is not None
