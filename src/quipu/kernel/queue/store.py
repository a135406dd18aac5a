"""The outbox of all spaces, for those who carry its jobs and look after them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any, Self, TypeVar

from psycopg_pool import AsyncConnectionPool, PoolTimeout

from quipu.errors import DatabaseUnavailable
from quipu.kernel.config import Settings
from quipu.kernel.db import connection, queries
from quipu.kernel.db.address import address, connect
from quipu.kernel.db.connection import translated
from quipu.kernel.db.database import Connection, ask, fetch
from quipu.kernel.db.recorded import RecordedConnection
from quipu.kernel.queue.model import Job, Look, Schedule, ScheduleStatus, Ticket, TopicStatus

_SQL = queries.load("quipu.kernel.queue")

# What is written here is only how far a job has come; what a crash takes of it is found out again. The tables
# of SAQ are found by the search path.
_SESSION = (
    "-c role=quipu_relay -c search_path=queue -c synchronous_commit=off -c jit=off"
    " -c timezone=UTC -c client_encoding=UTF8 -c application_name=quipu-queue"
)
_LISTENING = "-c role=quipu_relay -c application_name=quipu-worker"

_AGAIN_SECONDS = 1.0

Pool = AsyncConnectionPool[Connection]
_T = TypeVar("_T")


class Store:
    """Works as the role ``quipu_relay``, which sees the outbox of every space and nothing else of any."""

    def __init__(self, url: str, settings: Settings, pool: Pool) -> None:
        self.pool = pool
        self._url = url
        self._settings = settings

    @classmethod
    @asynccontextmanager
    async def open(cls, url: str, settings: Settings, *, connections: int = 2) -> AsyncGenerator[Self]:
        """Open a pool of at most ``connections``; the database must be migrated."""

        async def configure(conn: Connection) -> None:
            connection.limit(conn, settings)

        pool = Pool(
            address(url, settings, options=_SESSION),
            connection_class=RecordedConnection,
            kwargs={"autocommit": True},
            min_size=1,
            max_size=connections,
            timeout=settings.connect_seconds,
            reconnect_timeout=_AGAIN_SECONDS,
            configure=configure,
            check=connection.check_alive if settings.database_url else None,
            open=False,
        )
        async with pool:
            with translated():
                await pool.wait(settings.connect_seconds)  # whoever asks before has it open a second
            yield cls(url, settings, pool)

    async def take_due(self, topics: Sequence[str], *, now: datetime, limit: int) -> list[Ticket]:
        """Take jobs to hand over now; nobody else gets them."""
        return await self._fetch(Ticket, "take_due", topics=list(topics), now=now, limit=limit)

    async def take_unheard(
        self, topics: Sequence[str], *, before: datetime, now: datetime, limit: int
    ) -> list[Ticket]:
        """Take jobs that were handed over before ``before`` and are not done."""
        return await self._fetch(
            Ticket, "take_unheard", topics=list(topics), before=before, now=now, limit=limit
        )

    async def set_right(self, topics: Sequence[str], *, now: datetime) -> None:
        """Bring back jobs dated by a clock that was set back since."""
        await self._run("set_right", topics=list(topics), now=now)

    async def take_back(self, tickets: Iterable[Ticket]) -> None:
        """Put jobs that could not be handed over back to waiting."""
        numbers = list(tickets)
        await self._run(
            "take_back", spaces=[one.space_id for one in numbers], ids=[one.id for one in numbers]
        )

    async def claim(self, ticket: Ticket, *, now: datetime) -> Job | None:
        """Begin with a job, which counts as a try; None where it is done, given up or forgotten."""
        jobs = await self._fetch(Job, "claim", space=ticket.space_id, id=ticket.id, now=now)
        return jobs[0] if jobs else None

    async def done(self, job: Job) -> bool:
        """Take a job out that is done; False where it is gone already, or was put again."""
        return bool(await self._rows("done", space=job.space_id, id=job.id, version=job.version))

    async def fail(self, job: Job, error: str, *, retry_at: datetime, dead_at: datetime | None) -> None:
        """Note a failure: it is tried again at ``retry_at``, or given up at ``dead_at``."""
        place = {"space": job.space_id, "id": job.id, "version": job.version, "epoch": job.epoch}
        await self._run("fail", **place, error=error, retry_at=retry_at, dead_at=dead_at)

    async def postpone(self, job: Job, error: str, *, until: datetime) -> None:
        """Let a job wait ``until`` then, for lack of budget; the try does not count."""
        await self._run("postpone", space=job.space_id, id=job.id, error=error, until=until)

    async def give_back(self, ticket: Ticket | Job) -> None:
        """Put a job that was not tried to the end back to waiting."""
        await self._run("give_back", space=ticket.space_id, id=ticket.id)

    async def drop(self, job: Job) -> None:
        """Take a job out whose space is forgotten."""
        await self._run("drop", space=job.space_id, id=job.id)

    async def any_due(self, topics: Sequence[str], *, now: datetime) -> bool:
        """Return True if something is to be done now, or is being done."""
        return (await self._rows("any_due", topics=list(topics), now=now))[0][0]

    @asynccontextmanager
    async def listening(self) -> AsyncGenerator[Connection]:
        """Open a separate connection that hears of new jobs; it also shows others that a worker is there."""
        with translated():
            conn = await connect(self._url, self._settings, options=_LISTENING)
            async with conn:
                await conn.execute("listen quipu_outbox")
                yield conn

    async def identity(self) -> str:
        """Return eight characters that tell this database from others."""
        return (await self._rows("identity"))[0][0]

    async def workers(self) -> int:
        """Count the workers that listen on this database."""
        return (await self._rows("workers"))[0][0]

    async def ring(self) -> None:
        """Wake those who hand jobs over."""
        await self._run("ring")

    async def know(self, crons: Mapping[str, str], *, due: Sequence[datetime]) -> None:
        """Note schedules that are new, or whose times were changed; ``due`` is in the order of ``crons``."""
        names, times = list(crons), list(crons.values())
        await self._run("know_schedules", names=names, crons=times, due=list(due))

    async def bring_back(
        self, names: Sequence[str], *, latest: Sequence[datetime], due: Sequence[datetime]
    ) -> None:
        """Have each schedule that is due after its ``latest`` be due at its ``due``."""
        await self._run("bring_back", names=list(names), latest=list(latest), due=list(due))

    async def schedules_due(self, names: Sequence[str], *, now: datetime) -> list[tuple[str, datetime]]:
        """Return the schedules whose time has come, and when that was."""
        return await self._rows("schedules_due", names=list(names), now=now)

    async def hold(self, schedule: Schedule, *, now: datetime, due: datetime) -> bool:
        """Put a schedule off, once; False where it was held before and has not fired since."""
        return bool(await self._rows("hold", name=schedule.name, now=now, due=due))

    async def fire(self, schedule: Schedule, topic: str, *, now: datetime, following: datetime) -> int:
        """Put the jobs of a schedule, if nobody else has; returns how many."""
        values = {"name": schedule.name, "topic": topic, "each_space": schedule.each_space}
        return len(await self._rows("fire", **values, now=now, next=following))

    async def status(self, *, now: datetime) -> list[TopicStatus]:
        """Return the number of waiting jobs of each topic and state."""
        return await self._fetch(TopicStatus, "status", now=now)

    async def schedules(self) -> list[ScheduleStatus]:
        """Return every schedule that a worker of this database has known."""
        return await self._fetch(ScheduleStatus, "schedules")

    async def dead(self, *, topic: str | None, limit: int) -> list[Look]:
        """Return jobs that were given up, latest first."""
        return await self._fetch(Look, "dead", topic=topic, limit=limit)

    async def show(self, number: int) -> Look | None:
        """Return one job; None if there is none of that number."""
        rows = await self._fetch(Look, "show", id=number)
        return rows[0] if rows else None

    async def revive(self, ids: Sequence[int] | None, *, topic: str | None) -> int:
        """Put jobs that were given up back to waiting; return how many."""
        return len(await self._rows("revive", ids=None if ids is None else list(ids), topic=topic))

    async def purge(
        self, ids: Sequence[int] | None, *, topic: str | None, waiting: bool, confirm: bool
    ) -> dict[str, int]:
        """Throw away jobs that were given up, and with ``waiting`` all others; how many of each topic.

        Without ``confirm`` they are only counted.
        """
        values = {"ids": None if ids is None else list(ids), "topic": topic, "waiting": waiting}
        return dict(await self._rows("purge" if confirm else "count_purge", **values))

    @asynccontextmanager
    async def _connection(self) -> AsyncGenerator[Connection]:
        with translated():
            try:
                async with self.pool.connection() as conn:
                    yield conn
            except PoolTimeout as error:
                raise DatabaseUnavailable(
                    f"No connection was free for the queue: {error}", hint="Raise QUIPU_CONNECT_SECONDS."
                ) from error

    async def _fetch(self, row: type[_T], name: str, /, **values: object) -> list[_T]:
        async with self._connection() as conn:
            return await fetch(conn, row, _SQL[name], values)

    async def _rows(self, name: str, /, **values: object) -> list[tuple[Any, ...]]:
        async with self._connection() as conn:
            return await (await ask(conn, _SQL[name], values)).fetchall()

    async def _run(self, name: str, /, **values: object) -> None:
        async with self._connection() as conn:
            await ask(conn, _SQL[name], values)
