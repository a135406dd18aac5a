"""One statement on a login of a schema, and what comes back: an agent's, or ours about its tables."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

from psycopg import AsyncRawCursor, sql
from psycopg.rows import TupleRow

from quipu.errors import LimitReached
from quipu.kernel.db import exchange as raw
from quipu.kernel.db.database import Connection
from quipu.kernel.db.plain import plain

MOST_BYTES: Final = 1_000_000
BEGIN_TO_READ: Final = "begin isolation level repeatable read read only"


@dataclass(frozen=True, slots=True)
class Rows:
    """Answer: ``limited`` if there was more, ``full`` if the limit of bytes ended it.

    ``status``: PostgreSQL's word for what was done; ``touched``: how many rows that were.
    """

    columns: tuple[str, ...]
    rows: tuple[Mapping[str, Any], ...]
    limited: bool
    full: bool
    status: str
    touched: int


@asynccontextmanager
async def reading(conn: Connection) -> AsyncGenerator[None]:
    """Open a transaction that reads as of one moment; nothing that it runs can write."""
    await conn.execute(BEGIN_TO_READ)
    yield
    if not conn.closed:  # as it is after a row that was too large to be read
        await conn.execute("rollback")


async def exchange(
    conn: Connection, statement: str, values: Sequence[str] = (), *, most: int, all_of_it: bool = False
) -> Rows:
    """Run the statement; return the first ``most`` of its rows that fit in ``MOST_BYTES``.

    ``values`` are its parameters, of whatever type their places have. The rest of the rows is given up, and
    the statement with it, unless ``all_of_it`` is to be done.

    Raises:
        psycopg.Error: the server refused it.
        LimitReached: a row has too many bytes, and with ``all_of_it`` nothing is done then.
        BadInput: it was no statement with an answer.
    """
    got = await raw.exchange(conn, statement, values, most=most, most_bytes=MOST_BYTES, all_of_it=all_of_it)
    if conn.closed if all_of_it else got.full and not got.rows:
        raise LimitReached(
            "a row has more bytes than an answer can have.",
            field="sql",
            hint="Ask for less of it: left(…, 1000).",
        )
    columns = _names(got.columns)
    rows = tuple(dict(zip(columns, row, strict=True)) for row in got.rows)
    return Rows(columns, rows, got.limited, got.full, got.status, got.touched)


async def run(conn: Connection, statement: sql.SQL | sql.Composed, values: Sequence[Any] = ()) -> Rows:
    """Run a statement of ours, with names and conditions of an agent in it; all rows that it returns.

    A condition comes with ``values``: with parameters PostgreSQL runs one statement only, whatever it says.
    """
    cursor: AsyncRawCursor[TupleRow] = AsyncRawCursor(conn)
    async with cursor:
        await cursor.execute(statement, values or None)
        status, touched = cursor.statusmessage or "", max(cursor.rowcount, 0)
        if cursor.description is None:
            return Rows((), (), False, False, status, touched)
        columns = tuple(column.name for column in cursor.description)
        rows = tuple(
            {n: plain(v) for n, v in zip(columns, row, strict=True)} for row in await cursor.fetchall()
        )
        return Rows(columns, rows, False, False, status, touched)


def _names(columns: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the columns; one that occurs again gets a number."""
    counts: dict[str, int] = {}
    names: dict[str, None] = {}
    for first in columns:
        name = first
        while name in names:
            counts[first] = counts.get(first, 1) + 1
            name = f"{first}_{counts[first]}"
        names[name] = None
    return tuple(names)
