"""Indexes and statistics of agents that stop ANALYZE or VACUUM FULL of the whole database.

Both evaluate the expressions of these. Here each expression is evaluated on the login of its own writer, in a
read-only transaction with the search path that PostgreSQL uses then, to see which one fails.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, LiteralString, cast

import psycopg
from psycopg import sql

from quipu.kernel.db.bounds import bounded
from quipu.kernel.db.database import Connection, Database
from quipu.kinds.tables import store
from quipu.kinds.tables.logins import Logins
from quipu.kinds.tables.model import StoredSchema
from quipu.kinds.tables.store import SQL
from quipu.kinds.tables.templates import fill

_BEGIN: Final = "begin isolation level read committed read only"
_ALL_PAGES: Final = 2**32 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Culprit:
    """An index or statistics that cannot be computed; ``why`` in PostgreSQL's words.

    ``name`` and ``table`` are in ``schema``.
    """

    space: str
    schema: str
    kind: str
    name: str
    table: str
    expression: str
    why: str


async def culprits(database: Database, *, seconds: float, pages: int = _ALL_PAGES) -> list[Culprit]:
    """Find computed parts that fail, or are slow, over so many first pages of their tables."""
    logins = Logins(database, statement_seconds=seconds)
    rows: list[Culprit] = []
    try:
        for space in await database.spaces():
            async with database.transaction(space.name) as tx:
                schemas = [] if tx is None else await store.schemas(tx)
            for schema in schemas:
                for kind, name, table, expression, condition in await _computed(database, schema):
                    given = (table, expression, condition)
                    async with logins.lend(space.name, schema, "writer") as conn:
                        why = await _fault(database, conn, schema, given, seconds=seconds, pages=pages)
                    if why is not None:
                        rows.append(
                            Culprit(
                                space=space.name,
                                schema=schema.name,
                                kind=kind,
                                name=name,
                                table=table,
                                expression=schema.names.in_sql(expression or condition),
                                why=schema.names.in_message(why),
                            )
                        )
    finally:
        await logins.aclose()
    return rows


async def _computed(database: Database, schema: StoredSchema) -> list[tuple[Any, ...]]:
    """Return kind, name, table, expressions and condition of computed parts, names fully qualified."""
    async with database.owner() as conn:
        await conn.execute(SQL["name_all_schemas"])
        return await (await conn.execute(SQL["computed"], {"schema": schema.schema_name})).fetchall()


async def _fault(
    database: Database,
    conn: Connection,
    schema: StoredSchema,
    given: tuple[str, str, str],
    *,
    seconds: float,
    pages: int,
) -> str | None:
    table, expression, condition = given
    statement = fill(
        "compute",
        table=sql.Identifier(schema.schema_name, table),
        expression=sql.SQL(cast(LiteralString, expression)),  # as PostgreSQL writes it
        condition=sql.SQL(cast(LiteralString, condition)),
        pages=f"({pages},0)",
    )

    async def work() -> None:
        await conn.execute(_BEGIN)
        await conn.execute(SQL["name_all_schemas"])
        await conn.execute(statement)

    try:
        await bounded(database, conn, seconds, work)
    except psycopg.Error as error:
        return error.diag.message_primary or type(error).__name__
    finally:
        if not conn.closed:
            await conn.rollback()
    return None
