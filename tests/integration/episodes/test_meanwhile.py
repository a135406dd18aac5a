"""What is said while a conversation is being read or condensed is neither lost nor in two episodes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import pytest
from talk import BUILD, told

from quipu import AsyncMemory
from quipu.kernel.base.clock import FrozenClock
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.kinds.episodes.chunking.model import Chunked, Talk
from quipu.kinds.episodes.chunking.rules import RulesChunker
from quipu.kinds.episodes.condensing.condensing import Condensing
from quipu.kinds.episodes.conversing import reading
from quipu.recall.generations import Models

pytestmark = pytest.mark.anyio
SPACE = "home"
LATE = {"id": "late", "role": "assistant", "content": "One more thing: pin the compiler in build.toml."}


async def begun(memory: AsyncMemory) -> None:
    await memory.import_messages(told(BUILD, session="s"), space=SPACE)
    await memory.work(topics=["memory_chunker"])


async def messages(memory: AsyncMemory) -> list[list[str]]:
    """The messages of each episode, by episode in the order of time."""
    found = sorted(await memory.episodes.listing(space=SPACE), key=lambda one: one.started_at)
    return [[one.id for one in await memory.episodes.messages(each.id, space=SPACE)] for each in found]


async def test_an_exchange_that_grew_while_it_was_condensed_is_condensed_once_more(
    memory: AsyncMemory, settings: Settings, database: Database, clock: FrozenClock
) -> None:
    await begun(memory)
    async with Models.open(database, settings) as models:
        condensing = Condensing(database, models, clock=clock, language=None, secrets=True)
        ready = await condensing.ready(SPACE, "s", finished=True)
        assert ready is not None
        await memory.observe([LATE | {"time": clock.now() - timedelta(hours=22)}], space=SPACE, session="s")
        await memory.work(topics=["memory_chunker"])
        async with database.writing(SPACE) as within:
            assert await condensing.write(within, ready) == []
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
    monkeypatch.setattr(reading, "chunker_of", lambda context: Slow())
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
    shown = await memory.conversations.show("s", space=SPACE)
    assert thread.started_at == early == min(one.started_at for one in shown.exchanges)
