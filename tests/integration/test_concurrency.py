"""Many at once: nothing is lost, torn or counted wrongly, whoever writes, reads and erases meanwhile.

The fixture ``memory`` examines the whole database after each test.
"""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio
import pytest
from long_form import sized

from quipu import AsyncMemory, Memory
from quipu.errors import Conflict
from quipu.kernel.base.clock import FrozenClock
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.recall.model import Hit
from quipu.upkeep.consistency import examine

pytestmark = pytest.mark.anyio

NOW = datetime(2026, 3, 14, 12, tzinfo=UTC)


@pytest.fixture
async def another(settings: Settings) -> AsyncIterator[AsyncMemory]:
    """A second memory over the same database: what another process would hold."""
    async with AsyncMemory(settings=settings) as opened:
        yield opened


async def everything(memory: AsyncMemory, question: str = "boat") -> list[Hit]:
    return await memory.recall(question, space="s", limit=1000)


async def test_eight_writers_into_one_session_lose_nothing(memory: AsyncMemory, another: AsyncMemory) -> None:
    async def write(writer: int) -> None:
        for n in range(12):
            said = [
                {"id": f"{writer}-{n}-{k}", "content": f"boat {writer} {n} {k}"} for k in range(1 + n % 3)
            ]
            await (memory, another)[writer % 2].observe(said, space="s", session="one")

    async with anyio.create_task_group() as tasks:
        for writer in range(8):
            tasks.start_soon(write, writer)
    (session,) = await memory.sessions(space="s")
    assert session.messages == 8 * 24
    found = await everything(another)
    assert len({hit.source.message for hit in found}) == 8 * 24
    places = sorted(int(hit.id) for hit in found)
    assert places == list(range(places[0], places[0] + 8 * 24))
    # What one call brought in follows each other, whoever wrote meanwhile.
    place = {hit.source.message: int(hit.id) for hit in found}
    assert all(place[f"{w}-{n}-1"] == place[f"{w}-{n}-0"] + 1 for w in range(8) for n in range(12) if n % 3)


async def test_eight_writers_into_many_sessions_of_one_new_space_lose_nothing(memory: AsyncMemory) -> None:
    async def write(writer: int) -> None:
        rng = random.Random(writer)
        for n in range(12):
            said = [
                {
                    "content": f"boat {writer} {n} {k}",
                    "session": rng.choice(["a", "b", "c", None]),
                    "speaker": rng.choice("AB"),
                }
                for k in range(3)
            ]
            await memory.observe(said, space="s", user=rng.choice(["u", "v", None]))

    async with anyio.create_task_group() as tasks:
        for writer in range(8):
            tasks.start_soon(write, writer)
    assert len(await everything(memory)) == 8 * 36


@pytest.mark.parametrize("session", ["one", None])
async def test_the_same_message_from_many_at_once_is_stored_once(
    memory: AsyncMemory, another: AsyncMemory, session: str | None
) -> None:
    imported: list[int] = []

    async def write(which: AsyncMemory, n: int) -> None:
        report = await which.observe([{"id": f"m{n}", "content": f"boat {n}"}], space="s", session=session)
        imported.append(report.imported)
        assert report.imported + report.duplicates == 1

    for n in range(6):
        async with anyio.create_task_group() as tasks:
            for which in (memory, another) * 4:
                tasks.start_soon(write, which, n)
        assert sum(imported) == n + 1
    assert len(await everything(memory)) == 6


@pytest.mark.parametrize("session", ["one", None])
async def test_of_two_that_say_different_things_under_one_id_one_is_told(
    memory: AsyncMemory, session: str | None
) -> None:
    told: list[str] = []

    async def write(words: str) -> None:
        try:
            await memory.observe([{"id": "same", "content": f"boat {words}"}], space="s", session=session)
        except Conflict as conflict:
            told.append(str(conflict))

    async with anyio.create_task_group() as tasks:
        for words in ("green", "red", "blue", "white", "black"):
            tasks.start_soon(write, words)
    assert len(told) == 4
    assert len(await everything(memory)) == 1


async def test_the_same_import_from_many_at_once_in_different_orders_is_taken_once(
    memory: AsyncMemory, another: AsyncMemory
) -> None:
    lines = [
        {"id": f"m{n}", "content": f"boat {n}", "session": (None, "a", "b")[n % 3], "speaker": f"P{n % 5}"}
        for n in range(900)
    ]
    reports = []

    async def take(which: AsyncMemory, seed: int) -> None:
        mixed = random.Random(seed).sample(lines, len(lines))
        reports.append(await which.import_messages(mixed, space="s"))

    async with anyio.create_task_group() as tasks:
        for seed in range(6):
            tasks.start_soon(take, (memory, another)[seed % 2], seed)
    assert sum(report.imported for report in reports) == 900
    assert all(report.imported + report.duplicates == 900 for report in reports)
    assert all(report.refused == () for report in reports)


@pytest.mark.long
async def test_a_reader_sees_all_of_a_write_or_nothing(memory: AsyncMemory, another: AsyncMemory) -> None:
    done = anyio.Event()

    async def write() -> None:
        for n in range(sized(20, long=80)):
            pair = [{"id": f"{side}{n}", "content": f"boat {side} {n}"} for side in ("left", "right")]
            await memory.observe(pair, space="s", session=f"s{n % 3}" if n % 4 else None)
            if n % 5 == 4:
                await memory.forget(space="s", session=f"s{n % 3}", confirm=True)
        done.set()

    async def read(which: AsyncMemory) -> None:
        while not done.is_set():
            seen = {hit.source.message for hit in await everything(which)}
            assert {f"right{m[4:]}" for m in seen if m and m.startswith("left")} == {
                m for m in seen if m and m.startswith("right")
            }

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(write)
        for which in (memory, another, another):
            tasks.start_soon(read, which)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(sized(1, long=3)))
