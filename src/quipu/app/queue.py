"""The queue as an open memory shows it: how it stands, what was given up, and what to do about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from typing import Annotated, Final

from annotated_types import Interval
from typing_extensions import Doc

from quipu.app.kinds import KINDS
from quipu.errors import NotFound
from quipu.kernel.base.clock import Clock
from quipu.kernel.base.parameters import Confirm, Example, Limit
from quipu.kernel.base.scope import whole
from quipu.kernel.config import Settings
from quipu.kernel.queue import connections as naming
from quipu.kernel.queue.connections import redis_url
from quipu.kernel.queue.model import SCHEDULES, Look, QueueStatus, TopicStatus
from quipu.kernel.queue.store import Store

_MOST: Final = 1_000
_LAST: Final = 2**63 - 1

Job = Annotated[int, Doc("The number of the job."), Interval(ge=1, le=_LAST), Example(17)]
Jobs = Annotated[
    Sequence[int] | None,
    Doc("The numbers of the jobs; without them, all that were given up."),
    Interval(ge=1, le=_LAST),
    Example([17]),
]
OnlyTopic = Annotated[str | None, Doc("Only jobs of this topic."), Example("memory_chunker")]


@dataclass(frozen=True, slots=True)
class Purge:
    """Jobs thrown away, or (``done`` is false) to be thrown away, by topic."""

    done: bool
    jobs: Mapping[str, int]


class AsyncQueue:
    """The jobs of all spaces, for whoever administers the database: how they stand, and what was given up.

    Each call connects as the role that sees jobs and nothing else.
    """

    def __init__(self, url: str, *, clock: Clock, settings: Settings) -> None:
        self._url = url
        self._clock = clock
        self._settings = settings

    async def status(self) -> QueueStatus:
        """Show the jobs of each topic, the times of the schedules, and the workers.

        Every topic of this version is listed, and others that have jobs.
        """
        async with self._open() as store:
            found = {one.topic: one for one in await store.status(now=self._clock.now())}
            names = self._names()
            for topic in names:
                found.setdefault(topic, TopicStatus(topic, None, 0, 0, 0, 0, None))
            topics = tuple(replace(found[topic], queue=names.get(topic)) for topic in sorted(found))
            carrier = "PostgreSQL" if redis_url(self._settings) is None else "Redis"
            return QueueStatus(carrier, await store.workers(), topics, tuple(await store.schedules()))

    async def dead(self, *, topic: OnlyTopic = None, limit: Limit = 20) -> list[Look]:
        """List the jobs that were given up after too many failed tries, latest first.

        Raises:
            BadInput: `limit` is not 1 to 1,000, or there is no such topic.
        """
        whole("limit", limit, most=_MOST)
        async with self._open() as store:
            return await store.dead(topic=self._topic(topic), limit=limit)

    async def get(self, job: Job) -> Look:
        """Get one job: its payload, how often it was tried, how it failed.

        Raises:
            NotFound: There is no such job (any more): it may be done.
        """
        async with self._open() as store:
            found = await store.show(job)
        if found is None:
            raise NotFound(
                f"There is no job {job}.", hint="It may be done. Those given up are listed as dead."
            )
        return found

    async def retry(self, jobs: Jobs = None, *, topic: OnlyTopic = None) -> int:
        """Try jobs that were given up once more, as if they were new. Return how many there are.

        Raises:
            BadInput: There is no such topic.
        """
        async with self._open() as store:
            revived = await store.revive(jobs, topic=self._topic(topic))
            if revived:
                await store.ring()
            return revived

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
        async with self._open() as store:
            counts = await store.purge(jobs, topic=self._topic(topic), waiting=waiting, confirm=confirm)
        return Purge(confirm, counts)

    def _open(self) -> AbstractAsyncContextManager[Store]:
        return Store.open(self._url, self._settings)

    def _names(self) -> dict[str, str]:
        """Return the name in the queue of every topic."""
        handled = {topic for kind in KINDS for topic in kind.handlers} | {SCHEDULES}
        return naming.names(handled, self._settings.connections)

    def _topic(self, name: str | None) -> str | None:
        return None if name is None else next(iter(naming.chosen([name], self._names())))
