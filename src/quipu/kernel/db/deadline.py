"""Connections that do not wait for ever: one whose server is silent for too long is closed.

A limit that the server keeps, such as ``statement_timeout``, ends nothing where the server itself is stopped
or out of reach. Here the client counts: the time between two signs of the server, not that of the whole, so
that what is long and comes in parts is not cut off.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextlib import contextmanager, suppress
from enum import Enum
from time import monotonic
from typing import Any, Final, TypeVar

import psycopg
from psycopg import AsyncConnection, Notify, conninfo
from psycopg.abc import PQGen
from psycopg.rows import TupleRow
from psycopg.types.json import set_json_loads

from quipu.kernel.config import Settings
from quipu.kernel.db import queries
from quipu.kernel.db.plain import loads

_SQL = queries.load("quipu.kernel.db")

HEAR_SECONDS: Final = 2.0
"""How long who doubts whether anybody answers waits for a sign."""

_RV = TypeVar("_RV")
_LEAST_SECONDS: Final = 30.0
_MARGIN_SECONDS: Final = 5.0  # for the server to say that a statement took too long
_INTERVAL_SECONDS: Final = 0.1
_CANCEL_SECONDS: Final = 1.0
_PING_SECONDS: Final = 5
_LISTEN_SECONDS: Final = 3600.0


class Unanswered(psycopg.OperationalError):
    """The server gave no answer in time, and the connection was closed."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"there was no answer within {seconds:g} seconds")


class Connection(AsyncConnection[TupleRow]):
    """A connection that is closed where the server is silent for ``answer_seconds``.

    ``endures``: a statement may take as long as it takes, while the server answers others and works on it.
    """

    answer_seconds: float = _LEAST_SECONDS
    endures: bool = False

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        set_json_loads(loads, self)

    async def wait(
        self,
        gen: PQGen[_RV],
        interval: float = _INTERVAL_SECONDS,
        timeout: float | None = None,  # noqa: ASYNC109, as psycopg has it
    ) -> _RV:
        """Run ``gen`` to its end and return its result.

        Raises:
            Unanswered: nothing came in time.
        """
        try:
            return await self._waited(gen, interval, timeout)
        finally:
            if self.closed:
                _end(gen)

    async def _waited(self, gen: PQGen[_RV], interval: float, timeout: float | None) -> _RV:  # noqa: ASYNC109
        if timeout is not None:  # who listens for notices says how long
            _heed()
            return await super().wait(gen, interval, timeout)
        rested = False
        while True:
            try:
                return await super().wait(_limited(gen, self.answer_seconds), interval)
            except Unanswered:
                state = await _look(self) if self.endures else _State.SILENT
                # Once more, where it rests: what it did last may be on its way to us.
                if state is _State.SILENT or (state is _State.RESTS and rested):
                    self.pgconn.finish()
                    raise
                rested = state is _State.RESTS

    async def notifies(
        self,
        *,
        timeout: float | None = None,  # noqa: ASYNC109
        stop_after: int | None = None,
    ) -> AsyncGenerator[Notify]:
        """Yield notices as they come, however long none comes; keepalives reveal a dead line."""
        seconds = _LISTEN_SECONDS if timeout is None else timeout
        while True:
            async for notice in super().notifies(timeout=seconds, stop_after=stop_after):
                yield notice
            if timeout is not None or stop_after is not None:
                return

    async def cancel_safe(self, *, timeout: float = _CANCEL_SECONDS) -> None:  # noqa: ASYNC109
        """Cancel what runs. A server that does not even take this is silent, and the connection is closed."""
        try:
            await super().cancel_safe(timeout=min(timeout, _CANCEL_SECONDS))
        except psycopg.OperationalError:
            self.pgconn.finish()
            raise


class BlockingConnection(psycopg.Connection[TupleRow]):
    """Blocking connection that does not wait for ever for an answer."""

    answer_seconds: float = _LEAST_SECONDS

    def wait(self, gen: PQGen[_RV], interval: float = _INTERVAL_SECONDS, timeout: float | None = None) -> _RV:
        """Run ``gen`` to its end and return its result.

        Raises:
            Unanswered: nothing came in time.
        """
        if timeout is not None:
            return super().wait(gen, interval, timeout)
        try:
            return super().wait(_limited(gen, self.answer_seconds), interval)
        except Unanswered:
            self.pgconn.finish()
            _end(gen)
            raise


