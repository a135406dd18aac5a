"""A memory in which conversations can be condensed while the clock stands still."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
from examined import insist
from talk import THEN

from quipu import AsyncMemory
from quipu.kernel.base.clock import FrozenClock
from quipu.kernel.config import Settings


@pytest.fixture
def clock() -> FrozenClock:
    """A day after what is told."""
    return FrozenClock(THEN + timedelta(days=1))


@pytest.fixture
async def memory(settings: Settings, clock: FrozenClock) -> AsyncIterator[AsyncMemory]:
    """A memory with that clock; whatever the test did to it, it must fit together afterwards."""
    async with AsyncMemory(settings=settings, clock=clock) as opened:
        yield opened
        await insist(opened)
