"""Running what agents ask for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from psycopg import AsyncRawCursor, sql
from psycopg.rows import TupleRow

from quipu.kernel.db.database import Connection
from quipu.kernel.db.plain import plain
from quipu.kinds.tables.exchange import Rows


async def run(conn: Connection, statement: sql.SQL | sql.Composed, values: Sequence[Any] = ()) -> Rows:
    """Run a statement of ours, with names and conditions of an agent in it; all rows that it returns.

    Conditions come with ``values``: what has parameters is one statement, whatever a condition says.
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
