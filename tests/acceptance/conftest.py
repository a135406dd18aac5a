"""A database to accept things in: one embedded server for a run, a space of its own for each test."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

import anyio
import pytest
from made_once import MadeOnce
from seed_0 import NOW, SESSION

from quipu import AsyncMemory, Memory
from quipu.kernel.base.clock import FrozenClock
from quipu.kernel.config import Settings
from quipu.kernel.db import embedded

_NUMBERS = count()


@pytest.fixture(scope="session")
def accepting(made_once: MadeOnce) -> Iterator[Settings]:
    """Settings that lead to a migrated database, with the deterministic embedder."""
    stopped = made_once("accepting", lambda place: anyio.run(_stopped, _settings(place)))
    with tempfile.TemporaryDirectory(prefix="quipu-accept-") as home:
        Path(home).chmod(0o711)  # the account that runs the server must be able to pass through
        subprocess.run(["cp", "-a", f"{stopped}/.", home], check=True)
        running = anyio.run(embedded.start, _settings(Path(home)))
        yield replace(_settings(Path(home)), database_url=running.conninfo())
        anyio.run(running.aclose)


def _settings(home: Path) -> Settings:
    return Settings(home=home, embedding_model="hashing", shared_buffers_mb=64, pool_size=4)


async def _stopped(settings: Settings) -> Path:
    """The home of a migrated database, whose server was stopped."""
    running = await embedded.start(settings)
    async with AsyncMemory(settings=replace(settings, database_url=running.conninfo())):
        pass
    await running.aclose()
    return settings.home


@pytest.fixture(scope="session")
def address(accepting: Settings) -> str:
    """The address of that database."""
    assert accepting.database_url is not None
    return accepting.database_url


@pytest.fixture
def space() -> str:
    """A space that no other test has."""
    return f"restaurant {next(_NUMBERS)}"


@pytest.fixture(scope="session")
def the_clock() -> FrozenClock:
    """The clock of the memory that the tests share."""
    return FrozenClock(NOW)


@pytest.fixture(scope="session")
def shared(accepting: Settings, address: str, the_clock: FrozenClock) -> Iterator[Memory]:
    """A memory that the tests share, each with a space of its own."""
    assert address
    with Memory(settings=accepting, clock=the_clock) as opened:
        yield opened


@pytest.fixture
def clock(the_clock: FrozenClock) -> FrozenClock:
    """That clock, which stands at the time of the seed when a test begins."""
    the_clock.advance(NOW - the_clock.now())
    return the_clock


@pytest.fixture
def memory(shared: Memory, clock: FrozenClock, space: str) -> Memory:
    """A memory in whose space the operator dana has asked twice, in one session."""
    assert clock.now() == NOW
    said = [
        {"role": "user", "content": "Staffing for Friday at Lisbon, Rua Augusta 1?"},
        {"role": "assistant", "content": "Assuming the usual team size."},
        {"role": "user", "content": "We are four at dinner."},
    ]
    shared.observe(said, space=space, session=SESSION, user="dana")
    shared.ledger.open_session(space=space, session=SESSION, user="dana", model="m-1", prompt_version="p-1")
    return shared
