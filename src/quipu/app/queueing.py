"""The queue as an open memory shows it: ``memory.queue``."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Annotated, Final

from annotated_types import Interval
from typing_extensions import Doc

from quipu.app.queue import Purge, Queue
from quipu.kernel.base.clock import Clock
from quipu.kernel.base.parameters import Confirm, Example, Limit
from quipu.kernel.config import Settings
from quipu.kernel.queue.model import Look, QueueStatus

_LAST: Final = 2**63 - 1

Job = Annotated[int, Doc("The number of the job."), Interval(ge=1, le=_LAST), Example(17)]
Jobs = Annotated[
    Sequence[int] | None,
    Doc("The numbers of the jobs; without them, all that were given up."),
    Interval(ge=1, le=_LAST),
    Example([17]),
]
OnlyTopic = Annotated[str | None, Doc("Only jobs of this topic."), Example("memory_chunker")]


class AsyncQueue:
    """The jobs of all spaces, for whoever administers the database: how they stand, and what was given up.

    Each call connects as the role that sees jobs and nothing else.
    """

    def __init__(self, url: str, *, clock: Clock, settings: Settings) -> None:
        self._url = url
        self._clock = clock
        self._settings = settings

    async def status(self) -> QueueStatus:
        """Show how the jobs of each topic stand, when schedules are due, and who works.

        Every topic of this version is listed, and others that have jobs.
        """
        async with self._open() as queue:
            return await queue.status()

    async def dead(self, *, topic: OnlyTopic = None, limit: Limit = 20) -> list[Look]:
        """List the jobs that were given up after too many failed tries, latest first.

        Raises:
            BadInput: `limit` is not 1 to 1,000, or there is no such topic.
        """
        async with self._open() as queue:
            return await queue.dead(topic=topic, limit=limit)

    async def get(self, job: Job) -> Look:
        """Get one job: its payload, how often it was tried, how it failed.

        Raises:
            NotFound: There is no such job (any more): it may be done.
        """
        async with self._open() as queue:
            return await queue.get(job)

    async def retry(self, jobs: Jobs = None, *, topic: OnlyTopic = None) -> int:
        """Try jobs that were given up once more, as if they were new. Return how many there are.

        Raises:
            BadInput: There is no such topic.
        """
        async with self._open() as queue:
            return await queue.retry(jobs, topic=topic)

    async def purge(
        self,
        jobs: Jobs = None,
        *,
        topic: OnlyTopic = None,
        waiting: Annotated[bool, Doc("Also jobs that were not given up; they are never done.")] = False,
        confirm: Confirm = False,
    ) -> Purge:
        """Throw away jobs that were given up, after a preview of how many would go.

        Raises:
            BadInput: There is no such topic.
        """
        async with self._open() as queue:
            return await queue.purge(jobs, topic=topic, waiting=waiting, confirm=confirm)

    @asynccontextmanager
    async def _open(self) -> AsyncGenerator[Queue]:
        async with Queue.open(self._url, self._settings, clock=self._clock) as queue:
            yield queue
