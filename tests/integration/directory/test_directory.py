"""Spaces in several databases, asked for as if they were in one."""

from __future__ import annotations

from dataclasses import replace

import anyio
import psycopg
import pytest
from patience import PATIENCE_SECONDS
from spread_databases import Home, Spread

from quipu import AsyncMemory
from quipu.app.operations import ROOMS, public_names
from quipu.errors import BadInput, Conflict, NotFound, QuipuError, SpaceMoved
from quipu.interfaces.cli.workers import employed
from quipu.kernel.db.address import place
from quipu.kernel.queue.model import Worked

pytestmark = pytest.mark.anyio


def said(words: str) -> list[dict[str, object]]:
    return [{"content": words, "user": "ana", "session": "s"}]


async def texts(memory: AsyncMemory, space: str, question: str = "Where do I live?") -> list[str]:
    return [hit.text for hit in await memory.recall(question, space=space)]


async def homes(memory: AsyncMemory) -> dict[str, int]:
    return {one.name: one.spaces for one in await memory.databases.list()}


async def test_each_space_is_in_one_database_and_found_there(
    memory: AsyncMemory, only: Home, spread: Spread
) -> None:
    async with only("one"):
        await memory.observe(said("I live in Oslo."), space="a")
    async with only("two"):
        await memory.observe(said("I live in Rome."), space="b")
        await memory.observe(said("I live in Bergen now."), space="a")
    assert await homes(memory) == {"one": 1, "two": 1}
    assert sorted(await texts(memory, "a")) == ["I live in Bergen now.", "I live in Oslo."]
    assert await texts(memory, "b") == ["I live in Rome."]
    assert [one.name for one in await memory.spaces()] == ["a", "b"]
    assert [one.name for one in await memory.spaces(after="a", limit=1)] == ["b"]
    assert await memory.space_names() == ["a", "b"]
    async with spread.plain("two") as plain, spread.memory() as another:
        assert await plain.space_names() == ["b"]
        assert await texts(another, "b") == ["I live in Rome."]


async def test_a_name_that_many_clients_take_at_once_is_one_space(
    memory: AsyncMemory, spread: Spread
) -> None:
    async with spread.memory() as first, spread.memory() as second:
        async with anyio.create_task_group() as tasks:
            for number in range(12):
                client = (first, second)[number % 2]
                tasks.start_soon(lambda c=client, n=number: c.observe(said(f"Number {n}."), space="a"))
        assert sum((await homes(memory)).values()) == 1
        assert len(await first.messages("s", space="a")) == 12


async def test_a_space_keeps_to_the_place_that_another_client_gave_it(
    memory: AsyncMemory, only: Home, spread: Spread
) -> None:
    async with spread.memory() as slow:
        async with only("one"):
            assert await texts(slow, "a") == []  # it would go to "one"
        async with only("two"):
            await memory.observe(said("I live in Rome."), space="a")
        await slow.observe(said("I like it."), space="a")
        assert await homes(memory) == {"one": 0, "two": 1}
        assert len(await slow.messages("s", space="a")) == 2


async def test_numbers_of_spaces_meet_nowhere(memory: AsyncMemory, only: Home, spread: Spread) -> None:
    for name in ("one", "two"):
        async with only(name):
            await memory.observe(said("Hello."), space=f"in {name}")
    numbers = [number_of(address, f"in {name}") for name, address in spread.databases.items()]
    assert len(set(numbers)) == 2
    assert all(number >= 1 << 22 for number in numbers)


def number_of(address: str, space: str) -> int:
    with psycopg.connect(address) as conn:
        row = conn.execute("select id from core.spaces where name = %s", [space]).fetchone()
    assert row is not None
    return row[0]


async def test_the_first_database_may_bring_its_spaces_and_be_the_directory(spread: Spread) -> None:
    async with AsyncMemory(url=spread.directory, settings=spread.settings) as plain:
        await plain.observe(said("I live in Oslo."), space="old")
    async with spread.memory() as memory:
        added = await memory.databases.add("main", spread.directory)
        assert added.spaces == 1
        assert await texts(memory, "old") == ["I live in Oslo."]
        async with spread.plain("one") as foreign:
            await foreign.observe(said("I live in Rome."), space="theirs")
        with pytest.raises(Conflict, match="numbers that others have"):
            await memory.databases.add("one", spread.databases["one"])
        assert await homes(memory) == {"main": 1}


async def test_what_is_forgotten_whole_gives_its_name_back(memory: AsyncMemory, only: Home) -> None:
    async with only("one"):
        await memory.observe(said("I live in Oslo."), space="a")
    await memory.databases.move("a", "two", confirm=True)
    await memory.forget(space="a", confirm=True)
    assert await homes(memory) == {"one": 0, "two": 0}
    assert await memory.space_names() == []
    async with only("one"):
        await memory.observe(said("I live in Rome."), space="a")
    assert await homes(memory) == {"one": 1, "two": 0}
    assert await texts(memory, "a") == ["I live in Rome."]


