"""Memories over this test's database: recorded sessions are made by ``record``, the clock stands still."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from examined import insist
from scripted_extractor import Record

from quipu import AsyncMemory
from quipu.kernel.base.clock import FrozenClock
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.kinds.transcripts.lessons.lessons import AsyncLessons
from quipu.recall.generations import Models
from quipu.recall.search import Search
from quipu.recall.signatures import Cache

SPACE = "acme"
NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(NOW)


@pytest.fixture
async def opened(settings: Settings, clock: FrozenClock) -> AsyncIterator[AsyncMemory]:
    """The house around the memories; whatever the test did to it, it must fit together afterwards."""
    async with AsyncMemory(settings=settings, clock=clock) as memory:
        yield memory
        await insist(memory)


@pytest.fixture
async def models(opened: AsyncMemory, settings: Settings, database: Database) -> AsyncIterator[Models]:
    async with Models.open(database, settings) as models:
        yield models


@pytest.fixture
def memories(database: Database, models: Models, settings: Settings, clock: FrozenClock) -> AsyncLessons:
    """The memories, with the settings of the test."""
    return over(database, models, settings, clock)


@pytest.fixture
def with_secrets(database: Database, models: Models, settings: Settings, clock: FrozenClock) -> AsyncLessons:
    """The same, where secrets are kept."""
    return over(database, models, replace(settings, redact=False), clock)


def over(database: Database, models: Models, settings: Settings, clock: FrozenClock) -> AsyncLessons:
    search = Search(models, clock=clock, cache=Cache())
    return AsyncLessons(database, models, search, clock=clock, settings=settings)


@pytest.fixture
def record(opened: AsyncMemory, database: Database) -> Record:
    """Record a session of a project: what the user said, in order, a minute apart."""

    async def recorded(
        session: str,
        said: Sequence[str],
        *,
        project: str = "/home/ana/shop",
        days_ago: float = 1,
        space: str = SPACE,
        parent: str | None = None,
    ) -> None:
        begin = NOW - timedelta(days=days_ago)
        messages = [
            {
                "id": f"{session}-{number}",
                "role": "user",
                "content": text,
                "time": begin + timedelta(minutes=number),
            }
            for number, text in enumerate(said)
        ]
        await opened.observe(messages, space=space, session=session)
        async with database.write(space) as tx:
            await tx.conn.execute(
                "insert into transcripts.session_details (session_id, project_path, parent_session)"
                " select id, %s, %s from core.sessions where name = %s on conflict do nothing",
                (project, parent, session),
            )

    return recorded
