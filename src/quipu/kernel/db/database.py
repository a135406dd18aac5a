"""A migrated database: transactions within one space, and the owner's connection for upkeep."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, LiteralString, Self, TypeVar

import anyio
import psycopg
from psycopg import AsyncRawCursor
from psycopg.rows import class_row
from psycopg_pool import PoolTimeout

from quipu.errors import DatabaseUnavailable, DatabaseUnsuitable, QuipuError, SpaceMoved
from quipu.kernel.base.scope import bound_person, everybody_only, note_write
from quipu.kernel.base.text import Marks, mentions
from quipu.kernel.config import Settings, Stored
from quipu.kernel.db import connection, queries, turns
from quipu.kernel.db.address import connect
from quipu.kernel.db.connection import Rows, ask, fetch, refused, run, translated
from quipu.kernel.db.errors import Unanswered
from quipu.kernel.db.migrate import migrate, owner, pending
from quipu.kernel.db.pools import Pool
from quipu.kernel.db.positions import Position, count_read
from quipu.kernel.db.space import AsOf, ErasedMeanwhile, Space
from quipu.kernel.db.standbys import EVERY_SPACE, Reading, Standbys, place_of
from quipu.kernel.db.turns import Turns
from quipu.kernel.telemetry import spans

Connection = connection.Connection
_T = TypeVar("_T")
Ask = Callable[[Connection], Awaitable[None]]
"""Runs queries in a pipeline, of which the answers are read later."""
Claim = Callable[[str], Awaitable[None]]
"""Asks a directory whether a new space may be made in this database; raises SpaceMoved where it may not."""

_SQL = queries.load("quipu.kernel.db")
_PAUSE_SECONDS = 0.1
_BEGIN = "begin isolation level read committed read write"
_BEGIN_TO_READ = "begin isolation level repeatable read read only"
_LOCK_MILLISECONDS: Final[ContextVar[int | None]] = ContextVar("quipu_lock_milliseconds", default=None)

FRESH_SECONDS: Final = 1.0
"""How long settings that were read are used again: a change by another process takes effect after that."""

_MOST_SPACES: Final = 10_000


@dataclass(frozen=True, slots=True)
class SpaceTransaction:
    """A transaction that sees one space and no other. ``settings`` are those that hold in it now."""

    conn: Connection
    space: Space
    settings: Settings

    async def run(
        self, query: LiteralString, values: Mapping[str, object], /, *, binary: bool = False
    ) -> Rows:
        """Run a query and return its cursor. In a pipeline the cursor is read when the pipeline has ended.

        ``%(space)s`` and ``%(space_name)s`` are filled in here and in the methods below. All of them are
        quicker than ``conn.execute``, which looks for the names of the parameters at every call.
        """
        return await ask(self.conn, query, self._filled(values), binary=binary)

    async def execute(self, query: LiteralString, /, **values: object) -> int:
        """Run a query and return the number of rows that it wrote or found."""
        return (await self.run(query, values)).rowcount

    async def rows(
        self, query: LiteralString, /, *, binary: bool = False, **values: object
    ) -> list[tuple[Any, ...]]:
        """Run a query and return its rows as tuples. ``binary`` has values sent as bytes, quicker to read."""
        return await (await self.run(query, values, binary=binary)).fetchall()

    async def fetch(
        self, row: type[_T], query: LiteralString, /, *, binary: bool = False, **values: object
    ) -> list[_T]:
        """Run a query and return its rows as objects of a class, whose fields are the columns by name."""
        return await fetch(self.conn, row, query, self._filled(values), binary=binary)

    async def column(self, query: LiteralString, /, **values: object) -> list[Any]:
        """Run a query and return the first column of its rows."""
        return [row[0] for row in await (await self.run(query, values)).fetchall()]

    async def fetch_one(self, row: type[_T], query: LiteralString, /, **values: object) -> _T | None:
        """Run a query and return its first row as an object of a class; None if it finds none."""
        cursor = AsyncRawCursor(self.conn, row_factory=class_row(row))
        return await (await run(self.conn, cursor, query, self._filled(values))).fetchone()

    def _filled(self, values: Mapping[str, object]) -> Mapping[str, object]:
        return {"space": self.space.id, "space_name": self.space.name, **values}

    async def marks(self) -> Marks:
        """Return the marks of memory that this space puts into prompts."""
        return await _marks(self.conn)

    async def spoken(self, texts: Sequence[str]) -> Sequence[str]:
        """Return texts of the record as they are read and indexed: without memory of other spaces in them."""
        if not any(map(mentions, texts)):
            return texts
        marks = await _marks(self.conn)
        return [marks.hear(text).spoken for text in texts]

    async def take_time(self) -> None:
        """Let statements of this transaction take as long as they take, while the server answers others."""
        self.conn.endures = True
        await self.conn.execute(_SQL["take_time"])


class Database:
    """Open one with ``async with Database.open(...)``; it holds a pool and closes it."""

    def __init__(self, url: str, settings: Settings, pool: Pool, people: Pool, standbys: Standbys) -> None:
        """Use ``pool`` for everybody in a space, and ``people`` for work on behalf of one person."""
        self.url = url
        self._settings = settings
        self._pool = pool
        self._people = people
        self._standbys, self._has_standbys = standbys, bool(standbys)
        self._cache = _SettingsCache(settings)
        self._silent = False
        self._hardened = False
        self.turns = Turns(settings.sql_at_once)
        self.claim: Claim | None = None

    @classmethod
    @asynccontextmanager
    async def open(cls, url: str, settings: Settings, *, packages: Sequence[str]) -> AsyncGenerator[Self]:
        """Connect to ``url``, migrate what is missing, and hold a pool until the block ends.

        Raises:
            DatabaseUnavailable: nobody answers there, or not to this user.
            DatabaseUnsuitable: PostgreSQL older than 15, no pgvector, or a right is missing.
            MigrationRefused: the database is newer than this code.
        """
        async with spans.sending(settings.telemetry), cls._open(url, settings, packages) as database:
            yield database

    @classmethod
    @asynccontextmanager
    async def _open(cls, url: str, settings: Settings, packages: Sequence[str]) -> AsyncGenerator[Self]:
        async with owner(url, settings) as conn:
            conn.endures = True  # a migration takes as long as it takes
            if await pending(conn, packages):
                await migrate(conn, packages)
        pool = Pool(url, settings, role="quipu_app", least=1)
        people = Pool(url, settings, role="quipu_person", least=0)
        async with pool, people, Standbys.open(settings) as standbys:
            with translated():
                await pool.wait(settings.connect_seconds)  # whoever asks before has it open a second
            yield cls(url, settings, pool, people, standbys)

    def transaction(
        self, name: str, *, ask: Ask | None = None
    ) -> AbstractAsyncContextManager[SpaceTransaction | None]:
        """Open a transaction that sees the space ``name`` and no other; None if there is no such space.

        The queries of ``ask`` go to the server in the same round trip.
        """
        return _seen(self._entered(name, ask=ask))

    @asynccontextmanager
    async def write(
        self, name: str, *, ask: Ask | None = None, as_of: AsOf | None = None, alone: bool = False
    ) -> AsyncGenerator[SpaceTransaction]:
        """Open a transaction that adds to a space, made if it is missing. Erasures wait until it ends.

        With ``alone``, whoever else writes waits too.

        The queries of ``ask`` go to the server in the same round trip; they see the space, or nothing if
        there is none yet. Pass ``as_of``, the state of the space when its words were read, to write something
        made of these words.

        Raises:
            ErasedMeanwhile: something was erased in it since.
        """
        hold = "hold_to_erase" if alone else "hold_to_write"
        async with self._entered(name, hold=hold, ask=ask) as (conn, space, settings):
            if as_of is not None and (space is None or space.as_of != as_of):
                raise ErasedMeanwhile
            if space is None:
                if self.claim is not None:
                    await self.claim(name)
                await conn.execute(_SQL["create_space"], {"name": name})
                space = await _space(conn, await _enter(conn, name), name)
            assert space is not None  # an erasure would have waited
            yield SpaceTransaction(conn, space, settings)

    async def receive(self, name: str, number: int) -> None:
        """Make an empty space with the number that it has in the database from which it comes."""
        async with self._entered(name, hold="hold_to_write") as (conn, _, _):
            await conn.execute(_SQL["create_numbered"], {"name": name, "number": number})

    async def is_as_of(self, name: str, as_of: AsOf) -> bool:
        """Return True if nothing was erased in a space since it was read; False if the space is gone."""
        async with self.transaction(name) as tx:
            return tx is not None and tx.space.as_of == as_of

    def erase(self, name: str) -> AbstractAsyncContextManager[SpaceTransaction | None]:
        """Open a transaction that erases in a space, alone: it waits for writers, and others wait for it.

        Erased rows must not be inherited, counted or referred to by a message that comes in meanwhile.
        """
        everybody_only("Erasures concern")
        entered = self._entered(name, hold="hold_to_erase")
        return _seen(self._erased(name, entered) if self._has_standbys else entered)

    @asynccontextmanager
    async def _erased(
        self, name: str, entered: AbstractAsyncContextManager[tuple[Connection, Space | None, Settings]]
    ) -> AsyncGenerator[tuple[Connection, Space | None, Settings]]:
        """Return only when no standby shows any more what was erased in the block."""
        async with entered as (conn, space, settings):
            yield conn, space, settings
            now = None if space is None else await _entry(await _enter(conn, name))
        if space is not None and (now is None or now.as_of != space.as_of):
            await self._standbys.replayed(await self.position())

    async def position(self) -> Position:
        """Ask the primary how far its log is written: all that was written before is in that."""
        looked = self._standbys.look()
        async with self._connection() as conn:
            return self._standbys.learn(None, looked, await place_of(conn))

    def snapshot_read(
        self, name: str, *, ask: Ask | None = None
    ) -> AbstractAsyncContextManager[SpaceTransaction | None]:
        """Open a read-only transaction in a space that sees one moment: later commits of others are hidden.

        A recall is several statements. Between two of them another process may write, erase or change the
        embedding model; none of that may show in half of an answer. The queries of ``ask`` go to the server
        in the same round trip as what enters the space.
        """
        return _seen(self._read(name, enter="enter_to_read", ask=ask))

    def list_read(self, name: str) -> AbstractAsyncContextManager[SpaceTransaction | None]:
        """Open a read-only transaction for lists: a page of rows by an index, and what belongs to them.

        Most calls leave most filters empty. One plan for all possible filters would read and sort every row,
        so here each query is planned for its values.
        """
        return _seen(self._read(name, enter="enter_to_look"))

    def _read(
        self, name: str, *, enter: str, ask: Ask | None = None
    ) -> AbstractAsyncContextManager[tuple[Connection, Space | None, Settings]]:
        """Enter a space to read, at a standby where that may be, else at the primary."""
        enter_at = partial(self._entered, name, begin=_BEGIN_TO_READ, enter=enter, ask=ask)
        return self._standbys.first(name, enter_at) if self._has_standbys else enter_at()

    async def marks(self, name: str) -> Marks:
        """Return the marks of memory that a space puts into prompts; nobody's if there is no such space."""
        async with self.snapshot_read(name) as tx:
            return Marks.of_nobody() if tx is None else await _marks(tx.conn)

    async def ask(self, name: str, queries: Ask, *, writes: bool = False, plan: bool = False) -> Space | None:
        """Run queries in a space, all in one round trip to the server; None where there is no such space.

        A pipeline without ``begin`` is one transaction, which ends with it: what the queries return is read
        when none is open any more. Erasures wait for one that ``writes``. With ``plan``, each query is
        planned for its values, as in ``list_read``.
        """
        person = bound_person()
        connected = self._noted(name, person) if writes else self._connection(person=person)
        async with connected as conn:
            async with conn.pipeline():
                await self._become(conn)
                if writes:
                    await conn.execute(_SQL["hold_to_write"], {"name": name})
                entering = await _enter(conn, name, query="enter_to_look" if plan else "enter")
                await queries(conn)
            if (space := await _entry(entering)) is not None:
                if writes:
                    note_write()
                return space
        async with self.transaction(name):
            return None  # where it went to another database, that was told

    @asynccontextmanager
    async def _entered(
        self,
        name: str,
        *,
        hold: str | None = None,
        begin: LiteralString = _BEGIN,
        enter: str = "enter",
        ask: Ask | None = None,
        reading: Reading | None = None,
    ) -> AsyncGenerator[tuple[Connection, Space | None, Settings]]:
        """Begin a transaction, take its lock and enter a space, in one round trip to the server.

        The space's settings come along unless they were read a moment ago. The transaction ends with the
        block, when the pool takes the connection back: committed, or rolled back by an error.
        """
        settings, stored = self._cache.fresh(name), None
        standby, person = None if reading is None else reading.standby, bound_person()
        usual = (
            self._noted(name, person)
            if begin == _BEGIN and self._has_standbys
            else self._connection(person=person)
        )
        async with usual if standby is None else standby.connection(person) as conn:
            async with conn.pipeline():
                await conn.execute(begin)
                if reading is not None:
                    await reading.ask(conn)
                await self._become(conn)
                if (most := _LOCK_MILLISECONDS.get()) is not None:
                    await conn.execute(_SQL["wait_at_most"], {"milliseconds": most})
                if hold is not None:
                    await conn.execute(_SQL[hold], {"name": name})
                entering = await _enter(conn, name, query=enter)
                if settings is None:
                    stored = await conn.execute(_SQL["stored_settings"])
                if ask is not None:
                    await ask(conn)
            if reading is not None:
                await reading.check()
                count_read(reading.place)
            if settings is None:
                rows = [] if stored is None else await stored.fetchall()
                settings = self._cache.take(name, rows) if standby is None else self._settings.over(rows)
            yield conn, await _space(conn, entering, name), settings
            if hold is not None:
                note_write()

    @asynccontextmanager
    async def _connection(
        self, seconds: float | None = None, *, person: str | None = None
    ) -> AsyncGenerator[Connection]:
        with translated() if person is None else refused():
            try:
                async with self._pool_of(person).connection(self._patience(seconds)) as conn:
                    connection.limit(conn, self._settings)
                    conn.is_alone = False  # whoever had it before may have been cancelled
                    if self._silent:
                        await connection.hear(conn)
                        self._silent = False
                    yield conn
                    # Not in the pool's ``reset``: that has a worker return the connection, and who closes
                    # the pool at once closes it before and leaves the connection open.
                    connection.note_answer(conn)
                conn.check_replicated()
            except Unanswered:
                self._silent = True
                raise
            except PoolTimeout as error:
                raise DatabaseUnavailable(
                    f"No connection was free: {error}",
                    hint="Is the server well (`quipu doctor`)? Else raise QUIPU_POOL_SIZE.",
                ) from error

    @asynccontextmanager
    async def _noted(self, space: str, person: str | None) -> AsyncGenerator[Connection]:
        """Lend a connection, and note that it may have written in a space."""
        try:
            async with self._connection(person=person) as conn:
                yield conn
        finally:
            self.wrote(space)

    def wrote(self, space: str = EVERY_SPACE) -> None:
        """Note that something was written: a read of the space from now on shows it."""
        if self._has_standbys:
            self._standbys.wrote(space, self.position)

    async def _become(self, conn: Connection) -> None:
        if self._pool.is_shared:
            await self._pool_of(bound_person()).become(conn)

    def _pool_of(self, person: str | None) -> Pool:
        return self._pool if person is None else self._people

    @property
    def is_away(self) -> bool:
        """True if the server gave no answer last time, or no connection to it is open."""
        return self._silent or not self._pool.get_stats().get("pool_size")

    def _patience(self, seconds: float | None) -> float:
        """Return the seconds to wait for a connection; few if the server gave no answer last time."""
        usual = self._settings.connect_seconds if seconds is None else seconds
        return min(usual, connection.HEAR_SECONDS) if self._silent else usual

    async def ready(self, *, seconds: float) -> None:
        """Return once everything of ours can be read.

        Raises:
            DatabaseUnavailable: the server says nothing for so many seconds, or a lock lasts as long.
        """
        until = time.monotonic() + seconds
        while await self._is_blocked(max(_PAUSE_SECONDS, until - time.monotonic())):
            if time.monotonic() >= until:
                raise DatabaseUnavailable(
                    "Somebody holds a table for themselves, and nobody can read it.",
                    hint="It passes when they are done; pg_locks says who it is.",
                )
            await anyio.sleep(_PAUSE_SECONDS)

    async def _is_blocked(self, seconds: float) -> bool:
        async with self._connection(seconds) as conn, self._pool.as_role(conn):
            with connection.answering_within(conn, seconds):
                row = await (await conn.execute(_SQL["blocked"])).fetchone()
        return row is None or row[0]

    @asynccontextmanager
    async def unscoped(self) -> AsyncGenerator[Connection]:
        """Open a connection that has entered no space: it sees what belongs to none."""
        async with self._connection() as conn, self._pool.as_role(conn):
            yield conn

    @asynccontextmanager
    async def acting(self, space: str) -> AsyncGenerator[Connection]:
        """Open a connection for statements that enter a space themselves, on behalf of this task's person."""
        person = bound_person()
        async with self._noted(space, person) as conn, self._pool_of(person).as_role(conn):
            if person is None:
                yield conn
                return
            async with conn.transaction():
                await _say_person(conn)
                yield conn

    @asynccontextmanager
    async def owner(self) -> AsyncGenerator[Connection]:
        """Open a separate connection as the owner of the database, for upkeep across spaces.

        Raises:
            AccessRefused: it is asked on behalf of one person.
        """
        everybody_only("This concerns")
        settings = replace(self._settings, connect_seconds=self._patience(None))
        try:
            async with owner(self.url, settings) as conn:
                yield conn
        finally:
            self.wrote()

    async def login(self, *, statement_seconds: float, options: str, user: str, password: str) -> Connection:
        """Open a separate connection as another user; each statement is limited to ``statement_seconds``.

        Raises:
            psycopg.OperationalError: nobody answers, or not to this user.
            AccessRefused: it is asked on behalf of one person.
        """
        everybody_only("SQL of another login concerns")
        settings = replace(self._settings, statement_seconds=statement_seconds)
        opening = connect(
            self.url, settings, prepare_threshold=None, options=options, user=user, password=password
        )
        return turns.stand_back(await opening, self._settings)

    async def check_hardened(self) -> None:
        """Refuse to run SQL of agents and readers where it would see other spaces.

        Raises:
            DatabaseUnsuitable: everybody may read the catalogue of this database, and no setting allows that.
        """
        if self._hardened or self._settings.open_catalogue:
            return
        async with self.owner() as conn:
            row = await (await conn.execute(_SQL["is_open"])).fetchone()
        if row is None or row[0]:
            raise DatabaseUnsuitable(
                "SQL of agents and readers would see here how the tables of other spaces are made: everybody"
                " may read the catalogue of this database.",
                hint="Have a superuser run once in this database: select core.harden(); or see"
                " docs/howto/server.md.",
            )
        self._hardened = True

    async def settings(self, space: str | None = None) -> Settings:
        """Return the settings in force in a space, or without one: the process's own, then the stored ones.

        Stored settings may be a second old. Inside a transaction of the space, ``tx.settings`` has them.
        """
        known = self._cache.fresh(space)
        if known is not None:
            return known
        if space is None:
            async with self.unscoped() as conn:
                return self._cache.take(None, await stored_settings(conn))
        async with self._entered(space) as (_, _, settings):
            return settings

    def settings_changed(self) -> None:
        """Drop the cached settings after a possible change in the database; they are reread before use."""
        self._cache.drop()

    async def spaces(self) -> list[Space]:
        """Return every space with its counters, by name."""
        async with self.owner() as conn:
            return await fetch(conn, Space, _SQL["all_spaces"], {})


