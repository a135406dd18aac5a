"""Many write the same memory at once: there is one, each statement of it counts, no change is lost."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

import anyio
import pytest

from quipu import AsyncMemory
from quipu.errors import Conflict
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.kinds.longterm.longterm import AsyncLongterm
from quipu.upkeep.consistency import examine

pytestmark = pytest.mark.anyio

WRITERS, TIMES = 6, 3


@pytest.fixture
async def writers(settings: Settings, database: Database) -> AsyncIterator[Sequence[AsyncLongterm]]:
    """Two memories over one database, each with connections of its own: what two processes would hold."""
    async with AsyncMemory(settings=settings) as one, AsyncMemory(settings=settings) as other:
        yield [one.longterm, other.longterm]
    assert await examine(database) == []


async def test_concurrent_identical_stores_give_one_row(writers: Sequence[AsyncLongterm]) -> None:
    ids: list[str] = []

    async def write(number: int) -> None:
        for n in range(TIMES):
            summary = ("Lives in Lisbon", " lives in LISBON ")[(number + n) % 2]
            made = await writers[number % 2].add(
                summary, space="s", user="ana", importance=("low", "high")[number == 3]
            )
            ids.append(made.id)

    async with anyio.create_task_group() as group:
        for number in range(WRITERS):
            group.start_soon(write, number)
    (one,) = await writers[0].list(space="s", state="all")
    assert set(ids) == {one.id}
    assert (one.stated_count, one.importance) == (WRITERS * TIMES, "high")
    assert len(await writers[1].search("Lisbon", space="s")) == 1


async def test_of_concurrent_edits_of_one_version_exactly_one_is_made(
    writers: Sequence[AsyncLongterm],
) -> None:
    made = await writers[0].add("Likes tea", space="s")
    refused: list[str] = []

    async def edit(number: int) -> None:
        try:
            await writers[number % 2].edit(made.id, space="s", summary=f"Likes {number}", expected_version=1)
        except Conflict as error:
            refused.append(str(error))

    async with anyio.create_task_group() as group:
        for number in range(WRITERS):
            group.start_soon(edit, number)
    one = await writers[1].get(made.id, space="s")
    assert one.version == 2
    assert len(refused) == WRITERS - 1
    assert len(await writers[0].history(made.id, space="s")) == 1
