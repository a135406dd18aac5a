"""A database with a session in it, and what writes recommendations there."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from quipu import AsyncMemory
from quipu.kernel.base.clock import FrozenClock
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.kinds.ledger.evidence.evidence import AsyncEvidence
from quipu.kinds.ledger.ledger import AsyncLedger


@pytest.fixture
def clock() -> FrozenClock:
    """Noon of a day in May."""
    return FrozenClock(datetime(2026, 5, 4, 12, tzinfo=UTC))


@pytest.fixture
async def ledger(
    memory: AsyncMemory, database: Database, settings: Settings, clock: FrozenClock
) -> AsyncLedger:
    """The ledger of this test's database, whose space ``cafe`` has the session ``s-1`` at turn 2."""
    said = [
        {"id": "q1", "role": "user", "content": "How many people do I need on Friday?"},
        {"id": "a1", "role": "assistant", "content": "Is the usual team four?"},
        {"id": "q2", "role": "user", "content": "Yes, in Lisbon."},
    ]
    await memory.observe(said, space="cafe", session="s-1", user="dana")
    return AsyncLedger(database, clock=clock, settings=settings)


@pytest.fixture
def recommendations(
    ledger: AsyncLedger,  # for what was said
    database: Database,
    settings: Settings,
    clock: FrozenClock,
) -> AsyncEvidence:
    """What writes recommendations about that session."""
    return AsyncEvidence(database, clock=clock, redact=settings.redact)
