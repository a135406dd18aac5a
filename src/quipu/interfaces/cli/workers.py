"""Workers of the memory that a call is about, one for each database, and the signals that end them."""

from __future__ import annotations

import logging
import signal
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import Final, Protocol

import anyio
from anyio import CancelScope
from anyio.abc import TaskStatus

from quipu.app.kinds import PACKAGES
from quipu.app.workers import worker
from quipu.errors import DatabaseUnavailable
from quipu.interfaces.cli.memory import address, each_database
from quipu.kernel.base.clock import SystemClock
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.kernel.queue.model import Worked
from quipu.kernel.queue.worker import Noted, Worker, ignore
from quipu.recall.generations import Models

_LOG = logging.getLogger("quipu.queue")
_LOOK_SECONDS: Final = 60.0
_AGAIN_SECONDS: Final = 10.0


class Hired(Protocol):
    """A worker, or one for each database."""

    @property
    def queues(self) -> Sequence[str]:
        """The names of the queues that it works on."""
        ...

    def stop(self) -> None:
        """Take no more jobs, and end when those in hand are done."""
        ...

    async def run(self, *, grace_seconds: float = ...) -> Worked:
        """Work until it is stopped."""
        ...

    async def burst(self) -> Worked:
        """Work until nothing is due any more."""
        ...


Employ = Callable[[Settings], AbstractAsyncContextManager[Worker]]


class Team:
    """A worker for each database of a directory, in one process.

    A database that does not answer is waited for, one that is added later gets its worker within a minute.
    """

    def __init__(self, settings: Settings, employ: Employ) -> None:
        self._settings = settings
        self._employ = employ
        self._hired: dict[str, Worker | None] = {}
        self._stopping = anyio.Event()
        self._done: list[Worked] = []

    @property
    def queues(self) -> Sequence[str]:
        """The names of the queues that it works on."""
        return ("every database of the directory",)

    def stop(self) -> None:
        """Take no more jobs, and end when those in hand are done."""
        self._stopping.set()
        for one in self._hired.values():
            if one is not None:
                one.stop()

    async def burst(self) -> Worked:
        """Work on each database, one after the other, until nothing is due there any more."""
        async for _, settings in each_database(self._settings):
            async with self._employ(settings) as hired:
                self._done.append(await hired.burst())
        return self._sum

    async def run(self, *, grace_seconds: float = 30.0) -> Worked:
        """Work on all databases at once until it is stopped."""
        async with self._employ(replace(self._settings, directory_url=None)):
            pass  # the directory has its tables now, and can be read
        async with anyio.create_task_group() as tasks:
            while not self._stopping.is_set():
                with suppress(DatabaseUnavailable):
                    async for name, settings in each_database(self._settings):
                        if name not in self._hired:
                            self._hired[name] = None
                            tasks.start_soon(self._serve, name, settings, grace_seconds)
                await self._pause(_LOOK_SECONDS)
        return self._sum

    async def _serve(self, name: str, settings: Settings, grace_seconds: float) -> None:
        told = False
        while not self._stopping.is_set():
            try:
                async with self._employ(settings) as hired:
                    self._hired[name] = hired
                    if not self._stopping.is_set():
                        self._done.append(await hired.run(grace_seconds=grace_seconds))
            except DatabaseUnavailable as error:
                if not told:
                    _LOG.warning("The database %r does not work: %s", name, error)
                told = True
                await self._pause(_AGAIN_SECONDS)

    async def _pause(self, seconds: float) -> None:
        with anyio.move_on_after(seconds):
            await self._stopping.wait()

    @property
    def _sum(self) -> Worked:
        counts = ("done", "failed", "dead")
        return Worked(*(sum(getattr(one, count) for one in self._done) for count in counts))


@asynccontextmanager
async def employed(
    settings: Settings, *, wanted: Sequence[str] = (), concurrency: int = 2, noted: Noted = ignore
) -> AsyncGenerator[Hired]:
    """Open the database of the settings, and a worker on it, for the block; of a directory, all databases."""
    employ = partial(_employed, wanted=wanted, concurrency=concurrency, noted=noted)
    if settings.directory_url is not None:
        yield Team(settings, employ)
        return
    async with employ(settings) as hired:
        yield hired


@asynccontextmanager
async def _employed(
    settings: Settings, *, wanted: Sequence[str], concurrency: int, noted: Noted
) -> AsyncGenerator[Worker]:
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
    hired: Hired, leaving: Callable[[], None], everything: CancelScope, *, task_status: TaskStatus[None]
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