async def test_writers_and_erasers_do_not_get_in_each_others_way(
    memory: AsyncMemory, another: AsyncMemory, seed: int
) -> None:
    """Sessions, people and the whole space vanish while others add to them; every call succeeds."""

    async def write(writer: int) -> None:
        rng = random.Random(100 * seed + writer)
        for n in range(25):
            said = [
                {
                    "content": f"w{rng.randrange(30)} {writer} {n} {k}?",
                    "speaker": rng.choice(["A", "B", None]),
                }
                for k in range(rng.choice([1, 1, 3]))
            ]
            await memory.observe(
                said, space="s", session=rng.choice(["x", "y", "z", None]), user=rng.choice(["u", "v", None])
            )

    async def erase(eraser: int) -> None:
        rng = random.Random(1000 * seed + eraser)
        for _ in range(12):
            await anyio.sleep(rng.random() * 0.03)
            what = rng.choice(
                [{"session": "x"}, {"user": "u"}, {"user": "A"}, {"session": "y", "user": "v"}, {}]
            )
            await another.forget(space="s", confirm=True, **what)

    async with anyio.create_task_group() as tasks:
        for n in range(5):
            tasks.start_soon(write, n)
        for n in range(2):
            tasks.start_soon(erase, n)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(sized(1, long=4)))
async def test_whoever_searched_before_finds_what_a_newcomer_finds(
    settings: Settings, database: Database, seed: int
) -> None:
    """What a process holds of a space never differs from what is there, whoever wrote and erased since."""
    rng = random.Random(seed)
    clock = FrozenClock(NOW)
    async with (
        AsyncMemory(settings=settings, clock=clock) as one,
        AsyncMemory(settings=settings, clock=clock) as two,
    ):
        for step in range(40):
            which = rng.choice([one, two])
            space = rng.choice(["s", "t"])
            match rng.randrange(5):
                case 0 | 1:
                    said = [
                        {
                            "content": f"{rng.choice(['boat', 'garden', 'soup'])} green {step} {k}",
                            "speaker": rng.choice(["Ana", "Boris", None]),
                            "time": NOW - timedelta(minutes=rng.randrange(100)),
                        }
                        for k in range(rng.choice([1, 2, 7]))
                    ]
                    session, user = rng.choice(["x", "y", None]), rng.choice(["u", None])
                    await which.observe(said, space=space, session=session, user=user)
                case 2:
                    what = rng.choice([{"session": "x"}, {"user": "u"}, {"user": "Ana"}, {}])
                    await which.forget(space=space, confirm=True, **what)
                case _:
                    question = rng.choice(["green boat", "What did Ana say about the soup?", "garden"])
                    user = rng.choice(["u", None])
                    async with AsyncMemory(settings=settings, clock=clock) as fresh:
                        expected = await fresh.recall(question, space=space, user=user, limit=50)
                    assert await one.recall(question, space=space, user=user, limit=50) == expected
                    assert await two.recall(question, space=space, user=user, limit=50) == expected
    assert await examine(database) == []


async def test_a_cancelled_observation_leaves_nothing_half_written(
    memory: AsyncMemory, database: Database
) -> None:
    whole = 0
    for n in range(30):
        said = [{"id": f"{n}-{k}", "content": f"boat {n} {k} of the harbour"} for k in range(5)]
        with anyio.move_on_after(0.0005 * n):
            await memory.observe(said, space="s", session="one")
            whole += 1
    found = {hit.source.message for hit in await everything(memory)}
    assert len(found) % 5 == 0
    assert len(found) >= 5 * whole
    assert await examine(database) == []
    # and the memory goes on
    await memory.observe([{"content": "The boat came home."}], space="s", session="one")


async def test_a_cancelled_import_keeps_what_was_committed_and_is_finished_by_doing_it_again(
    memory: AsyncMemory, database: Database
) -> None:
    lines = [{"content": f"boat {n}", "session": f"s{n % 7}"} for n in range(2500)]
    with anyio.CancelScope() as scope:
        await memory.import_messages(lines, space="s", progress=lambda _: scope.cancel())
    assert await examine(database) == []
    taken = (await memory.health()).entries
    assert 0 < taken < 2500
    report = await memory.import_messages(lines, space="s")
    assert (report.imported, report.duplicates) == (2500 - taken, taken)


def test_one_blocking_memory_serves_many_threads(settings: Settings) -> None:
    with Memory(settings=settings) as memory, ThreadPoolExecutor(8) as threads:

        def work(n: int) -> int:
            memory.observe([{"content": f"boat {n}"}], space="s", session=f"s{n % 3}")
            return len(memory.recall("boat", space="s", limit=100))

        seen = list(threads.map(work, range(40)))
        assert all(1 <= count <= 40 for count in seen)
        assert len(memory.recall("boat", space="s", limit=100)) == 40


async def test_two_memories_share_one_home(home: Path) -> None:
    shared = Settings(home=home, embedding_model="hashing", shared_buffers_mb=16, pool_size=2)
    async with AsyncMemory(settings=shared) as one:
        await one.observe([{"content": "The boat is green."}], space="s")
        async with AsyncMemory(settings=shared) as two:
            (hit,) = await two.recall("boat", space="s")
            assert hit.text == "The boat is green."
        assert len(await one.recall("boat", space="s")) == 1  # the first still has its server
    async with AsyncMemory(settings=shared) as again:
        assert len(await again.recall("boat", space="s")) == 1
