"""Statements about tables whose names are known when they run: ``{table}`` and the like are filled in.

They run on the login of the schema's writer. Filled in are quoted names (``psycopg.sql.Identifier``).
"""

from __future__ import annotations

from collections.abc import Iterable

from psycopg import sql

from quipu.kernel.db import queries
from quipu.kernel.db.database import Connection
from quipu.upkeep.snapshots.model import Sum, Target

TEMPLATES = queries.load("quipu.upkeep.snapshots", folder="templates")


def fill(name: str, /, **parts: sql.Composable) -> sql.Composed:
    """Return the statement of that name."""
    return sql.SQL(TEMPLATES[name]).format(**parts)


async def sums(conn: Connection, target: Target, tables: Iterable[str]) -> dict[str, Sum]:
    """Return counts and checksums of tables, by name.

    Neither the order of rows matters nor the place of dropped columns.
    """
    by_table: dict[str, Sum] = {}
    for table in tables:
        cursor = await conn.execute(fill("sum", table=sql.Identifier(target.schema_name, table)))
        row = await cursor.fetchone()
        assert row is not None
        by_table[table] = Sum(row[0], row[1])
    return by_table
