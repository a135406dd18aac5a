"""Registry of a directory: its databases, and the places of spaces in them."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from quipu.errors import BadInput, Conflict, NotFound
from quipu.kernel.db import queries
from quipu.kernel.db.database import Connection, Database

_SQL = queries.load("quipu.upkeep.directory")
_NAME: Final = re.compile(r"[a-z][a-z0-9-]{0,62}\Z", re.ASCII)
_NUMBERS: Final = 1 << 22  # spaces that one database can make


@dataclass(frozen=True, slots=True)
class DatabaseRow:
    """A database as the directory knows it.

    ``spaces`` is how many spaces it was given; ``draining``: it is given no more.
    """

    name: str
    url: str = field(repr=False)
    draining: bool
    added_at: datetime
    number: int
    spaces: int


class Registry:
    """Read and write the directory that lies in a database."""

    def __init__(self, directory: Database) -> None:
        self._directory = directory

    async def databases(self) -> list[DatabaseRow]:
        """Return the databases in the order in which they were added."""
        async with self._directory.owner() as conn:
            return await known(conn)

    async def add(self, name: str, url: str, database: Database) -> None:
        """Note an open ``database`` under a checked ``name``, with the spaces that it brings.

        Raises:
            Conflict: the name or the database is known, or a space that it brings is in another one.
        """
        async with database.owner() as conn:
            identity = await conn.value(_SQL["identity"])
            brought = [(number, space) for number, space in await _rows(conn, "numbers")]
        async with self._directory.owner() as conn, conn.transaction():
            await conn.execute(_SQL["lock"])
            if await conn.value(_SQL["is_known"], identity=identity):
                raise Conflict("This database is in the directory already.", field="address")
            number = await conn.value(_SQL["add"], name=name, url=url, identity=identity)
            if number is None:
                raise Conflict(f"There is a database {name!r} already.", field="name")
            least = number * _NUMBERS
            foreign = [space for one, space in brought if not least <= one < least + _NUMBERS]
            if foreign and await conn.value(_SQL["knows_spaces"]):
                raise Conflict(
                    f"Spaces that it has, such as {foreign[0]!r}, may have numbers that others have.",
                    field="address",
                    hint="Only the first database of a directory may bring spaces that were made before."
                    " Bring them as archives.",
                )
            spaces: list[str] = [space for _, space in brought]
            taken = await _rows(conn, "adopt", spaces=spaces, database=name)
            if taken:
                raise Conflict(f"The space {taken[0][0]!r} is in another database.", field="address")
            names_key = await conn.value(_SQL["names_key"])
            async with database.owner() as made:
                await made.execute(_SQL["lift"], {"first": least})
                await made.execute(_SQL["share_names_key"], {"names_key": names_key})

    async def drain(self, name: str, *, draining: bool = True) -> None:
        """Give a database no new spaces; without ``draining`` some again.

        Raises:
            NotFound: there is no such database.
        """
        async with self._directory.owner() as conn:
            if await conn.value(_SQL["drain"], name=name, draining=draining) is None:
                raise unknown(name)

    async def place_of(self, space: str) -> str | None:
        """Return the name of the database that has a space; None if none has it yet."""
        async with self._directory.unscoped() as conn:
            return await conn.value(_SQL["place_of"], space=space)

    async def place(self, space: str, database: str) -> str:
        """Give a space to a database if none has it; return the name of the one that has it."""
        async with self._directory.unscoped() as conn:
            return await conn.value(_SQL["place"], space=space, database=database)

    @asynccontextmanager
    async def moving(self, space: str) -> AsyncGenerator[None]:
        """Move a space in the block, alone.

        Raises:
            Conflict: somebody else moves it now.
        """
        async with self._directory.owner() as conn:
            if not await conn.value(_SQL["hold_to_move"], space=space):
                raise Conflict(f"The space {space!r} is being moved.", hint="Wait until that is done.")
            yield

    async def move(self, space: str, database: str) -> None:
        """Note that a space is in another database now."""
        async with self._directory.owner() as conn:
            await conn.execute(_SQL["move"], {"space": space, "database": database})

    async def drop(self, space: str) -> None:
        """Forget that a space had a place, and the keys that open it."""
        async with self._directory.owner() as conn:
            await conn.execute(_SQL["drop_place"], {"space": space})


async def known(conn: Connection) -> list[DatabaseRow]:
    """Return the databases of the directory to which a connection of its owner leads."""
    return await conn.fetch(DatabaseRow, _SQL["databases"])


async def forget_move(database: Database, space: str) -> None:
    """Forget that a space went from a database to another one."""
    async with database.unscoped() as conn:
        await conn.execute(_SQL["note_arrived"], {"name": space, "number": None})


def check_database(field: str, name: str) -> str:
    """Return a name that a database in the directory can have.

    Raises:
        BadInput: it cannot; names ``field``.
    """
    if not _NAME.match(name):
        raise BadInput(
            "small letters, digits and hyphens, at most 63, a letter first.",
            field=field,
            hint="For example: east-2.",
        )
    return name


async def size(database: Database) -> int:
    """Return the size of a database in bytes."""
    async with database.owner() as conn:
        return await conn.value(_SQL["bytes"])


def unknown(name: str) -> NotFound:
    """Return the error about a database that the directory does not know."""
    return NotFound(f"The directory has no database {name!r}.", hint="The list of databases shows them.")


async def _rows(conn: Connection, name: str, **values: object) -> Sequence[tuple[Any, ...]]:
    return await (await conn.execute(_SQL[name], values or None)).fetchall()
