"""Standbys of the primary, which answer those who only read, where they have all that was written for them.

A standby is asked how far it has replayed in the round trip that begins to read there. It must have replayed
all that this process wrote in the space, all that a caller from elsewhere names, and all that the primary had
written a second ago. Else, or where it gives no answer, the primary is asked.
"""

from __future__ import annotations

import logging
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any, Final, Self, TypeVar

import anyio
import psycopg
from psycopg import conninfo
from psycopg_pool import PoolTimeout

from quipu.kernel.base.scope import Unreadable, may_read_at_standby
from quipu.kernel.config import Settings
from quipu.kernel.db import connection, queries
from quipu.kernel.db.address import connect
from quipu.kernel.db.connection import Connection
from quipu.kernel.db.pools import Pool
from quipu.kernel.db.positions import Position, current_reader

_T = TypeVar("_T")
_SQL = queries.load("quipu.kernel.db")
_LOG: Final = logging.getLogger("quipu")
_BETWEEN: Final = re.compile(r"\s*,\s*(?=postgres(?:ql)?://)")  # a URL may name several hosts

FRESH_SECONDS: Final = 1.0
"""For how long others may still be shown what was before a write."""

LEFT_OUT_SECONDS: Final = 10.0
"""How long a standby is left out that gave no answer, or is no standby of the primary."""

EVERY_SPACE: Final = ""
"""Name for a write that may concern any space."""

_FRESH_SNAPSHOT: Final = "commit and chain"  # which begins again, to see what is replayed by then
_CONNECT_SECONDS: Final = 2.0
_BEHIND_SECONDS: Final = 0.02
_POLL_SECONDS: Final = 0.01


@dataclass(frozen=True, slots=True)
class StandbyState:
    """State of a server that may be a standby."""

    replays: bool
    system: int
    position: Position

    def fault(self, system: int, timeline: int) -> str | None:
        """Return why it is no standby of that primary now; None if it is one."""
        if not self.replays:
            return "it takes writes: it is no standby any more"
        if self.system != system:
            return "it is a standby of another server"
        if self.position.timeline != timeline:
            return "it follows another server than the primary, or does not follow the new primary yet"
        return None


class Standby:
    """One standby, with a pool of connections for everybody and one on behalf of persons."""

    def __init__(self, url: str, settings: Settings) -> None:
        self._settings = replace(settings, database_url=url, direct_url=None, read_urls=None)
        self.pools = [
            Pool(url, self._settings, role="quipu_app", least=0),
            Pool(url, self._settings, role="quipu_person", least=0),
        ]
        self.name = name_of(url)
        self._out_until = 0.0
        self.trouble: str | None = None

    def is_tried(self) -> bool:
        """Return True if it is to be asked now. Of those who ask one that is in trouble, one tries it."""
        now = monotonic()
        if now < self._out_until:
            return False
        if self.trouble is not None:
            self._out_until = now + LEFT_OUT_SECONDS
        return True

    def leave_out(self, trouble: str) -> None:
        """Leave it out for a while, and say so once."""
        self._out_until = monotonic() + LEFT_OUT_SECONDS
        if self.trouble != trouble:
            self.trouble = trouble
            _LOG.warning("The standby %s is left out, and the primary answers: %s.", self.name, trouble)

    def check(self, standing: StandbyState, primary: Horizon, needs: Position) -> None:
        """Check that it has what a read needs.

        Raises:
            Unreadable: it has not.
        """
        if fault := standing.fault(primary.system, needs.timeline):
            self.leave_out(fault)
            raise Unreadable
        if self.trouble is not None:
            self.trouble, self._out_until = None, 0.0
            _LOG.warning("The standby %s answers again.", self.name)
        if standing.position < primary.flushed:
            self._out_until = monotonic() + _BEHIND_SECONDS
        if standing.position < needs:
            raise Unreadable

    @asynccontextmanager
    async def connection(self, person: str | None) -> AsyncGenerator[Connection]:
        """Lend a connection for the block.

        Raises:
            Unreadable: it gives no answer, or the server refused a statement.
        """
        conn: Connection | None = None
        try:
            async with self.pools[person is not None].connection(_CONNECT_SECONDS) as conn:
                connection.limit(conn, self._settings)
                yield conn
                connection.note_answer(conn)
        except (psycopg.Error, PoolTimeout) as error:
            if conn is None or conn.closed:
                self.leave_out("it gives no answer, or has no connection left")
            raise Unreadable from error


