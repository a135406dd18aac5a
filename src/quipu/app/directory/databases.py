"""The databases of a directory, as a room of the memory."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

from typing_extensions import Doc

from quipu.app.directory.moves import Moved, move
from quipu.errors import BadInput, ConfigError, DatabaseUnavailable, NotFound
from quipu.kernel.base.parameters import Confirm, Example
from quipu.kernel.base.scope import check_name
from quipu.kernel.db.address import place
from quipu.upkeep.archive.archive import RecordsDone
from quipu.upkeep.directory.registry import check_database, size

if TYPE_CHECKING:
    from quipu.app.directory.members import Members
    from quipu.app.directory.routing import Router

DatabaseName = Annotated[str, Doc("The name of the database in the directory."), Example("east-2")]
DatabaseUrl = Annotated[
    str,
    Doc("Its postgresql:// address, as every process that works with it reaches it."),
    Example("postgresql://quipu@db2.example/quipu"),
]


@dataclass(frozen=True, slots=True)
class DatabaseEntry:
    """A database of the directory.

    ``address`` is USER@HOST:PORT/DATABASE, without a password. ``draining``: it is given no new spaces.
    ``spaces`` is how many it was given, ``bytes`` its size, None where it does not answer; ``problem`` says
    why.
    """

    name: str
    address: str
    draining: bool
    added_at: datetime
    spaces: int
    bytes: int | None
    problem: str | None


class AsyncDatabases:
    """The databases in which the spaces of a directory lie."""

    def __init__(self, router: Router | None) -> None:
        self._router = router

    @property
    def _members(self) -> Members:
        if self._router is None:
            raise NotFound("There is no directory of databases.", hint="QUIPU_DIRECTORY_URL names it.")
        return self._router.members

    async def list(self) -> list[DatabaseEntry]:
        """Return the databases in the order in which they were added, with their sizes.

        Raises:
            NotFound: there is no directory of databases.
        """
        members = self._members
        found: list[DatabaseEntry] = []
        for row in (await members.rows(fresh=True)).values():
            taken, problem = None, None
            try:
                taken = await size((await members.get(row.name)).database)
            except DatabaseUnavailable as error:
                problem = error.message
            found.append(
                DatabaseEntry(
                    name=row.name,
                    address=place(row.url),
                    draining=row.draining,
                    added_at=row.added_at,
                    spaces=row.spaces,
                    bytes=taken,
                    problem=problem,
                )
            )
        return found

    async def add(self, name: DatabaseName, address: DatabaseUrl) -> DatabaseEntry:
        """Add a database, which is brought to this version's schema; new spaces may go there from now on.

        The first one may bring spaces that were made before, and may be the database of the directory itself.
        The address is kept as it is given: leave the password to a password file, or see that only the owner
        of the directory can read it.

        Raises:
            BadInput: the name or the address cannot be taken.
            Conflict: the name or the database is known, or its spaces may have numbers that others have.
            DatabaseUnavailable: nobody answers there.
            NotFound: there is no directory of databases.
        """
        check_database("name", name)
        members = self._members
        try:
            async with members.opened(address) as member:
                await members.registry.add(name, address, member.database)
        except ConfigError as error:
            raise BadInput(
                "it is no address of a database.", field="address", hint="postgresql://USER@HOST/DATABASE"
            ) from error
        await members.rows(fresh=True)
        return next(one for one in await self.list() if one.name == name)

    async def drain(
        self,
        name: DatabaseName,
        *,
        stop: Annotated[bool, Doc("Give it new spaces again.")] = False,
    ) -> DatabaseEntry:
        """Give a database no new spaces from now on; those that it has stay until they are moved.

        Raises:
            NotFound: the directory has no such database.
        """
        check_database("name", name)
        members = self._members
        await members.registry.drain(name, draining=not stop)
        return next(one for one in await self.list() if one.name == name)

    async def move(
        self,
        name: Annotated[str, Doc("The name of the space."), Example("ana")],
        to: Annotated[str, Doc("The name of the database that it goes to."), Example("east-2")],
        *,
        confirm: Confirm = False,
        progress: RecordsDone = None,
    ) -> Moved:
        """Move a space with everything in it to another database; without ``confirm`` tell what would go.

        It is in one of the two at any moment, and keeps its ids, history and receipts. Reads are answered all
        the time; who writes to the space waits. What was cut off is finished by doing it again. Snapshots of
        agents' tables are files of the computer where they were taken, and stay there.

        Raises:
            NotFound: there is no such space, or no such database.
            Conflict: somebody else moves it now.
            DatabaseUnavailable: one of the two databases does not answer.
        """
        check_name("name", name)
        check_database("to", to)
        return await move(self._members, name, to, confirm=confirm, progress=progress)
