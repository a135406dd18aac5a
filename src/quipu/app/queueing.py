"""The queue as an open memory shows it: ``memory.queue``."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

from quipu.app.queue import Purge, Queue
from quipu.kernel.base.clock import Clock
from quipu.kernel.config import Settings
from quipu.kernel.queue.model import Look, QueueStatus


class AsyncQueue:
    """The jobs of all spaces, for whoever administers the database: how they stand, and what was given up.

    Each call connects as the role that sees jobs and nothing else.
    """

    def __init__(self, url: str, *, clock: Clock, settings: Settings) -> None:
        self._url = url
        self._clock = clock
        self._settings = settings

    async def status(self) -> QueueStatus:
        """Return the waiting jobs by topic, the next run of each schedule, and the number of workers."""
        async with self._open() as queue:
            return await queue.status()

    async def dead(self, *, topic: str | None = None, limit: int = 20) -> list[Look]:
        """Return jobs that were given up, latest first.

        Raises:
            BadInput: ``limit`` is not 1 to 1,000, or there is no such topic.
        """
        async with self._open() as queue:
            return await queue.dead(topic=topic, limit=limit)

    async def show(self, number: int) -> Look:
        """Return one job, with its payload and how it failed.

        Raises:
            NotFound: there is no such job (any more): it may be done.
        """
        async with self._open() as queue:
            return await queue.show(number)

    async def retry(self, numbers: Sequence[int] | None = None, *, topic: str | None = None) -> int:
        """Try jobs that were given up again as if new, all if none is named; return how many.

        Raises:
            BadInput: there is no such topic.
        """
        async with self._open() as queue:
            return await queue.retry(numbers, topic=topic)

    async def purge(
        self,
        numbers: Sequence[int] | None = None,
        *,
        topic: str | None = None,
        waiting: bool = False,
        confirm: bool = False,
    ) -> Purge:
        """Throw away what was given up, and with ``waiting`` what waits; without ``confirm`` a preview.

        Raises:
            BadInput: there is no such topic.
        """
        async with self._open() as queue:
            return await queue.purge(numbers, topic=topic, waiting=waiting, confirm=confirm)

    @asynccontextmanager
    async def _open(self) -> AsyncGenerator[Queue]:
        async with Queue.open(self._url, self._settings, clock=self._clock) as queue:
            yield queue
