"""A ledger over this test's database, whose clock stands still until it is told to move."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest
from examined import insist

from quipu import AsyncMemory
from quipu.kernel.base.clock import FrozenClock
from quipu.kernel.config import Settings
from quipu.kinds.ledger.evidence.evidence import AsyncEvidence
from quipu.kinds.ledger.ledger import AsyncLedger

SAID = [
    {"id": "q1", "role": "user", "content": "How many people do I need on Friday?"},
    {"id": "a1", "role": "assistant", "content": "Is the usual team four?"},
    {"id": "q2", "role": "user", "content": "Yes, in Lisbon."},
]


@pytest.fixture
def clock() -> FrozenClock:
    """Noon of a day that lies ahead of the server's clock, by which recall judges what has expired."""
    return FrozenClock(datetime(2099, 5, 4, 12, tzinfo=UTC))


@pytest.fixture
async def cafe(settings: Settings, clock: FrozenClock) -> AsyncIterator[AsyncMemory]:
    """A memory whose space ``cafe`` has the session ``s-1`` at turn 2; it must fit together afterwards."""
    async with AsyncMemory(settings=settings, clock=clock) as opened:
        await opened.observe(SAID, space="cafe", session="s-1")
        yield opened
        await insist(opened)


@pytest.fixture
def ledger(cafe: AsyncMemory) -> AsyncLedger:
    """The ledger of that memory."""
    return cafe.ledger


@pytest.fixture
def evidence(cafe: AsyncMemory) -> AsyncEvidence:
    """The recommendations of that memory."""
    return cafe.evidence
