"""What a sync leaves to a worker is done by it: words, meaning and lessons."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from coding_sessions import World

from quipu import AsyncMemory
from quipu.kernel.config import Settings
from quipu.kinds.transcripts.jobs import LEARN, QUIET
from quipu.testing import FrozenClock

pytestmark = pytest.mark.anyio


async def test_a_worker_indexes_and_learns_once_a_session_may_be_at_its_end(
    settings: Settings, root: Path, made: World
) -> None:
    clock = FrozenClock(datetime.now(UTC))
    async with AsyncMemory(settings=settings, clock=clock) as memory:
        await memory.transcripts.sync([root], space="boats")
        assert await memory.transcripts.unindexed(space="boats") > 0
        assert await memory.transcripts.waiting(space="boats") > 0
        assert (await memory.work(topics=[LEARN])).done == 0  # somebody may still be talking
        clock.advance(QUIET + timedelta(seconds=1))
        assert (await memory.work(topics=[LEARN])).done == 1
        assert await memory.transcripts.unindexed(space="boats") == 0
        assert await memory.transcripts.waiting(space="boats") == 0
        read = await memory.transcripts.query(
            "select count(*) from sessions where memories_extracted = 1", space="boats"
        )
        assert read.rows[0][0] > 0
        assert (await memory.work(topics=[LEARN])).done == 0
        await memory.transcripts.sync([root], space="boats")  # nothing new: nothing to be done
        clock.advance(QUIET + timedelta(seconds=1))
        assert (await memory.work(topics=[LEARN])).done == 0
