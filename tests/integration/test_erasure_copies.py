"""A copy that is being made while somebody is forgotten is made again, or not handed out."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import one_person
import psycopg
import pytest
from ccrecall import ccrecall
from gates import Gate, counts
from one_person import NAME, PERSON, SPACE, STRINGS
from patience import PATIENCE_SECONDS

from quipu import AsyncMemory
from quipu.errors import Conflict, NotFound
from quipu.kernel.base.clock import SystemClock
from quipu.kinds.tables.logins import Logins
from quipu.kinds.tables.snapshot_source import SnapshotSource
from quipu.upkeep.snapshots.model import Target
from quipu.upkeep.snapshots.snapshots import AsyncSnapshots

pytestmark = pytest.mark.anyio
TOWN = "nakskovia"  # of her row in an agent's table


class HeldGround(SnapshotSource):
    """Waits when a dump is written and not yet on the shelf."""

    gate: Gate

    async def grants(self, target: Target) -> Mapping[str, str]:
        await self.gate.wait()
        return await super().grants(target)


@asynccontextmanager
async def held_snapshots(memory: AsyncMemory, gate: Gate) -> AsyncGenerator[AsyncSnapshots]:
    parts = memory._ready
    logins = Logins(parts.database, statement_seconds=PATIENCE_SECONDS)
    ground = HeldGround(parts.database, parts.models, logins)
    ground.gate = gate
    try:
        yield AsyncSnapshots(parts.database, ground, settings=memory._settings, clock=SystemClock())
    finally:
        await logins.aclose()


@pytest.fixture
async def told(memory: AsyncMemory, tmp_path: Path) -> AsyncMemory:
    await one_person.fill(memory, tmp_path / "agent")
    return memory


def on_disk(memory: AsyncMemory, words: str) -> list[Path]:
    """The files of snapshots of the database in which words stand."""
    root = memory.snapshots._shelf.root
    files = [path for path in root.rglob("*") if path.is_file()]
    return [path for path in files if words.encode() in path.read_bytes()]


async def test_a_snapshot_that_is_being_taken_is_taken_again(told: AsyncMemory) -> None:
    gate = Gate()
    async with held_snapshots(told, gate) as snapshots:

        async def forget() -> None:
            assert on_disk(told, TOWN)
            done = await told.forget(space=SPACE, user=PERSON, everywhere=True, confirm=True)
            assert done.remains is not None
            assert done.remains["snapshots"] == []

        taken = await gate.meanwhile(lambda: snapshots.create(space=SPACE), forget)
    assert [one.name for one in await told.snapshots.list(space=SPACE)] == [taken.name]
    assert on_disk(told, TOWN) == on_disk(told, NAME) == []
    assert taken.sums["visitors"].rows == 1


async def test_a_snapshot_of_a_space_that_is_forgotten_is_not_kept(told: AsyncMemory) -> None:
    """One is being taken, and another was finished after the erasure had looked which there are."""
    gate = Gate()
    async with held_snapshots(told, gate) as snapshots:
        with pytest.raises(ExceptionGroup) as refused:
            await gate.meanwhile(
                lambda: snapshots.create(space=SPACE), lambda: told.forget(space=SPACE, confirm=True)
            )
    assert refused.group_contains(NotFound)
    assert on_disk(told, TOWN) == []


def files_of(place: Path) -> dict[str, bytes]:
    """The files of a directory, hidden ones too, by name."""
    return {one.name: one.read_bytes() for one in place.iterdir() if one.is_file()}


async def test_exports_that_are_being_written_are_not_handed_out(
    told: AsyncMemory, url: str, tmp_path: Path
) -> None:
    """Each is held where it is written and about to be noted."""
    await told.lessons.add(f"{NAME} wants her letters sent to {STRINGS[0]}.", space=SPACE)
    changed = ccrecall(tmp_path / "ccrecall.db")
    refused: list[Conflict] = []
    writes: list[Callable[[Path], Awaitable[Any]]] = [
        lambda path: told.snapshots.export(path, space=SPACE),
        lambda path: told.longterm.export_sqlite(path, space=SPACE),
        lambda path: told.transcripts.export_sqlite(path, spaces=[SPACE]),
        lambda _: told.transcripts.migrate_sqlite(changed, write_memories=True, spaces=[SPACE]),
    ]

    async def run(number: int, write: Callable[[Path], Awaitable[Any]]) -> None:
        with pytest.raises(Conflict, match="forgotten in the space") as why:
            await write(tmp_path / f"export{number}")
        refused.append(why.value)

    waits = "select count(*) from pg_locks where relation = 'core.exports'::regclass and not granted"
    async with await psycopg.AsyncConnection.connect(url) as conn, anyio.create_task_group() as tasks:
        await conn.execute("lock table core.exports in share mode")
        for number, write in enumerate(writes):
            tasks.start_soon(run, number, write)
        await counts(conn, waits, len(writes))
        done = await told.forget(space=SPACE, user=PERSON, everywhere=True, confirm=True)
        await conn.rollback()
    assert done.remains is not None
    assert done.remains["exports"] == []
    assert len(refused) == len(writes)
    files = files_of(tmp_path)
    assert not any(name.startswith("export") for name in files)
    assert not any(NAME.encode() in content for content in files.values())
