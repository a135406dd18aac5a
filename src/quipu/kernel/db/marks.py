"""The marks of the space of a transaction, and what of its texts was said rather than recalled."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

from psycopg import AsyncConnection

from quipu.kernel.base import echo
from quipu.kernel.base.echo import Marks
from quipu.kernel.db import queries

_SQL = queries.load("quipu.kernel.db")


class _Connected(Protocol):
    @property
    def conn(self) -> AsyncConnection[Any]: ...


class _Spaces(Protocol):
    def transaction(self, name: str) -> AbstractAsyncContextManager[_Connected | None]: ...


class Marked:
    """A transaction that sees one space, as far as it knows memory that the space put into prompts."""

    __slots__ = ()

    async def marks(self: _Connected) -> Marks:
        """Return the marks of memory that this space puts into prompts."""
        return await _marks(self.conn)

    async def spoken(self: _Connected, texts: Sequence[str]) -> Sequence[str]:
        """Return texts of the record as they are read and indexed: without memory of other spaces in them."""
        if not any(map(echo.mentions, texts)):
            return texts
        marks = await _marks(self.conn)
        return [marks.hear(text).spoken for text in texts]


class MarkedSpaces:
    """A database, as far as it knows the marks of its spaces."""

    __slots__ = ()

    async def marks(self: _Spaces, name: str) -> Marks:
        """Return the marks of memory that a space puts into prompts; nobody's if there is no such space."""
        async with self.transaction(name) as tx:
            return Marks.of_nobody() if tx is None else await _marks(tx.conn)


async def _marks(conn: AsyncConnection[Any]) -> Marks:
    row = await (await conn.execute(_SQL["mark_key"])).fetchone()
    return Marks.of_nobody() if row is None else Marks(bytes(row[0]))
