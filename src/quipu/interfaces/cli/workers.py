"""A worker of the memory that a call is about, and the signals that end it."""

from __future__ import annotations

import signal
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager

import anyio
from anyio import CancelScope
from anyio.abc import TaskStatus

from quipu.app.kinds import PACKAGES
from quipu.app.workers import worker
from quipu.interfaces.cli.memory import address
from quipu.kernel.base.clock import SystemClock
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.kernel.queue.worker import Noted, Worker, ignore
from quipu.recall.generations import Models


@asynccontextmanager
async def employed(
    settings: Settings, *, wanted: Sequence[str] = (), concurrency: int = 2, noted: Noted = ignore
) -> AsyncGenerator[Worker]:
    """Open the database of the settings, and a worker on it, for the block."""
    async with (
        address(settings) as url,
        Database.open(url, settings, packages=PACKAGES) as database,
        Models.open(database, settings) as models,
        worker(
            database,
            models,
            settings,
            clock=SystemClock(),
            wanted=wanted,
            concurrency=concurrency,
            noted=noted,
        ) as hired,
    ):
        yield hired


async def heed(
    hired: Worker, leaving: Callable[[], None], everything: CancelScope, *, task_status: TaskStatus[None]
) -> None:
    """Stop the worker when the process is told to end; at once when it is told again."""
    stopping = False
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        task_status.started()
        async for _ in signals:
            if stopping:
                everything.cancel()
                return
            stopping = True
            leaving()
            hired.stop()