async def test_keys_and_settings_are_of_the_whole(memory: AsyncMemory, only: Home, spread: Spread) -> None:
    async with only("two"):
        await memory.observe(said("Hello."), space="a")
    issued = await memory.keys.create("k", space="a")
    opened = await memory.keys.opened_by(issued.token)
    assert opened is not None
    assert opened.space == "a"
    await memory.settings.set("removed_days", 3)
    for name in spread.databases:
        async with spread.plain(name) as plain:
            assert (await plain.settings.get("removed_days")).value == 3
    assert (await memory.settings.get("removed_days", space="a")).value == 3


async def test_work_is_done_in_every_database(memory: AsyncMemory, only: Home) -> None:
    for name in ("one", "two"):
        async with only(name):
            await memory.observe(said("I am allergic to peanuts."), space=name)
    worked = await memory.work()
    assert worked.done > 0
    assert worked.failed == 0
    assert (await memory.work()).done == 0


async def test_the_state_of_all_is_the_sum_of_each(memory: AsyncMemory, only: Home, spread: Spread) -> None:
    for name in ("one", "two"):
        async with only(name):
            await memory.observe(said("I am allergic to peanuts."), space=name)
    health, queue = await memory.health(), await memory.queue.status()
    assert (health.spaces, health.entries) == (2, 2)
    left = {topic.topic: topic.waiting for topic in queue.topics}
    for name in spread.databases:
        async with spread.plain(name) as plain:
            for topic in (await plain.queue.status()).topics:
                left[topic.topic] -= topic.waiting
    assert not any(left.values())


async def test_one_worker_does_the_jobs_of_every_database(
    memory: AsyncMemory, only: Home, spread: Spread
) -> None:
    async with (
        employed(replace(spread.settings, directory_url=spread.directory)) as hired,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(hired.run)
        for name in ("one", "two"):
            async with only(name):
                await memory.observe(said("I am allergic to peanuts."), space=name)
        with anyio.fail_after(PATIENCE_SECONDS):
            while await waiting(memory):  # noqa: ASYNC110 - the worker does it
                await anyio.sleep(0.1)
        hired.stop()
    assert await memory.work() == Worked()


async def waiting(memory: AsyncMemory) -> int:
    """How many jobs are not done."""
    topics = (await memory.queue.status()).topics
    return sum(one.waiting + one.handed_over for one in topics)


async def test_what_concerns_one_database_says_so(memory: AsyncMemory) -> None:
    with pytest.raises(BadInput, match="concerns one database"):
        await memory.reembed_plan()
    with pytest.raises(BadInput, match="Name one space"):
        await memory.receipts.list()


async def test_bad_names_and_addresses_are_refused(memory: AsyncMemory, spread: Spread) -> None:
    with pytest.raises(BadInput, match="small letters"):
        await memory.databases.add("East 2", spread.databases["one"])
    for nonsense in ("", "nonsense", "postgresql://h/d?no_such=1", "postgresql://user:pass word@h/d"):
        with pytest.raises(BadInput, match="no address"):
            await memory.databases.add("three", nonsense)
    with pytest.raises(Conflict, match="already"):
        await memory.databases.add("three", spread.databases["one"])
    with pytest.raises(Conflict, match="already"):
        await memory.databases.add("one", spread.directory)
    with pytest.raises(NotFound, match="no database 'three'"):
        await memory.databases.drain("three")
    with pytest.raises(NotFound, match="no space"):
        await memory.databases.move("nowhere", "one")


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgresql://ana:hunter2@db.example:5433/quipu?sslmode=require", "ana@db.example:5433/quipu"),
        ("host=db.example dbname=quipu user=ana password='hunter 2'", "ana@db.example/quipu"),
        ("postgresql:///quipu?host=/run/pg&password=hunter2", "/run/pg/quipu"),
    ],
)
async def test_no_list_shows_a_password(address: str, shown: str) -> None:
    assert place(address) == shown


async def test_without_a_directory_there_is_no_list_of_databases(spread: Spread) -> None:
    async with spread.plain("one") as plain:
        with pytest.raises(NotFound, match="no directory of databases"):
            await plain.databases.list()


async def test_a_directory_without_a_database_says_what_to_do(spread: Spread) -> None:
    async with spread.memory() as memory:
        with pytest.raises(QuipuError, match="no database that takes new spaces"):
            await memory.observe(said("Hello."), space="a")


async def test_whoever_comes_with_the_old_address_is_sent_on(
    memory: AsyncMemory, only: Home, spread: Spread
) -> None:
    async with only("one"):
        await memory.observe(said("I live in Oslo."), space="a")
    await memory.databases.move("a", "two", confirm=True)
    async with spread.plain("one") as plain:
        for call in (texts(plain, "a"), plain.observe(said("More."), space="a"), plain.sessions(space="a")):
            with pytest.raises(SpaceMoved, match="in the database 'two' now"):
                await call


async def test_every_public_method_has_a_way(memory: AsyncMemory) -> None:
    for name in public_names():
        room, _, method = name.rpartition(".")
        assert room in ROOMS
        assert callable(getattr(getattr(memory, room) if room else memory, method)), name
