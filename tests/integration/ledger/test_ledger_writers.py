"""Many write to one key at once: no event is lost, and what stands is what the last of them left."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from datetime import timedelta
from functools import partial
from itertools import pairwise
from pathlib import Path

import anyio
import pytest
from patience import PATIENCE_SECONDS

from quipu.app.kinds import PACKAGES
from quipu.kernel.base.clock import SystemClock
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.kinds.ledger.ledger import AsyncLedger
from quipu.kinds.ledger.model import Correction, Event

pytestmark = pytest.mark.anyio

# Another process: it says that it is ready, waits until it may, and corrects the key again and again.
WRITER = """
import asyncio, sys
from quipu.app.kinds import PACKAGES
from quipu.kernel.base.clock import SystemClock
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.kinds.ledger.ledger import AsyncLedger

async def main(url, name, times):
    settings = Settings(database_url=url, pool_size=2)
    async with Database.open(url, settings, packages=PACKAGES) as database:
        ledger = AsyncLedger(database, clock=SystemClock(), settings=settings)
        print("ready", flush=True)
        sys.stdin.readline()
        for n in range(times):
            await ledger.correct("colour", f"{name} {n}", space="s", session="one", actor=name)

asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
"""
SOURCE = Path(__file__).resolve().parents[3] / "src"


@pytest.fixture
async def ledgers(settings: Settings, url: str) -> AsyncIterator[Sequence[AsyncLedger]]:
    """Two ledgers over one database: what two processes would hold."""
    clock = SystemClock()
    async with (
        Database.open(url, settings, packages=PACKAGES) as one,
        Database.open(url, settings, packages=PACKAGES) as other,
    ):
        yield [AsyncLedger(database, clock=clock, settings=settings) for database in (one, other)]


async def consistent(ledger: AsyncLedger, key: str, **whose: str) -> list[Event]:
    """The history of a key, each of whose events took over from the one before; and it is what stands."""
    events = await ledger.history(key, space="s", **whose)  # type: ignore[arg-type]
    for before, event in pairwise(events):
        assert event.old == before.new
        assert event.created_at >= before.created_at
    state = await ledger.state(space="s", **whose)  # type: ignore[arg-type]
    last = events[-1]
    assert (state[key].value, state[key].event_id, state[key].updated_at) == (
        last.new,
        last.id,
        last.created_at,
    )
    assert (await ledger.rebuild(space="s")).changed == 0
    return events


def run_writers(url: str, names: Sequence[str], times: int) -> None:
    """Processes that begin at the same time, until all of them are done."""
    environment = os.environ | {"PYTHONPATH": str(SOURCE)}
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, url, name, str(times)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        for name in names
    ]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    for writer in writers:
        writer.communicate(timeout=PATIENCE_SECONDS)
        assert writer.returncode == 0


async def test_two_processes_that_correct_one_key_lose_nothing(
    ledgers: Sequence[AsyncLedger], url: str
) -> None:
    ledger, times = ledgers[0], 60
    await ledger.open_session(space="s", session="one", user="ana")
    await ledger.set("colour", "white", space="s", session="one")
    run_writers(url, ["Ana", "Bob"], times)
    events = await consistent(ledger, "colour", session="one")
    assert [event.event_type for event in events] == ["fact_set", *["fact_corrected"] * (2 * times)]
    for name in ("Ana", "Bob"):
        assert [event.new for event in events if event.actor == name] == [f"{name} {n}" for n in range(times)]
    actors = [event.actor for event in events]
    turns = sum(one != other for one, other in pairwise(actors))
    assert turns > 3, "the two were not at work at the same time"


async def test_eight_writers_to_one_new_key_of_one_new_space_make_one_row(
    ledgers: Sequence[AsyncLedger],
) -> None:
    async def write(writer: int) -> None:
        for n in range(10):
            await ledgers[writer % 2].set("colour", f"{writer} {n}", space="s", user="ana")

    async with anyio.create_task_group() as tasks:
        for writer in range(8):
            tasks.start_soon(write, writer)
    events = await consistent(ledgers[0], "colour", user="ana")
    assert len({event.new for event in events}) == len(events) == 80
    assert [event.event_type for event in events] == ["fact_set", *["fact_corrected"] * 79]


async def test_every_correction_is_told_once_with_what_it_took_over_from(
    ledgers: Sequence[AsyncLedger],
) -> None:
    told: list[Correction] = []
    for ledger in ledgers:
        ledger.on_correction(told.append)
    await ledgers[0].set("colour", "white", space="s", user="ana")

    async def write(writer: int) -> None:
        for n in range(10):
            await ledgers[writer].correct("colour", f"{writer} {n}", space="s", user="ana")

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(write, 0)
        tasks.start_soon(write, 1)
    events = await consistent(ledgers[0], "colour", user="ana")
    assert {(c.event.id, c.old, c.new) for c in told} == {(e.id, e.old, e.new) for e in events[1:]}
    assert len(told) == 20


async def test_writers_readers_and_rebuilds_at_once_leave_what_the_events_say(
    ledgers: Sequence[AsyncLedger],
) -> None:
    for n in range(3):
        await ledgers[0].open_session(space="s", session=f"s{n}", user="ana")

    async def write(writer: int) -> None:
        rng = random.Random(writer)
        ledger = ledgers[writer % 2]
        for n in range(25):
            whose = {"session": f"s{rng.randrange(3)}"} if rng.random() < 0.7 else {"user": "ana"}
            key = rng.choice(["colour", "size"])
            match rng.randrange(5):
                case 0:
                    await ledger.assume(key, n, space="s", **whose)  # type: ignore[arg-type]
                case 1:
                    await ledger.rebuild(space="s")
                case 2:
                    state = await ledger.state(space="s", **whose)  # type: ignore[arg-type]
                    assert state.keys() <= {"colour", "size"}
                case _:
                    soon = SystemClock().now() + timedelta(milliseconds=200)
                    expiry = {"expires_at": soon} if rng.random() < 0.3 else {}
                    await ledger.set(key, [writer, n], space="s", **whose, **expiry)  # type: ignore[arg-type]

    async with anyio.create_task_group() as tasks:
        for writer in range(6):
            tasks.start_soon(write, writer)
    assert (await ledgers[0].rebuild(space="s")).changed == 0


async def test_programs_that_use_keys_of_their_own_for_the_first_time_at_once_keep_all_of_them(
    ledgers: Sequence[AsyncLedger], settings: Settings, url: str
) -> None:
    async with Database.open(url, settings, packages=PACKAGES) as database:
        programs = [AsyncLedger(database, clock=SystemClock(), settings=settings) for _ in range(6)]
        async with anyio.create_task_group() as tasks:
            for number, program in enumerate(programs):
                program.register("limit", int, namespace="system")
                program.register(f"system.limit {number}", int, namespace="system")
                for key in ("limit", f"system.limit {number}"):
                    tasks.start_soon(partial(program.set, key, number, space="s", user="ana"))
    patterns = [key.pattern for key in await ledgers[0].keys(space="s") if key.registered_at is not None]
    assert patterns == ["limit", *(f"system.limit {number}" for number in range(6))]
    for number in range(6):
        await ledgers[number % 2].correct(f"system.limit {number}", number + 1, space="s", user="ana")
    assert len(await ledgers[0].history("limit", space="s", user="ana")) == 6
