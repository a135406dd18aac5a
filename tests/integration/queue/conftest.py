"""A queue to work on, in PostgreSQL and in Redis: whatever is asked of it must hold in both."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any

import anyio
import psycopg
import pytest
from errands import DUTIES, TRACE
from patience import PATIENCE_SECONDS
from redis_server import RedisServer
from worker_process import settings_of

from quipu.app.kinds import PACKAGES
from quipu.app.workers import Duties, worker
from quipu.kernel.base.clock import SystemClock
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.kernel.queue.model import Worked
from quipu.kernel.queue.outbox import put
from quipu.kernel.queue.store import Store
from quipu.kernel.queue.worker import Worker
from quipu.recall.generations import Models

_NUMBERS = count()
_ROWS = """
select id, space_id, attempts, sent_at, started_at, dead_at, error from core.outbox where topic <> 'trace'"""
LEASE_SECONDS = 30  # a busy machine may be late to say that it is still at a job
EMPTY = "truncate core.outbox, core.schedules, queue.saq_jobs"


@pytest.fixture(scope="module")
def redis() -> Iterator[RedisServer]:
    with tempfile.TemporaryDirectory(prefix="quipu-redis-") as directory:
        running = RedisServer(Path(directory))
        running.start()
        yield running
        running.stop()


@dataclass
class Works:
    """A queue with its database: puts jobs, works, and counts the effects."""

    database: Database
    store: Store
    settings: Settings
    redis: RedisServer | None
    space: str
    _open: list[Any] = field(default_factory=list)

    async def put(self, topic: str, payload: dict[str, Any] | None = None, **options: Any) -> None:
        async with self.database.write(self.space) as tx:
            await put(tx, topic, payload or {}, **options)

    async def traces(self) -> list[dict[str, Any]]:
        """The effects that jobs had."""
        return [payload for topic, payload in await self.jobs() if topic == TRACE]

    async def left(self) -> list[str]:
        """The topics of jobs that are not done."""
        return [topic for topic, _ in await self.jobs() if topic != TRACE]

    async def jobs(self) -> list[tuple[str, dict[str, Any]]]:
        async with self.database.transaction(self.space) as tx:
            if tx is None:
                return []
            found = await tx.conn.execute("select topic, payload from core.outbox order by id")
            return await found.fetchall()

    async def one(self) -> dict[str, Any]:
        """The only job that is not an effect, with all its columns."""
        (row,) = await self.rows()
        return row

    async def rows(self) -> list[dict[str, Any]]:
        """The jobs that are not effects, with all their columns."""
        async with self.database.transaction(self.space) as tx:
            assert tx is not None
            cursor = tx.conn.cursor(row_factory=psycopg.rows.dict_row)
            await cursor.execute(_ROWS)
            return await cursor.fetchall()

    @asynccontextmanager
    async def worker(
        self, known: Duties = DUTIES, settings: Settings | None = None, **options: Any
    ) -> AsyncGenerator[Worker]:
        settings = settings or self.settings
        async with (
            Models.open(self.database, settings) as models,
            worker(
                self.database, models, settings, clock=SystemClock(), known=known, tick_seconds=0.1, **options
            ) as hired,
        ):
            yield hired

    async def burst(self, **changed: Any) -> Worked:
        async with self.worker(settings=replace(self.settings, **changed)) as hired:
            return await hired.burst()

    @asynccontextmanager
    async def working(self, workers: int = 1, **options: Any) -> AsyncGenerator[list[Worker]]:
        """Workers at it for the block; they are stopped when it ends."""
        hired: list[Worker] = []
        async with anyio.create_task_group() as tasks:

            async def work(task_status: anyio.abc.TaskStatus[None]) -> None:
                async with self.worker(**options) as one:
                    hired.append(one)
                    task_status.started()
                    await one.run(grace_seconds=PATIENCE_SECONDS)

            for _ in range(workers):
                await tasks.start(work)
            yield hired
            for one in hired:
                one.stop()

    async def until_done(self) -> None:
        """Wait until nothing is left but effects."""
        with anyio.move_on_after(PATIENCE_SECONDS) as waited:
            while await self.left():  # noqa: ASYNC110 - other processes do it
                await anyio.sleep(0.02)
        assert not waited.cancelled_caught, await self.rows()

    async def lose_everything(self) -> None:
        """What carries the jobs forgets all of them."""
        if self.redis is not None:
            self.redis.empty()
        async with self.database.owner() as conn:
            await conn.execute("truncate queue.saq_jobs")


@pytest.fixture(params=["postgresql", "redis"])
def carrier(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
async def works(carrier: str, module_url: str, request: pytest.FixtureRequest) -> AsyncIterator[Works]:
    server: RedisServer | None = request.getfixturevalue("redis") if carrier == "redis" else None
    settings = settings_of(module_url, LEASE_SECONDS, server.url if server else None)
    async with (
        Database.open(module_url, settings, packages=PACKAGES) as database,
        Store.open(module_url, settings) as store,
    ):
        async with database.owner() as conn:
            await conn.execute(EMPTY)
        if server is not None:
            server.empty()
        yield Works(database, store, settings, server, f"space {next(_NUMBERS)}")