async def stored_settings(conn: Connection) -> Sequence[Stored]:
    """Return the settings stored in the database, and those of the transaction's space if it entered one."""
    return await (await conn.execute(_SQL["stored_settings"])).fetchall()


@contextmanager
def leaving_what_is_held(milliseconds: int) -> Generator[None]:
    """Give up waiting for a lock after ``milliseconds``: the block then ends without an error."""
    token = _LOCK_MILLISECONDS.set(milliseconds)
    try:
        yield
    except QuipuError as error:
        if not isinstance(error.__cause__, psycopg.errors.LockNotAvailable):
            raise
    finally:
        _LOCK_MILLISECONDS.reset(token)


class _SettingsCache:
    """Settings of the process over the stored ones, by space; None is the database without a space."""

    def __init__(self, own: Settings) -> None:
        self._own = own
        self._known: dict[str | None, tuple[float, Settings]] = {}

    def fresh(self, space: str | None) -> Settings | None:
        """Return the settings of a space if they were read a moment ago."""
        read_at, settings = self._known.get(space, (-FRESH_SECONDS, None))
        return settings if time.monotonic() - read_at < FRESH_SECONDS else None

    def take(self, space: str | None, rows: Iterable[Stored]) -> Settings:
        """Keep what is stored, those of the space after those of the database; the settings that hold now."""
        settings = self._own.over(rows)
        if len(self._known) >= _MOST_SPACES:
            self._known.clear()
        self._known[space] = time.monotonic(), settings
        return settings

    def drop(self) -> None:
        """Forget what is known: something was set just now."""
        self._known.clear()


