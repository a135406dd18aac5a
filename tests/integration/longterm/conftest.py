"""One database for the tests of a module, with a space of its own for each test."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count

import pytest

from quipu import AsyncMemory
from quipu.kernel.base.clock import FrozenClock
from quipu.kernel.config import Settings
from quipu.kinds.longterm.longterm import AsyncLongterm

_NUMBERS = count()


@pytest.fixture(scope="module")
def address(module_url: str) -> str:
    """The address of a migrated database that the tests of the module share."""
    return module_url


@pytest.fixture
def space() -> str:
    """A space that no other test has."""
    return f"home {next(_NUMBERS)}"


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(datetime(2026, 3, 14, 12, tzinfo=UTC))


@pytest.fixture
def shared(server_settings: Settings, address: str) -> Settings:
    """Settings that lead to the database of the module; a busy machine has time enough to recover."""
    return replace(server_settings, database_url=address, pool_size=4, tuned={"longterm_timeout_ms": 60_000})


@pytest.fixture
async def mind(shared: Settings, clock: FrozenClock) -> AsyncIterator[AsyncMemory]:
    """A memory over the database of the module."""
    async with AsyncMemory(settings=shared, clock=clock) as memory:
        yield memory


@pytest.fixture
def longterm(mind: AsyncMemory) -> AsyncLongterm:
    return mind.longterm
