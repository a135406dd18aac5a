"""What a process holds of a space is what is there, to the bit, whoever wrote and erased meanwhile."""

from __future__ import annotations

import random
from dataclasses import dataclass

import anyio
import numpy as np
import pytest
from long_form import sized

from quipu import AsyncMemory
from quipu.kernel.base.clock import SystemClock
from quipu.kernel.base.scope import acting_for, bound_person
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.recall import store
from quipu.recall.generations import Models
from quipu.recall.model import Filters
from quipu.recall.search import Search
from quipu.recall.signatures import Cache, Signatures

pytestmark = pytest.mark.anyio

SPACES = ("s", "t")
STEPS = sized(30, long=60)


@dataclass(frozen=True)
class Searcher:
    """Searches as a process does, and lets us look into what it holds."""

    database: Database
    search: Search
    cache: Cache

    async def look(self, space: str) -> int:
        """Search a space; what is held of it afterwards must be what is there. How many entries that are."""
        async with self.database.snapshot_read(space) as tx:
            if tx is None:
                return 0
            await self.search.find(tx, ["green boat"], filters=Filters(), limit=5)
            view = self.cache.get((tx.space.id, bound_person()), epoch=tx.space.epoch)
            there = await store.read_signatures(tx, since=-1)
            people = await store.names(tx)
        assert view is not None
        assert view.people == people
        held = view.signatures
        assert (held.version, held.epoch) == (tx.space.version, tx.space.epoch)
        for mine, true in zip(ordered(held), ordered(there), strict=True):
            np.testing.assert_array_equal(mine, true)
        assert bound_person() or len(there.ids) == tx.space.entries
        return len(there.ids)


def ordered(signatures: Signatures) -> list[np.ndarray]:
    order = np.argsort(signatures.ids)
    arrays = (signatures.ids, signatures.kinds, signatures.owners, signatures.happened, signatures.bits)
    return [array[..., order] for array in arrays]


def searcher(database: Database, models: Models) -> Searcher:
    cache = Cache()
    return Searcher(database, Search(models, clock=SystemClock(), cache=cache), cache)


async def change(memory: AsyncMemory, chance: random.Random, step: int) -> None:
    """Write or erase something: alone, at the end of a session (which changes what stood there), in bulk."""
    space = chance.choice(SPACES)
    said = [
        {
            "id": f"m{step}-{n}",
            "content": f"{chance.choice(['boat', 'garden', 'soup'])} green {step} {n}{chance.choice('.?')}",
            "speaker": chance.choice(["Ana", "Boris", None]),
            "user": chance.choice(["u", "u", None, None, "v"]),
            "session": chance.choice(["x", "y", "z", None]),
        }
        for n in range(chance.choice([1, 1, 2, 30]))
    ]
    what = [{"session": chance.choice("xyz")}, {"user": "u"}, {"message": f"m{chance.randrange(step + 1)}-0"}]
    match chance.randrange(8):
        case 0:
            await memory.forget(space=space, confirm=True, **chance.choice(what))
        case 1 if step % 10 == 9:
            await memory.forget(space=space, confirm=True)
        case 2:
            await memory.import_messages(said, space=space)
        case _:
            await memory.observe(said, space=space)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(sized(2, long=4)))
async def test_what_is_held_after_any_writes_and_erasures_is_what_is_there(
    memory: AsyncMemory, database: Database, settings: Settings, seed: int
) -> None:
    chance = random.Random(seed)
    seen = 0
    async with Models.open(database, settings) as models:
        often, seldom = searcher(database, models), searcher(database, models)
        for step in range(STEPS):
            await change(memory, chance, step)
            with acting_for(chance.choice([None, "u"])):
                seen += await often.look(chance.choice(SPACES))
            if chance.random() < 0.15:
                await seldom.look(chance.choice(SPACES))
    assert seen > STEPS


async def test_what_a_session_held_before_it_was_somebodys_is_held_with_it_and_goes_with_it(
    memory: AsyncMemory, database: Database, settings: Settings
) -> None:
    async with Models.open(database, settings) as models:
        one = searcher(database, models)
        seen: list[int] = []
        for user in (None, "u", "v"):
            said = [{"content": f"green boat {user} {n}", "user": user} for n in range(1 if user else 9)]
            await memory.observe(said, space="s", session="x")
            with acting_for("u"):
                await one.look("s")
                seen.append(len(await memory.recall("green boat", space="s")))
    assert seen == [0, 10, 1]


@pytest.mark.long
async def test_what_is_held_while_others_write_and_erase_is_what_is_there(
    memory: AsyncMemory, database: Database, settings: Settings
) -> None:
    done = anyio.Event()

    async def write() -> None:
        chance = random.Random(5)
        for step in range(STEPS):
            await change(memory, chance, step)
        done.set()

    async def look(who: Searcher, space: str) -> None:
        while not done.is_set():
            for person in (None, "u"):
                with acting_for(person):
                    await who.look(space)

    async with Models.open(database, settings) as models, anyio.create_task_group() as tasks:
        tasks.start_soon(write)
        for space in SPACES:
            tasks.start_soon(look, searcher(database, models), space)