@asynccontextmanager
async def _seen(
    entered: AbstractAsyncContextManager[tuple[Connection, Space | None, Settings]],
) -> AsyncGenerator[SpaceTransaction | None]:
    async with entered as (conn, space, settings):
        yield None if space is None else SpaceTransaction(conn, space, settings)


async def _enter(conn: Connection, name: str, *, query: str = "enter") -> Rows:
    if bound_person() is not None:
        await _say_person(conn)
    return await ask(conn, _SQL[query], {"name": name}, binary=True)


async def _say_person(conn: Connection) -> None:
    """Tell the transaction on whose behalf it is; without that its role sees nobody's rows."""
    await conn.execute(_SQL["act_for"], {"person": bound_person()})


async def _space(conn: Connection, entering: Rows, name: str) -> Space | None:
    """Return the space that was entered; None if there is no such space.

    Raises:
        SpaceMoved: it was here, and went to another database.
    """
    space = await _entry(entering)
    moved = None if space is not None else await conn.value(_SQL["moved_to"], name=name)
    if moved is not None:
        raise moved_space(name, moved)
    return space


def moved_space(name: str, database: str) -> SpaceMoved:
    """Return the error about a space that is in another database."""
    return SpaceMoved(
        f"The space {name!r} is in the database {database!r} now.",
        database=database,
        hint="Ask by the directory (QUIPU_DIRECTORY_URL), or by the address of that database.",
    )


async def _entry(entering: Rows) -> Space | None:
    row = await entering.fetchone()
    if row is None or not row[1]:  # a row of nulls: there is no such space
        return None
    space = Space(*row)
    spans.note({"quipu.space.id": space.id})
    return space


async def _marks(conn: Connection) -> Marks:
    row = await (await conn.execute(_SQL["mark_key"])).fetchone()
    return Marks.of_nobody() if row is None else Marks(bytes(row[0]))