async def connect(
    url: str, settings: Settings, *, prepare_threshold: int | None = 5, **given: str
) -> Connection:
    """Open a connection in autocommit mode that does not wait for ever; ``given`` goes over the URL.

    Raises:
        psycopg.OperationalError: nobody answers, or not to us.
    """
    conn = await Connection.connect(
        address(url, settings, **given), autocommit=True, prepare_threshold=prepare_threshold
    )
    limit(conn, settings)
    return conn


def limit(conn: Connection, settings: Settings) -> None:
    """Give a connection the deadline of the settings."""
    conn.answer_seconds = answer_seconds(settings)
    conn.endures = settings.statement_seconds == 0


def answer_seconds(settings: Settings) -> float:
    """Return how long a server may be silent: as set, else long enough for it to end a statement."""
    if settings.answer_seconds is not None:
        return settings.answer_seconds
    return max(_LEAST_SECONDS, settings.statement_seconds + _MARGIN_SECONDS)


def address(url: str, settings: Settings, **given: str) -> str:
    """Return the URL with ``given``, plus defaults that end a dead connection where the URL sets none."""
    own = conninfo.conninfo_to_dict(url)
    quiet = {
        "connect_timeout": max(2, round(settings.connect_seconds)),
        "keepalives_idle": 30,
        "keepalives_interval": 10,
        "keepalives_count": 3,
        "tcp_user_timeout": int(answer_seconds(settings) * 1000),
    }
    return conninfo.make_conninfo("", **{**quiet, **own, **given})


@contextmanager
def tx(conn: Connection, seconds: float) -> Generator[None]:
    """Limit the server's silence to ``seconds`` for the block."""
    before, conn.answer_seconds = conn.answer_seconds, min(conn.answer_seconds, seconds)
    try:
        yield
    finally:
        conn.answer_seconds = before


@contextmanager
def enduring(conn: Connection) -> Generator[None]:
    """Let statements in the block take as long as they need, while the server answers others."""
    before, conn.endures = conn.endures, True
    try:
        yield
    finally:
        conn.endures = before


def _heed() -> None:
    """End a task that was cancelled and does not know: before Python 3.12 ``asyncio.wait_for`` forgets it
    where what it waits for, such as a connection of the pool, comes at the same moment.

    Who then waits without end learns it nowhere else.
    """
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError


def _end(gen: PQGen[Any]) -> None:
    """End what waited on a connection that is closed now.

    The end of a pipeline still asks it for answers when it is given up, and would complain to nobody when
    it is collected as garbage.
    """
    with suppress(psycopg.Error):
        gen.close()


def _limited(gen: PQGen[_RV], seconds: float) -> PQGen[_RV]:
    """Run ``gen`` while answers keep coming. It can be continued after ``Unanswered``."""
    until = monotonic() + seconds
    try:
        wanted = next(gen)
        while True:
            ready = yield wanted
            if ready:
                until = monotonic() + seconds
            elif monotonic() >= until:
                raise Unanswered(seconds)
            wanted = gen.send(ready)
    except StopIteration as done:
        return done.value


class _State(Enum):
    SILENT = "nobody answers"
    RESTS = "the server waits for us: what we sent, or what it sent, was lost on its way"
    LIVES = "the server is at work, or does not say"


async def _look(conn: Connection) -> _State:
    """Ask the server, by another connection, what it does for ``conn``.

    Not libpq's ping: the driver holds the interpreter's lock while it waits for that.
    """
    given = {**conn.info.get_parameters(), "options": "", "connect_timeout": str(_PING_SECONDS)}
    try:
        async with await Connection.connect(
            conninfo.make_conninfo("", **given), password=conn.info.password, autocommit=True
        ) as asking:
            asking.answer_seconds = _PING_SECONDS
            found = await (await asking.execute(_SQL["rests"], {"pid": conn.info.backend_pid})).fetchone()
    except psycopg.Error as error:  # it may have no connection left, or be starting
        return _State.LIVES if error.sqlstate or "FATAL" in str(error) else _State.SILENT
    return _State.RESTS if found is not None and found[0] else _State.LIVES
