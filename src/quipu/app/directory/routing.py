"""Calls of a memory that go to the database which has the space that they name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from functools import partial, wraps
from inspect import getmembers, iscoroutinefunction, isfunction, signature
from types import SimpleNamespace
from typing import Any, Final, TypeVar

import anyio

from quipu.app.directory.members import Make, Member, Members
from quipu.app.directory.summing import health_of_all, queue_of_all
from quipu.app.operations import ROOMS
from quipu.errors import BadInput, DatabaseUnavailable, QuipuError, SpaceMoved
from quipu.kernel.base.clock import Clock
from quipu.kernel.base.scope import acting_for, noting_writes
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.kernel.queue.model import QueueStatus, Worked
from quipu.recall.model import Hit
from quipu.recall.render import Why
from quipu.upkeep.directory.registry import Registry, forget_move
from quipu.upkeep.erasure.model import Erasure
from quipu.upkeep.health import Health
from quipu.upkeep.overview import SpaceCounts

_T = TypeVar("_T")
Act = Callable[[Member], Awaitable[_T]]
_PAUSES_SECONDS: Final = (0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 1.0, 1.0)  # while a move ends
_ROOM_OF: Final = {place.partition(":")[2]: room for room, place in ROOMS.items()}

# What is of no space and of the whole: the directory has it.
_OF_DIRECTORY: Final = frozenset({"keys", "signins", "databases"})
# What is set for all spaces is set in every database, so that its workers know it.
_SET_EVERYWHERE: Final = frozenset({"settings.set", "settings.reset"})
_READ_FROM_DIRECTORY: Final = frozenset({"settings.get", "settings.list"})
_OF_EACH_DATABASE: Final = frozenset({"answers.drop_old"})
_OF_REQUESTS: Final = frozenset({"answers.begin", "answers.keep", "answers.release"})
_OF_PROCESS: Final = frozenset({"ledger.register", "ledger.on_correction"})


@asynccontextmanager
async def open_router(
    directory: Database, settings: Settings, clock: Clock, make: Make
) -> AsyncGenerator[Router]:
    """Open the way to the databases of a directory, and close those that were opened with the block."""
    members = Members(Registry(directory), settings, clock, make)
    try:
        yield Router(members)
    finally:
        await members.aclose()


class Router:
    """The way of each call to a database of the directory.

    Places are remembered; a database from which a space has moved says so, and the call goes to where it is.
    """

    def __init__(self, members: Members) -> None:
        self.members = members
        self._preparations: list[Callable[[Member], object]] = []
        self._prepared: set[str] = set()

    async def run(self, space: str, act: Act[_T], *, once: bool = False) -> _T:
        """Do something in the database that has a space, and again where the space has moved meanwhile.

        With ``once`` it cannot be done again, because what was handed in is used up.

        Raises:
            DatabaseUnavailable: that database does not answer; the message names it.
        """
        for pause in _PAUSES_SECONDS:
            database = self.members.places.get(space) or await self._find(space)
            with noting_writes() as wrote:
                try:
                    return await self.at(database, act)
                except SpaceMoved as moved:
                    self.members.remember(space, moved.database)
                    if once or wrote:
                        raise QuipuError(
                            f"The space {space!r} was moved to another database while this was done.",
                            hint="A part of it may be stored: look before you do it again.",
                        ) from moved
            await anyio.sleep(pause)
        raise DatabaseUnavailable(
            f"The space {space!r} is being moved from one database to another.",
            hint="If that does not end, moving it again finishes it.",
        )

    async def at(self, database: str, act: Act[_T]) -> _T:
        """Do something in one database of the directory.

        Raises:
            DatabaseUnavailable: it does not answer; the message names it.
        """
        try:
            member = await self.members.get(database)
            if database not in self._prepared:
                for prepare in self._preparations:
                    prepare(member)
                self._prepared.add(database)
            return await act(member)
        except SpaceMoved:
            raise
        except DatabaseUnavailable as error:
            self.members.failed(database, error)
            raise type(error)(f"The database {database!r}: {error.message}", hint=error.hint) from error

    async def each(self, act: Act[_T]) -> list[_T]:
        """Do something in every database, one after the other."""
        return [await self.at(name, act) for name in await self.members.rows()]

    async def _find(self, space: str) -> str:
        with acting_for(None):
            found = await self.members.registry.place_of(space)
        if found is None:
            return await self.members.roomiest()
        self.members.remember(space, found)
        return found

    def prepare(self, prepare: Callable[[Member], object]) -> None:
        """Do something in this process with the memory in every database, those opened later included."""
        self._preparations.append(prepare)
        self._prepared.clear()

    def room(self, own: _T) -> _T | SimpleNamespace:
        """Return a room whose methods go to the database of the space that they name.

        ``own`` is the room of the directory itself.
        """
        name = _ROOM_OF[type(own).__name__]
        if name in _OF_DIRECTORY:
            return own
        methods = dict(self._methods(own, name))
        if name == "queue":
            methods["status"] = self._queue
        return SimpleNamespace(**methods)

    def methods(self, memory: Any) -> Mapping[str, Callable[..., object]]:
        """Return the methods of a memory itself, in the same way."""
        routed = dict(self._methods(memory, ""))
        return {
            **routed,
            "forget": partial(self._forget, routed["forget"]),
            "spaces": self._spaces,
            "space_names": self._space_names,
            "reinforce": self._reinforce,
            "why": self._why,
            "work": self._work,
            "ready": partial(self._answers, memory.ready),
            "health": partial(self._health, memory.health),
        }

    def _methods(self, own: object, room: str) -> Iterator[tuple[str, Callable[..., object]]]:
        for method, declared in getmembers(type(own), isfunction):
            if not method.startswith("_") and method != "aclose":
                yield method, self._routed(getattr(own, method), f"{room}.{method}".lstrip("."), declared)

    def _routed(
        self, own: Callable[..., Any], name: str, declared: Callable[..., Any]
    ) -> Callable[..., object]:
        room, _, method = name.rpartition(".")

        def of(member: Member) -> Callable[..., Any]:
            return getattr(getattr(member, room) if room else member, method)

        if name in _READ_FROM_DIRECTORY and "space" not in signature(declared).parameters:
            return own
        if name in _OF_PROCESS:
            return self._in_process(own, of)
        assert iscoroutinefunction(declared), f"{name} is not async, and nobody has said where it goes"
        form = signature(own)

        @wraps(declared)
        async def call(*args: Any, **named: Any) -> Any:
            def act(member: Member) -> Awaitable[Any]:
                return of(member)(*args, **named)

            space = named.get("space")
            if space is None:  # seldom: it is given by name nearly everywhere
                given = form.bind(*args, **named).arguments
                space = given["asking"].space if name in _OF_REQUESTS else given.get("space")
            if isinstance(space, str):
                once = any(isinstance(value, Iterator) for value in (*args, *named.values()))
                return await self.run(space, act, once=once)
            if name in _READ_FROM_DIRECTORY:
                return await own(*args, **named)
            if name in _SET_EVERYWHERE:
                await self.each(act)
                return await own(*args, **named)
            if name in _OF_EACH_DATABASE:
                return sum(await self.each(act))
            raise _of_one_database(form.parameters)

        return call

    def _in_process(
        self, own: Callable[..., Any], of: Callable[[Member], Callable[..., Any]]
    ) -> Callable[..., object]:
        @wraps(own)
        def call(*args: Any, **named: Any) -> Any:
            self.prepare(lambda member: of(member)(*args, **named))
            return own(*args, **named)

        return call

    async def _forget(self, forget: Callable[..., Any], *, space: str, **named: Any) -> Erasure:
        done: Erasure = await forget(space=space, **named)
        if done.receipt is not None and done.what.everything:
            await self.members.registry.drop(space)
            self.members.places.pop(space, None)
            for name in await self.members.rows():
                with suppress(DatabaseUnavailable):
                    await self.at(name, lambda member: forget_move(member.database, space))
        return done

    async def _spaces(self, *, after: str | None = None, limit: int | None = None) -> list[SpaceCounts]:
        found = await self.each(lambda member: member.spaces(after=after, limit=limit))
        return sorted((one for some in found for one in some), key=lambda one: one.name)[:limit]

    async def _space_names(self) -> list[str]:
        found = await self.each(lambda member: member.space_names())
        return sorted(name for names in found for name in names)

    async def _health(self, own: Callable[[], Awaitable[Health]]) -> Health:
        found: dict[str, Health | None] = {}
        for name in await self.members.rows():
            found[name] = None
            with suppress(DatabaseUnavailable):
                found[name] = await self.at(name, lambda member: member.health())
        return health_of_all(await own(), found)

    async def _queue(self) -> QueueStatus:
        found = await self.each(lambda member: member.queue.status())
        if not found:
            raise _of_one_database({})
        return queue_of_all(found)

    async def _reinforce(self, hits: Iterable[Hit]) -> int:
        by_space: defaultdict[str, list[Hit]] = defaultdict(list)
        for hit in hits:
            by_space[hit.space].append(hit)
        counts = [
            await self.run(space, lambda member, some=some: member.reinforce(some))
            for space, some in by_space.items()
        ]
        return sum(counts)

    async def _why(self, hit: Hit) -> Why:
        return await self.run(hit.space, lambda member: member.why(hit))

    async def _work(self, **asked: Any) -> Worked:
        done = await self.each(lambda member: member.work(**asked))
        return Worked(*(sum(getattr(one, count) for one in done) for count in ("done", "failed", "dead")))

    async def _answers(self, own: Callable[..., Awaitable[None]], *, seconds: float = 2.0) -> None:
        """Return where the directory answers, or any database: known spaces can be asked then."""
        try:
            await own(seconds=seconds)
        except DatabaseUnavailable:
            for name in await self.members.rows():
                with suppress(DatabaseUnavailable):
                    return await self.at(name, lambda member: member.ready(seconds=seconds))
            raise


def _of_one_database(parameters: Mapping[str, object]) -> BadInput:
    if "space" in parameters:
        return BadInput(
            "the spaces of a directory are in several databases.", field="space", hint="Name one space."
        )
    return BadInput(
        "this concerns one database, and a directory has several.",
        field="database",
        hint="Set QUIPU_DATABASE_URL to the address of one, without QUIPU_DIRECTORY_URL.",
    )
