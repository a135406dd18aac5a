"""The databases of a directory, each opened when it is first needed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from types import TracebackType
from typing import Final, Protocol, Self

import anyio

from quipu.app.queue import AsyncQueue
from quipu.errors import DatabaseUnavailable, QuipuError
from quipu.kernel.base.clock import Clock
from quipu.kernel.base.scope import acting_for
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Claim, Database, moved_space
from quipu.kernel.queue.model import Worked
from quipu.recall.model import Hit
from quipu.recall.render import Why
from quipu.upkeep.directory.carriage import Carriage
from quipu.upkeep.directory.registry import DatabaseRow, Registry, size, unknown
from quipu.upkeep.health import Health
from quipu.upkeep.overview import SpaceCounts

_FRESH_SECONDS: Final = 5.0
_MOST_PLACES: Final = 200_000
_SIZED_SECONDS: Final = 30.0
_AGAIN_SECONDS: Final = 2.0  # a database that could not be opened is tried again after that


class Member(Protocol):
    """The memory in one database of a directory, as far as the directory itself asks it for something."""

    @property
    def database(self) -> Database:
        """The database itself."""
        ...

    @property
    def carriage(self) -> Carriage:
        """The carriage that brings a space to another database, and takes in one that comes."""
        ...

    async def __aenter__(self) -> Self:
        """Open it."""
        ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        """Close it."""
        ...

    async def ready(self, *, seconds: float = ...) -> None:
        """See `AsyncMemory.ready`."""
        ...

    async def spaces(self, *, after: str | None = ..., limit: int | None = ...) -> list[SpaceCounts]:
        """See `AsyncMemory.spaces`."""
        ...

    async def health(self) -> Health:
        """See `AsyncMemory.health`."""
        ...

    @property
    def queue(self) -> AsyncQueue:
        """See `AsyncMemory.queue`."""
        ...

    async def space_names(self) -> list[str]:
        """See `AsyncMemory.space_names`."""
        ...

    async def reinforce(self, hits: Iterable[Hit]) -> int:
        """See `AsyncMemory.reinforce`."""
        ...

    async def why(self, hit: Hit) -> Why:
        """See `AsyncMemory.why`."""
        ...

    async def work(self, *, topics: Sequence[str] = ..., concurrency: int = ...) -> Worked:
        """See `AsyncMemory.work`."""
        ...


Make = Callable[[Settings, Clock, Claim], Member]
"""Makes a memory in one database, to be opened."""


@dataclass(slots=True)
class _Slot:
    """A place for a member: open, or not; ``failed_at`` is when it last could not be opened, and why."""

    opening: anyio.Lock = field(default_factory=anyio.Lock)
    member: Member | None = None
    failed_at: float = -_AGAIN_SECONDS
    failure: DatabaseUnavailable | None = None


class Members:
    """Open databases of a directory, what is known of the places of spaces, and the choice for a new one."""

    def __init__(self, registry: Registry, settings: Settings, clock: Clock, make: Make) -> None:
        self.registry = registry
        self.places: dict[str, str] = {}
        self._make = make
        self._settings = settings
        self._clock = clock
        self._stack = AsyncExitStack()
        self._slots: dict[str, _Slot] = {}
        self._rows: Mapping[str, DatabaseRow] = {}
        self._read_at = -_FRESH_SECONDS
        self._sizes: dict[str, tuple[float, int]] = {}

    async def aclose(self) -> None:
        """Close all that are open."""
        self._slots = {}
        await self._stack.aclose()

    async def rows(self, *, fresh: bool = False) -> Mapping[str, DatabaseRow]:
        """Return the databases by name; they may be five seconds old unless ``fresh``.

        Raises:
            DatabaseUnavailable: the directory does not answer, and nothing is known of it yet.
        """
        if fresh or time.monotonic() - self._read_at >= _FRESH_SECONDS:
            try:
                with acting_for(None):  # they are the same for everybody
                    self._rows = {row.name: row for row in await self.registry.databases()}
            except DatabaseUnavailable:
                if fresh or not self._rows:
                    raise
            self._read_at = time.monotonic()
        return self._rows

    async def get(self, name: str) -> Member:
        """Return the memory in a database of the directory, open.

        Raises:
            NotFound: the directory has no such database.
            DatabaseUnavailable: it does not answer.
        """
        slot = self._slots.setdefault(name, _Slot())
        if slot.failure is not None and time.monotonic() - slot.failed_at < _AGAIN_SECONDS:
            raise slot.failure
        if slot.member is None:
            async with slot.opening:
                if slot.member is None:
                    slot.member = await self._open(name, slot)
        return slot.member

    async def _open(self, name: str, slot: _Slot) -> Member:
        rows = await self.rows()
        row = rows.get(name) or (await self.rows(fresh=True)).get(name)
        if row is None:
            raise unknown(name)
        member = self._make(self._settings_at(row.url), self._clock, partial(self._claim, name))
        try:
            with acting_for(None):
                return await self._stack.enter_async_context(member)
        except DatabaseUnavailable as error:
            slot.failed_at, slot.failure = time.monotonic(), error
            raise

    def failed(self, name: str, error: DatabaseUnavailable) -> None:
        """Note that a call failed. If the server is away, those of the next two seconds fail at once.

        A call that failed for that reason itself does not make it longer.
        """
        slot = self._slots[name]
        if error is not slot.failure and slot.member is not None and slot.member.database.is_away:
            slot.failed_at, slot.failure = time.monotonic(), error

    def opened(self, url: str) -> Member:
        """Return the memory in the database at an address that the directory may not know yet, to be opened.

        No space can be made there by it.
        """

        async def refuse(space: str) -> None:
            raise QuipuError(f"The space {space!r} has no place in the directory yet.")

        return self._make(self._settings_at(url), self._clock, refuse)

    def _settings_at(self, url: str) -> Settings:
        return replace(self._settings, database_url=url, direct_url=None, directory_url=None)

    async def _claim(self, database: str, space: str) -> None:
        with acting_for(None):
            home = await self.registry.place(space, database)
        if home != database:
            raise moved_space(space, home)
        self.remember(space, database)

    def remember(self, space: str, database: str) -> None:
        """Look for a space in a database from now on, without asking the directory."""
        if len(self.places) >= _MOST_PLACES:
            self.places.clear()
        self.places[space] = database

    async def roomiest(self) -> str:
        """Return the name of the database for a new space: the smallest that answers and is not drained.

        Raises:
            QuipuError: there is none.
        """
        sizes: dict[str, int] = {}
        for name, row in (await self.rows()).items():
            if not row.draining:
                try:
                    sizes[name] = await self._size(name)
                except DatabaseUnavailable:
                    continue
        if not sizes:
            raise QuipuError(
                "The directory has no database that takes new spaces.",
                hint="Add one to the directory; the list of databases shows them.",
            )
        return min(sizes, key=sizes.__getitem__)

    async def _size(self, name: str) -> int:
        read_at, found = self._sizes.get(name, (-_SIZED_SECONDS, 0))
        if time.monotonic() - read_at >= _SIZED_SECONDS:
            with acting_for(None):
                found = await size((await self.get(name)).database)
            self._sizes[name] = time.monotonic(), found
        return found
