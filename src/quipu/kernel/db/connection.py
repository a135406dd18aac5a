"""Connections to PostgreSQL: closed if the server is silent for too long, able to read every moment.

A limit that the server keeps, such as ``statement_timeout``, ends nothing where the server itself is stopped
or out of reach. So the client counts the time between two signs of the server. It does not count the time of
the whole answer: a long one that comes in parts is not cut off.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from datetime import UTC, datetime
from enum import Enum
from selectors import EVENT_READ
from time import monotonic
from typing import Any, Final, LiteralString, TypeVar, cast
from weakref import WeakKeyDictionary

import psycopg
from psycopg import AsyncConnection, AsyncRawCursor, DataError, Notify, conninfo
from psycopg import errors as pg
from psycopg.abc import AdaptContext, Buffer, PQGen, QueryNoTemplate
from psycopg.abc import Loader as AnyLoader
from psycopg.adapt import Loader
from psycopg.errors import Diagnostic
from psycopg.pq import Format
from psycopg.rows import TupleRow, class_row
from psycopg.sql import Composed
from psycopg.types.json import set_json_loads
from psycopg_pool import AsyncConnectionPool

from quipu.errors import AccessRefused, DatabaseUnsuitable, NotReplicated
from quipu.kernel.config import Settings
from quipu.kernel.db import queries
from quipu.kernel.db.errors import Unanswered, translate
from quipu.kernel.db.plain import loads

_SQL = queries.load("quipu.kernel.db")
_Selector = getattr(selectors, "PollSelector", selectors.SelectSelector)  # made faster than the one for many
HEAR_SECONDS: Final = 2.0
"""How long a test whether the server still answers waits for a sign."""

LEAST_SECONDS: Final = 30.0
_MARGIN_SECONDS: Final = 5.0  # for the server to say that a statement took too long
EARLIEST: Final = datetime(1, 1, 2, tzinfo=UTC)
LATEST: Final = datetime(9999, 12, 30, tzinfo=UTC)
_RV = TypeVar("_RV")
_T = TypeVar("_T")
Rows = AsyncRawCursor[TupleRow]
INTERVAL_SECONDS: Final = 0.1
_CANCEL_SECONDS: Final = 1.0
_PING_SECONDS: Final = 5
_LISTEN_SECONDS: Final = 3600.0

# PostgreSQL has moments that Python has not: ``infinity``, and years before 1 or after 9999. They are read as
# the nearest moment that every time zone can tell, so that one such row does not hide all the others.
_ASK_AFTER_SECONDS: Final = 1.0
_answered_at: WeakKeyDictionary[AsyncConnection[Any], float] = WeakKeyDictionary()  # monotonic seconds


class Connection(AsyncConnection[TupleRow]):
    """A connection that is closed where the server is silent for ``answer_seconds``.

    ``endures``: a statement may take as long as it takes, while the server answers others and works on it.
    ``is_alone``: a commit since it was set stands here alone, though it was to wait for a standby.
    ``record`` opens a block that records a statement; None where nobody records.
    """

    answer_seconds: float = LEAST_SECONDS
    endures: bool = False
    is_alone: bool = False
    record: Callable[[QueryNoTemplate], AbstractContextManager[object]] | None = None

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        set_json_loads(loads, self)
        self.add_notice_handler(self._note_alone)

    def _note_alone(self, notice: Diagnostic) -> None:
        self.is_alone |= notice.source_function == "SyncRepWaitForLSN"

    def check_replicated(self) -> None:
        """Check that no commit stands on this server alone while it is to wait for a standby.

        PostgreSQL ends that wait where somebody cancels it, with a warning, and says that the transaction is
        committed.

        Raises:
            NotReplicated: one does.
        """
        if self.is_alone:
            raise NotReplicated(
                "It is written on the primary, and no standby has confirmed it.",
                hint="Is the standby well? Writing it again with the same ids does no harm.",
            )

    async def value(self, query: LiteralString, /, **values: object) -> Any:
        """Run a query and return the first value of its first row; None if it finds none."""
        row = await (await self.execute(query, values or None)).fetchone()
        return None if row is None else row[0]

    async def fetch(self, row: type[_T], query: LiteralString | Composed, /, **values: object) -> list[_T]:
        """Run a query and return its rows as objects of a class, whose fields are the columns by name."""
        async with self.cursor(row_factory=class_row(row)) as cursor:
            return await (await cursor.execute(query, values or None)).fetchall()

    async def wait(
        self,
        gen: PQGen[_RV],
        interval: float = INTERVAL_SECONDS,
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
                end(gen)

    async def _waited(self, gen: PQGen[_RV], interval: float, timeout: float | None) -> _RV:  # noqa: ASYNC109
        if timeout is not None:  # who listens for notices says how long
            _heed()
            return await super().wait(gen, interval, timeout)
        rested = False
        while True:
            try:
                return await super().wait(limited(gen, self.answer_seconds), interval)
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


async def ask(
    conn: Connection, query: LiteralString, values: Mapping[str, object], *, binary: bool = False
) -> Rows:
    """Run a query. In a pipeline, what it returns is read later."""
    cursor: Rows = AsyncRawCursor(conn)
    return await run(conn, cursor, query, values, binary=binary)


async def fetch(
    conn: Connection,
    row: type[_T],
    query: LiteralString,
    values: Mapping[str, object],
    *,
    binary: bool = False,
) -> list[_T]:
    """Run a query as ``ask`` does, and return its rows as objects of a class."""
    cursor = AsyncRawCursor(conn, row_factory=class_row(row))
    return await (await run(conn, cursor, query, values, binary=binary)).fetchall()


async def run(
    conn: Connection,
    cursor: AsyncRawCursor[_T],
    query: LiteralString,
    values: Mapping[str, object],
    *,
    binary: bool = False,
) -> AsyncRawCursor[_T]:
    """Run a query on a cursor, which need not look for the names of its parameters, and return that."""
    statement = queries.numbered(query)
    given = [values[name] for name in statement.names]
    with nullcontext() if conn.record is None else conn.record(query):
        return await cursor.execute(statement.text, given, binary=binary)


def answer_seconds(settings: Settings) -> float:
    """Return the seconds for which a server may be silent: as set, else enough to end a statement."""
    if settings.answer_seconds is not None:
        return settings.answer_seconds
    return max(LEAST_SECONDS, settings.statement_seconds + _MARGIN_SECONDS)


def limit(conn: Connection, settings: Settings) -> None:
    """Give a connection the deadline of the settings."""
    conn.answer_seconds = answer_seconds(settings)
    conn.endures = settings.statement_seconds == 0


@contextmanager
def answering_within(conn: Connection, seconds: float) -> Generator[None]:
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


@contextmanager
def translated() -> Generator[None]:
    """Raise errors of psycopg inside the block as ours, with the original as their cause."""
    began = monotonic()
    try:
        yield
    except psycopg.Error as error:
        raise translate(error, seconds=monotonic() - began) from error


@contextmanager
def refused() -> Generator[None]:
    """Translate errors for one person: a right that they lack is not one that the installation lacks."""
    try:
        with translated():
            yield
    except DatabaseUnsuitable as error:
        if not isinstance(error.__cause__, pg.InsufficientPrivilege):
            raise
        raise AccessRefused(
            "That is not kept apart by person, or it is somebody else's.",
            hint="You see and change what belongs to one person; the rest needs a key that is not bound.",
        ) from error.__cause__


async def check_alive(conn: Connection) -> None:
    """Check that a connection lives. One that answered a moment ago and is silent since is not asked.

    Raises:
        psycopg.OperationalError: it does not.
    """
    if monotonic() - _answered_at.get(conn, -_ASK_AFTER_SECONDS) >= _ASK_AFTER_SECONDS or _has_news(conn):
        await hear(conn)


async def hear(conn: Connection) -> None:
    """Ask it something, and wait for a moment only: a pool asks all that it has, one after the other.

    Raises:
        psycopg.OperationalError: it gave no answer.
    """
    with answering_within(conn, HEAR_SECONDS):
        await AsyncConnectionPool.check_connection(conn)


def note_answer(conn: AsyncConnection[Any]) -> None:
    """Note that the connection answered just now."""
    _answered_at[conn] = monotonic()


def _has_news(conn: AsyncConnection[Any]) -> bool:
    """Return True if the server said something unasked: as a rule that it ended the session."""
    with _Selector() as selector:
        selector.register(conn.fileno(), EVENT_READ)
        return bool(selector.select(0))


def read_every_moment(conn: AsyncConnection[TupleRow]) -> None:
    """Have one connection read every moment that there is."""
    for format_ in (Format.TEXT, Format.BINARY):
        usual = conn.adapters.get_loader(conn.adapters.types["timestamptz"].oid, format_)
        assert usual is not None
        conn.adapters.register_loader("timestamptz", _beyond(usual, format_))


def _beyond(usual: type[AnyLoader], written: Format) -> type[Loader]:
    class MomentLoader(Loader):
        format = written

        def __init__(self, oid: int, context: AdaptContext | None = None) -> None:
            super().__init__(oid, context)
            self._usual = usual(oid, context)

        def load(self, data: Buffer) -> datetime:
            try:
                return cast("datetime", self._usual.load(data))
            except DataError:
                return EARLIEST if _is_early(bytes(data), written) else LATEST

    return MomentLoader


def _is_early(data: bytes, written: Format) -> bool:
    if written is Format.BINARY:
        return data[0] >= 0x80  # a negative number
    return data.startswith(b"-") or data.endswith(b"BC")


def _heed() -> None:
    """End a task that was cancelled and does not know: before Python 3.12 ``asyncio.wait_for`` forgets it
    where what it waits for, such as a connection of the pool, comes at the same moment.

    Who then waits without end learns it nowhere else.
    """
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError


def end(gen: PQGen[Any]) -> None:
    """End what waited on a connection that is closed now.

    The end of a pipeline still asks it for answers when it is given up, and would complain to nobody when
    it is collected as garbage.
    """
    with suppress(psycopg.Error):
        gen.close()


def limited(gen: PQGen[_RV], seconds: float) -> PQGen[_RV]:
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
    parameters = {**conn.info.get_parameters(), "options": "", "connect_timeout": str(_PING_SECONDS)}
    try:
        async with await Connection.connect(
            conninfo.make_conninfo("", **parameters), password=conn.info.password, autocommit=True
        ) as asking:
            asking.answer_seconds = _PING_SECONDS
            row = await (await asking.execute(_SQL["rests"], {"pid": conn.info.backend_pid})).fetchone()
    except psycopg.Error as error:  # it may have no connection left, or be starting
        return _State.LIVES if error.sqlstate or "FATAL" in str(error) else _State.SILENT
    return _State.RESTS if row is not None and row[0] else _State.LIVES
