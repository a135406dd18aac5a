"""A space that goes from one database to another, with everything in it, while others use it."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest
from examined import insist
from seeding import SESSION, USER, seeded
from spread_databases import Home, Spread

from quipu import AsyncMemory
from quipu.kernel.db import embedded

pytestmark = pytest.mark.anyio
QUESTIONS = ("Where does Una live?", "What needs Docker?", "What did we agree on?", "boats", "aardvark")


async def archive(memory: AsyncMemory, space: str, folder: Path) -> dict[str, bytes]:
    """The records of a space, by file."""
    await memory.archives.export(folder, space=space)
    return _read(folder)


def _read(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.rglob("*.ndjson"))}


async def answers(memory: AsyncMemory, space: str) -> list[list[tuple[str, str, float]]]:
    return [
        [(hit.kind, hit.text, round(hit.score, 6)) for hit in await memory.recall(question, space=space)]
        for question in QUESTIONS
    ]


async def test_everything_goes_with_it(
    memory: AsyncMemory, only: Home, spread: Spread, tmp_path: Path
) -> None:
    async with only("one"):
        await seeded(memory, {"a": "aardvark"}, tmp_path)
    async with only("two"):
        await memory.observe([{"content": "Nothing to see.", "user": USER}], space="other")
    before, said = await archive(memory, "a", tmp_path / "before"), await answers(memory, "a")
    receipts = list(await memory.receipts.list(space="a"))
    assert receipts
    plan = await memory.databases.move("a", "two")
    assert (plan.done, plan.source, plan.target) == (False, "one", "two")
    moved = await memory.databases.move("a", "two", confirm=True)
    assert moved.done
    assert moved.records > 50
    assert await archive(memory, "a", tmp_path / "after") == before
    assert await answers(memory, "a") == said
    for one in receipts:
        assert await memory.receipts.get(one.id, space="a") == [one]
    boats = await memory.tables.query("select count(*) from boats", space="a")
    assert boats.results
    async with spread.plain("two") as plain, spread.plain("one") as left:
        await insist(plain)
        assert await left.space_names() == []
        await insist(left)
    again = await memory.databases.move("a", "two", confirm=True)
    assert (again.done, again.records) == (True, 0)


async def test_nothing_of_it_stays_behind(
    memory: AsyncMemory, only: Home, spread: Spread, tmp_path: Path
) -> None:
    async with only("one"):
        await seeded(memory, {"a": "aardvark"}, tmp_path)
    await memory.databases.move("a", "two", confirm=True)
    programs = await embedded.programs(spread.settings)
    for name, there in (("one", False), ("two", True)):
        command = [str(programs.tool("pg_dump")), "-d", spread.databases[name]]
        dump = await anyio.run_process(command, env=programs.environment(tmp_path))
        assert (b"aardvark" in dump.stdout.lower()) is there, name


async def test_nothing_acknowledged_is_lost_while_it_moves(
    memory: AsyncMemory, only: Home, spread: Spread
) -> None:
    async with only("one"):
        await memory.observe([{"id": "0", "content": "The first.", "user": USER}], space="a", session=SESSION)
        await memory.tables.execute("create table boats (id text primary key)", space="a")
    acknowledged, boats, moving = ["0"], list[str](), anyio.Event()

    async def build(client: AsyncMemory) -> None:
        while not moving.is_set():
            key = f"boat-{len(boats)}"
            await client.tables.insert("boats", [{"id": key}], space="a")
            boats.append(key)

    async def write(client: AsyncMemory, name: str) -> None:
        number = 0
        while not moving.is_set():
            number += 1
            key = f"{name}-{number}"
            words = [{"id": key, "content": f"Number {key}.", "user": USER}]
            await client.observe(words, space="a", session=SESSION)
            acknowledged.append(key)

    async def read(client: AsyncMemory) -> None:
        least = 0
        while not moving.is_set():
            known = len(acknowledged)
            found = len(await client.messages(SESSION, space="a"))
            assert found >= max(least, known), "an answer from a place where it no longer is"
            least = found

    async with spread.memory() as first, spread.memory() as second:
        async with anyio.create_task_group() as tasks:
            for number, client in enumerate((first, second, first, second)):
                tasks.start_soon(write, client, str(number))
                tasks.start_soon(read, client)
            tasks.start_soon(build, first)
            for target in ("two", "one", "two"):
                await anyio.sleep(0.2)
                await memory.databases.move("a", target, confirm=True)
            await anyio.sleep(0.2)
            moving.set()
        found = [one.id for one in await second.messages(SESSION, space="a")]
        built = await second.tables.query("select count(*) as boats from boats", space="a")
    assert sorted(found) == sorted(acknowledged)
    assert built.results == ({"boats": len(boats)},)
    assert boats
