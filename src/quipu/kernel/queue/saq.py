"""Carrying tickets to workers with SAQ: through PostgreSQL, or through Redis.

SAQ hands each ticket to one worker at a time and, when that worker is not heard of any more, to another. What
the job is, whether it is done and how often it failed stands in the outbox; a queue that loses everything
loses nothing.
"""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, aclosing, asynccontextmanager, suppress
from typing import Any, Final, Self, cast

import anyio
from psycopg import AsyncConnection, OperationalError
from psycopg.rows import TupleRow
from psycopg_pool import AsyncConnectionPool, PoolClosed, PoolTimeout
from saq import Job as SaqJob
from saq import Queue, Status
from saq.queue.postgres import CHANNEL, ListenMultiplexer, PostgresQueue

from quipu.errors import MissingExtra, QuipuError
from quipu.kernel.db.connection import translated
from quipu.kernel.queue.model import Ticket, WorkTopic
from quipu.kernel.queue.store import Store

_SWEEP_SECONDS: Final = 0.05  # SAQ waits this long for a worker that is not heard of to answer after all
_NEVER_KEPT: Final = -1
_PAUSE_SECONDS: Final = 1.0
_LEAVING_SECONDS: Final = 10.0
_LONG_AGO: Final = 1 << 29  # seconds since 1970: a day in 1987
_ALIVE: Final = (Status.QUEUED, Status.ACTIVE)

Pool = AsyncConnectionPool[AsyncConnection[TupleRow]]

Translation = Callable[[], AbstractContextManager[None]]
"""A block whose errors leave it as ours."""


class _Listener(ListenMultiplexer):
    """Listens for all queues on one connection, until that ends; who takes the next ticket learns it then."""

    def __init__(self, pool: Pool) -> None:
        super().__init__(pool, CHANNEL.format("quipu"))
        self._begun: set[asyncio.Task[None]] = set()
        self.turn = anyio.Lock()

    async def start(self) -> None:
        """Listen, anew where the connection has ended: SAQ waits until nobody asks for it any more."""
        task = cast("asyncio.Task[None] | None", self._daemon_task)
        if task is not None and task.done():
            self._daemon_task = None
        await super().start()

    async def _start(self) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._begun.add(task)
        task.add_done_callback(self._begun.discard)
        with suppress(OperationalError, PoolClosed, PoolTimeout):
            await super()._start()

    async def end(self) -> None:
        """Stop listening, and wait until the connection is given back: SAQ only says that it is to end."""
        await self.close()
        if self._begun:
            await asyncio.wait(self._begun)


class _Ear(ListenMultiplexer):
    """The part of a listener that is for one queue."""

    def __init__(self, listener: _Listener, queue: str) -> None:
        super().__init__(listener.pool, listener.key)
        self._listener: Any = listener  # SAQ does not say what it yields
        self._queue = queue

    async def listen(self, *channels: str, timeout: float | None = None) -> AsyncGenerator[str]:  # noqa: ASYNC109 - SAQ's
        """Yield what happens in the queue."""
        told = {f"{self._queue} {channel}": channel for channel in channels}
        async with aclosing(self._listener.listen(*told, timeout=timeout)) as heard:
            async for one in heard:
                yield told[one]

    async def end(self) -> None:
        """Have the listener end."""
        await self._listener.end()


class _PostgresQueue(PostgresQueue):
    """On the tables that our migrations made: the role that works on them may make none."""

    def __init__(self, *, listener: _Listener, name: str) -> None:
        super().__init__(pool=listener.pool, name=name)
        self._channel = listener.key
        self._listener: _Ear = _Ear(listener, name)
        self._turn = listener.turn
        self._asks = False

    async def _notify(self, key: str, connection: AsyncConnection[TupleRow] | None = None) -> None:
        await super()._notify(f"{self.name} {key}", connection)

    async def _dequeue(self) -> None:
        """Ask for tickets, one queue after the other: all at once would open a connection each."""
        if self._asks:
            return
        self._asks = True
        try:
            async with self._turn:
                await super()._dequeue()
        finally:
            self._asks = False

    async def disconnect(self) -> None:
        """Leave nobody behind who still listens."""
        await self._listener.end()
        await super().disconnect()

    async def init_db(self) -> None:
        """Do nothing: the tables exist already."""

    async def enqueue(self, job_or_func: str | SaqJob, **kwargs: Any) -> SaqJob | None:
        """Put a job that may be taken whatever the clock says: SAQ would wait for the time it was put.

        What waits longest has the lowest number, so it is taken first.
        """
        assert isinstance(job_or_func, SaqJob)
        job_or_func.scheduled = min(cast("dict[str, int]", job_or_func.kwargs)["id"], _LONG_AGO)
        return await super().enqueue(job_or_func, **kwargs)


