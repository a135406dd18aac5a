"""A worker in a process of its own, to be stopped or killed: ``… URL LEASE_SECONDS [REDIS_URL]``."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable

import anyio
from errands import DUTIES

from quipu.app.kinds import PACKAGES
from quipu.app.workers import worker
from quipu.kernel.base.clock import SystemClock
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.recall.generations import Models


def settings_of(url: str, lease_seconds: int, redis_url: str | None) -> Settings:
    return Settings(
        database_url=url,
        redis_url=redis_url,
        embedding_model="hashing",
        pool_size=4,
        job_lease_seconds=lease_seconds,
        job_retry_seconds=0.05,
        job_tries=int(os.environ.get("QUIPU_JOB_TRIES", "3")),
        answer_seconds=float(os.environ.get("QUIPU_ANSWER_SECONDS", "30")),
    )


async def work(settings: Settings) -> None:
    assert settings.database_url is not None
    async with (
        Database.open(settings.database_url, settings, packages=PACKAGES) as database,
        Models.open(database, settings) as models,
        worker(database, models, settings, clock=SystemClock(), known=DUTIES) as hired,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(_until_told, hired.stop)
        done = await hired.run(grace_seconds=5)
        print(done.done)
        tasks.cancel_scope.cancel()


async def _until_told(stop: Callable[[], None]) -> None:
    with anyio.open_signal_receiver(signal.SIGTERM) as signals:
        async for _ in signals:
            stop()
            print("ending", flush=True)


if __name__ == "__main__":
    anyio.run(work, settings_of(sys.argv[1], int(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else None))
