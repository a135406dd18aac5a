"""Sequences of a table that is recreated: no number is given twice, and one that somebody named stays."""

from __future__ import annotations

from contextlib import suppress

from psycopg import errors, sql

from quipu.kernel.db.database import Connection
from quipu.kinds.tables.exchange import run
from quipu.kinds.tables.introspection import Part
from quipu.kinds.tables.model import StoredSchema
from quipu.kinds.tables.templates import as_written, fill


async def count_on(
    conn: Connection, schema: StoredSchema, before: tuple[str, str], now: tuple[str, str]
) -> None:
    """Set the sequence of a column behind the rows that were carried over and any number given before.

    ``before`` and ``now`` are table and column that rows came from and went to.
    """
    sequence = await _of(conn, schema, *now)
    if sequence is None:
        return
    old = await _of(conn, schema, *before)
    counted = None
    if old is not None:
        counted = (await run(conn, fill("counted", sequence=as_written(old)))).rows[0]["counted"]
    table = sql.Identifier(schema.schema_name, now[0])
    await run(conn, fill("count_on", column=sql.Identifier(now[1]), table=table), [sequence, counted])


async def own_again(conn: Connection, schema: StoredSchema, table: str, sequence: Part) -> None:
    """Hand a sequence of the old table to the new one, or let it go where nothing uses it."""
    name = sql.Identifier(schema.schema_name, sequence.name)
    try:
        async with conn.transaction():
            await conn.execute(fill("drop_sequence", sequence=name))
    except errors.DependentObjectsStillExist:
        column = sql.Identifier(schema.schema_name, table, sequence.of or "")
        with suppress(errors.UndefinedColumn):  # then another column counts by it
            async with conn.transaction():
                await conn.execute(fill("own_sequence", sequence=name, column=column))


async def _of(conn: Connection, schema: StoredSchema, table: str, column: str) -> str | None:
    """Return the sequence that a column of a table counts by, as PostgreSQL writes its name."""
    named = [sql.Identifier(schema.schema_name, table).as_string(conn), column]
    return (await run(conn, fill("sequence"), named)).rows[0]["sequence"]