class Delivery:
    """A ticket in the hands of this worker, until it is put down."""

    def __init__(self, ticket: Ticket, job: SaqJob, told: Translation) -> None:
        self.ticket = ticket
        self._job = job
        self._told = told

    async def beat(self) -> None:
        """Say that the worker is still at it."""
        with self._told():
            await self._job.update()

    async def put_down(self) -> None:
        """Mark the delivery as finished, however it ended."""
        with self._told():
            await self._job.finish(Status.COMPLETE)


class Carrier:
    """The queues of some topics. Whatever it does raises DatabaseUnavailable where nobody answers."""

    def __init__(self, queues: Mapping[str, Queue], told: Translation, *, lease_seconds: int) -> None:
        self._queues = queues
        self._told = told
        self._lease_seconds = lease_seconds

    @classmethod
    @asynccontextmanager
    async def open(
        cls, lines: Sequence[WorkTopic], *, store: Store, redis_url: str | None, lease_seconds: int
    ) -> AsyncGenerator[Self]:
        """Open queues in Redis if ``redis_url`` is set, else in the database of ``store``.

        In Redis a queue is called after its database too: others may have theirs there.

        Raises:
            MissingExtra: Redis is wanted and its library is not installed.
            ConfigError: ``redis_url`` is no address.
        """
        queues: dict[str, Queue]
        told: Translation = translated
        if redis_url is None:
            pool = cast("Pool", store.pool)  # ours do more
            listener = _Listener(pool)
            queues = {line.topic: _PostgresQueue(listener=listener, name=line.queue) for line in lines}
        else:
            try:
                from quipu.kernel.queue import redis  # noqa: PLC0415 - an optional extra
            except ImportError as error:
                raise MissingExtra("redis", "A queue in Redis") from error
            told = redis.told
            ours = await store.identity()
            queues = {line.topic: redis.queue(redis_url, f"{line.queue}@{ours}") for line in lines}
        try:
            for queue in queues.values():
                await queue.connect()
            yield cls(queues, told, lease_seconds=lease_seconds)
        finally:
            with anyio.move_on_after(_LEAVING_SECONDS, shield=True):
                for queue in queues.values():
                    with suppress(QuipuError), told():  # it takes its leave of a Redis that may be gone
                        await queue.disconnect()

    async def send(self, ticket: Ticket) -> None:
        """Hand a ticket over; one that is in the queue already stays as it is."""
        queue = self._queues[ticket.topic]
        job = SaqJob(
            function=ticket.topic,
            key=_key(queue, ticket),
            kwargs={"space_id": ticket.space_id, "id": ticket.id},
            timeout=0,
            heartbeat=self._lease_seconds,
            ttl=_NEVER_KEPT,
        )
        with self._told():
            await queue.enqueue(job)

    async def missing(self, tickets: Iterable[Ticket]) -> list[Ticket]:
        """Return the tickets that are in no queue, though they were handed over."""
        by_topic: defaultdict[str, list[Ticket]] = defaultdict(list)
        for ticket in tickets:
            by_topic[ticket.topic].append(ticket)
        lost: list[Ticket] = []
        for topic, some in by_topic.items():
            queue = self._queues[topic]
            with self._told():
                jobs = await queue.jobs([_key(queue, ticket) for ticket in some])
            latest = time.time() + self._lease_seconds
            there = [job is not None and job.status in _ALIVE for job in jobs]
            for place, job in enumerate(jobs):
                # Who was at it would have said so since the clock was set back.
                if job is not None and job.status is Status.ACTIVE and job.touched / 1000 > latest:
                    with self._told():
                        await job.finish(Status.ABORTED)
                    there[place] = False
            lost += [ticket for ticket, alive in zip(some, there, strict=True) if not alive]
        return lost

    async def take(self, topic: str, *, wait_seconds: float) -> Delivery | None:
        """Take the next ticket of a topic; None if none came within ``wait_seconds``.

        Once the connection on which SAQ listens has ended, SAQ returns nothing at once, each time: then we
        ask once a second.
        """
        began = anyio.current_time()
        with self._told():
            job = await self._queues[topic].dequeue(timeout=wait_seconds)
            if job is None:
                left = wait_seconds - (anyio.current_time() - began)
                await anyio.sleep(max(0.0, min(left, _PAUSE_SECONDS)))
                return None
            if job.status is not Status.ACTIVE:  # Redis leaves it to us to say that it is in hand
                job.started = round(time.time() * 1000)
                await job.update(status=Status.ACTIVE)
        arguments = cast("dict[str, Any]", job.kwargs)
        return Delivery(Ticket(arguments["space_id"], arguments["id"], topic), job, self._told)

    async def sweep(self, *, every_seconds: int) -> None:
        """Take tickets from workers that are not heard of; one worker does it at a time."""
        for queue in self._queues.values():
            # SAQ stumbles over a ticket that is put down while it looks at it; the next time it is gone.
            with self._told(), suppress(RuntimeError):
                await queue.sweep(lock=every_seconds, abort=_SWEEP_SECONDS)


def _key(queue: Queue, ticket: Ticket) -> str:
    return f"{queue.name}:{ticket.space_id}.{ticket.id}"
