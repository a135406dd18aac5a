"""A database to accept things in: one embedded server for a run, a space of its own for each test."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import anyio
import pytest
from seed_0 import NOW, SESSION

from quipu import AsyncMemory, Memory
from quipu.kernel.base.clock import FrozenClock
from quipu.kernel.config import Settings
from quipu.kernel.db import embedded

_NUMBERS = count()


@pytest.fixture(scope="session")
def accepting() -> Iterator[Settings]:
    """Settings that lead to a migrated database, with the deterministic embedder."""
    with tempfile.TemporaryDirectory(prefix="quipu-accept-") as home:
        Path(home).chmod(0o711)  # the account that runs the server must be able to pass through
        settings = Settings(home=Path(home), embedding_model="hashing", shared_buffers_mb=64, pool_size=4)
        running = anyio.run(embedded.start, settings)
        yield Settings(
            home=Path(home), embedding_model="hashing", pool_size=4, database_url=running.conninfo()
        )
        anyio.run(running.aclose)


@pytest.fixture(scope="session")
def address(accepting: Settings) -> str:
    """The address of that database, migrated."""
    anyio.run(_migrate, accepting)
    assert accepting.database_url is not None
    return accepting.database_url


async def _migrate(settings: Settings) -> None:
    async with AsyncMemory(settings=settings):
        pass


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
