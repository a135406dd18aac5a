"""Looking after the queue: how it stands, what was given up, and what to do about it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Self

from quipu.app.kinds import KINDS
from quipu.errors import BadInput, NotFound
from quipu.kernel.base.clock import Clock, SystemClock
from quipu.kernel.config import Settings
from quipu.kernel.queue import connections as naming
from quipu.kernel.queue.connections import redis_url
from quipu.kernel.queue.model import SCHEDULES, Look, QueueStatus, TopicStatus
from quipu.kernel.queue.store import Store

_MOST = 1_000


@dataclass(frozen=True, slots=True)
class Purge:
    """Jobs thrown away, or (``done`` is false) to be thrown away, by topic."""

    done: bool
    jobs: Mapping[str, int]


class Queue:
    """The jobs of all spaces, for whoever administers the database."""

    def __init__(self, store: Store, settings: Settings, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._carrier = "PostgreSQL" if redis_url(settings) is None else "Redis"
        handled = {topic for kind in KINDS for topic in kind.handlers} | {SCHEDULES}
        self._names = naming.names(handled, settings.connections)

    @classmethod
    @asynccontextmanager
    async def open(cls, url: str, settings: Settings, *, clock: Clock | None = None) -> AsyncGenerator[Self]:
        """Open the queue of the migrated database at ``url``."""
        async with Store.open(url, settings) as store:
            yield cls(store, settings, clock or SystemClock())

    async def status(self) -> QueueStatus:
        """Return the waiting jobs by topic.

        Every topic of this version is listed, and others that have jobs.
        """
        found = {one.topic: one for one in await self._store.status(now=self._clock.now())}
        for topic in self._names:
            found.setdefault(topic, TopicStatus(topic, None, 0, 0, 0, 0, None))
        topics = [replace(found[topic], queue=self._names.get(topic)) for topic in sorted(found)]
        schedules = await self._store.schedules()
        return QueueStatus(self._carrier, await self._store.workers(), tuple(topics), tuple(schedules))

    async def dead(self, *, topic: str | None = None, limit: int = 20) -> list[Look]:
        """Return jobs that were given up, latest first.

        Raises:
            BadInput: ``limit`` is not 1 to 1,000, or there is no such topic.
        """
        if not 1 <= limit <= _MOST:
            raise BadInput(f"it can be 1 to {_MOST:,}.", field="limit")
        return await self._store.dead(topic=self._topic(topic), limit=limit)

    async def get(self, job: int) -> Look:
        """Return one job, with its payload and how it failed.

        Raises:
            NotFound: there is no such job (any more): it may be done.
        """
        found = await self._store.show(job)
        if found is None:
            raise NotFound(
                f"There is no job {job}.", hint="It may be done. Those given up are listed as dead."
            )
        return found

    async def retry(self, jobs: Sequence[int] | None, *, topic: str | None = None) -> int:
        """Try jobs that were given up again as if new, all if ``jobs`` is None; return how many."""
        revived = await self._store.revive(jobs, topic=self._topic(topic))
        if revived:
            await self._store.ring()
        return revived

    async def purge(
        self,
        jobs: Sequence[int] | None,
        *,
        topic: str | None = None,
        waiting: bool = False,
        confirm: bool = False,
    ) -> Purge:
        """Throw away what was given up, and with ``waiting`` what waits; without ``confirm`` a preview."""
        counts = await self._store.purge(jobs, topic=self._topic(topic), waiting=waiting, confirm=confirm)
        return Purge(confirm, counts)

    def _topic(self, name: str | None) -> str | None:
        if name is None:
            return None
        return next(iter(naming.chosen([name], self._names)))