@dataclass(frozen=True, slots=True)
class Horizon:
    """The primary as it was ``at`` a time, and how far its log was flushed and inserted.

    Every write of this process up to the one of that ``number`` is inserted; whoever may acknowledge before
    it is on the disk flushes within a second.
    """

    at: float
    number: int
    system: int
    flushed: Position
    inserted: Position

    def is_another(self, before: Horizon) -> bool:
        """Return True if it is not the primary of before."""
        here, there = self.flushed.timeline, before.flushed.timeline
        return (self.system, here) != (before.system, there)


class Standbys:
    """The standbys that a process reads at, and the positions that reads need there."""

    def __init__(self, standbys: Sequence[Standby]) -> None:
        self._standbys = list(standbys)
        self._number = 0  # of the last write of this process
        self._wrote: dict[str, int] = {}
        self._known: dict[str, Horizon] = {}
        self._horizon: Horizon | None = None

    @classmethod
    @asynccontextmanager
    async def open(cls, settings: Settings) -> AsyncGenerator[Self]:
        """Hold pools for the standbys of the settings until the block ends; nobody is asked yet."""
        async with AsyncExitStack() as stack:
            standbys = [Standby(url, settings) for url in urls_of(settings)]
            for pool in [pool for standby in standbys for pool in standby.pools]:
                await stack.enter_async_context(pool)
            yield cls(standbys)

    def __bool__(self) -> bool:
        return bool(self._standbys)

    def wrote(self, space: str, ask: Callable[[], Awaitable[Position]]) -> None:
        """Note a transaction that ended just now and may have written in a space.

        ``ask`` asks the primary for its position.
        """
        self._number += 1
        self._wrote[space] = self._number
        if (reader := current_reader()) is not None:
            reader.ask = ask

    def _readings(self, space: str) -> Iterator[Reading]:
        """Yield ways to read a space in this context, the one to be tried first; the last is the primary."""
        if may_read_at_standby() and (needed := self._needed(space)) is not None:
            primary, needs = needed
            for standby in list(self._standbys):
                if standby.is_tried():
                    self._standbys.append(self._standbys.pop(0))  # the next one is another's turn
                    yield AtStandby(standby, primary, needs)
                    break
        yield AtPrimary(self, space)

    @asynccontextmanager
    async def first(
        self, space: str, enter_at: Callable[..., AbstractAsyncContextManager[_T]]
    ) -> AsyncGenerator[_T]:
        """Enter a space to read, ``enter_at(reading=...)``, at the first place that can answer."""
        async with AsyncExitStack() as stack:
            *standbys, primary = self._readings(space)
            for reading in standbys:
                try:
                    entered = await stack.enter_async_context(enter_at(reading=reading))
                    break
                except Unreadable:
                    continue
            else:
                entered = await stack.enter_async_context(enter_at(reading=primary))
            yield entered

    def _needed(self, space: str) -> tuple[Horizon, Position] | None:
        """Return the primary and the position that a read needs; None if the primary must be asked first."""
        horizon = self._horizon
        if horizon is None or monotonic() - horizon.at >= FRESH_SECONDS:
            return None
        wrote = max(self._wrote.get(space, 0), self._wrote.get(EVERY_SPACE, 0))
        seen = horizon if wrote <= horizon.number else self._known.get(space, horizon)
        if wrote > seen.number:
            return None
        own = seen.inserted if wrote else seen.flushed
        reader = current_reader()
        elsewhere = (reader and reader.needs) or own
        if elsewhere.timeline > horizon.flushed.timeline:
            return None
        return horizon, max(horizon.flushed, own, elsewhere)

    def look(self) -> tuple[float, int]:
        """Return the time and the number of the last write, to be taken before the primary is asked."""
        return monotonic(), self._number

    def learn(self, space: str | None, looked: tuple[float, int], row: Sequence[int]) -> Position:
        """Take in the position of the primary, asked after that ``look``, and return it."""
        system, timeline, flushed, inserted = row
        seen = Horizon(*looked, system, Position(timeline, flushed), Position(timeline, inserted))
        if space is not None:
            self._known[space] = seen
        before = self._horizon
        if before is None or seen.at - before.at >= FRESH_SECONDS or seen.is_another(before):
            self._horizon = seen
            old = 0 if before is None else before.number  # flushed by now, whoever acknowledged it
            self._wrote = {one: number for one, number in self._wrote.items() if number > old}
            self._known = {one: known for one, known in self._known.items() if one in self._wrote}
        return seen.inserted

    async def replayed(self, position: Position) -> None:
        """Wait until every standby that answers has replayed so far, at most ``FRESH_SECONDS``.

        By then no process takes an answer from one that has not.
        """
        until = monotonic() + FRESH_SECONDS
        with anyio.move_on_after(2 * FRESH_SECONDS):
            for standby in self._standbys:
                if standby.trouble is None:
                    await _replayed(standby, position, until)


async def _replayed(standby: Standby, position: Position, until: float) -> None:
    try:
        async with standby.connection(None) as conn:
            while (await state_of(conn)).position < position:
                if monotonic() > until:
                    break
                await anyio.sleep(_POLL_SECONDS)
    except Unreadable:  # others may reach it
        await anyio.sleep(until - monotonic())


class AtStandby:
    """A read at a standby."""

    place: Final = "standby"

    def __init__(self, standby: Standby, primary: Horizon, needs: Position) -> None:
        self.standby = standby
        self._primary = primary
        self._needs = needs
        self._asked: Any = None

    async def ask(self, conn: Connection) -> None:
        """Ask in the pipeline how far it has replayed, before the snapshot is taken."""
        self._asked = await conn.execute(_SQL["standing"])
        await conn.execute(_FRESH_SNAPSHOT)

    async def check(self) -> None:
        """Check the answer.

        Raises:
            Unreadable: it has not what the read needs.
        """
        self.standby.check(_state(await self._asked.fetchone()), self._primary, self._needs)


class AtPrimary:
    """A read at the primary, which tells its position along with it."""

    place: Final = "primary"
    standby: Final = None

    def __init__(self, standbys: Standbys, space: str) -> None:
        self._standbys = standbys
        self._space = space
        self._looked = standbys.look()
        self._asked: Any = None

    async def ask(self, conn: Connection) -> None:
        """Ask in the pipeline for the position."""
        self._looked = self._standbys.look()
        self._asked = await conn.execute(_SQL["position"])

    async def check(self) -> None:
        """Take in the answer."""
        self._standbys.learn(self._space, self._looked, await self._asked.fetchone())


Reading = AtStandby | AtPrimary


def urls_of(settings: Settings) -> Sequence[str]:
    """Return the addresses of the standbys."""
    return _BETWEEN.split(settings.read_urls.strip()) if settings.read_urls else []


def name_of(url: str) -> str:
    """Return the host and the port of an address, which may be shown."""
    at = conninfo.conninfo_to_dict(url)
    return f"{at.get('host', '')}:{at.get('port', 5432)}"


@dataclass(frozen=True, slots=True)
class Lag:
    """A standby as it is now: why it is not read, or by how much it is behind.

    ``seconds`` is the age of the latest transaction that it shows; None if it has replayed none.
    """

    name: str
    fault: str | None
    behind_bytes: int = 0
    seconds: float | None = None


async def lags(primary: Connection, settings: Settings) -> list[Lag]:
    """Ask the primary, and then every standby, how far it is."""
    system, timeline, flushed, _ = await place_of(primary)
    written = Position(timeline, flushed)
    return [await _lag(url, settings, system, written) for url in urls_of(settings)]


async def _lag(url: str, settings: Settings, system: int, written: Position) -> Lag:
    try:
        async with await connect(url, settings) as conn:
            standing = await state_of(conn)
            seconds = await conn.value(_SQL["shown_seconds"])
    except psycopg.Error:
        return Lag(name_of(url), "it gives no answer")
    behind = max(0, written.byte - standing.position.byte)
    return Lag(name_of(url), standing.fault(system, written.timeline), behind, seconds)


async def place_of(conn: Connection) -> Sequence[int]:
    """Ask a primary for its system, its timeline, and the bytes that are flushed and inserted in its log."""
    row = await (await conn.execute(_SQL["position"])).fetchone()
    assert row is not None
    return row


async def state_of(conn: Connection) -> StandbyState:
    """Ask a server for its state as a standby."""
    return _state(await (await conn.execute(_SQL["standing"])).fetchone())


def _state(row: Any) -> StandbyState:
    replays, system, timeline, byte = row
    return StandbyState(replays, system, Position(timeline, byte or 0))
