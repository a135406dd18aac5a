"""Counts and checksums of tables, read on the login of the schema's writer."""

from __future__ import annotations

from collections.abc import Iterable

from psycopg import sql

from quipu.kernel.db.database import Connection
from quipu.upkeep.snapshots.model import Sum, Target
from quipu.upkeep.snapshots.templates import fill


async def sums(conn: Connection, target: Target, tables: Iterable[str]) -> dict[str, Sum]:
    """Return the sums by name. The order of rows does not matter, nor the place of dropped columns."""
    found: dict[str, Sum] = {}
    for table in tables:
        cursor = await conn.execute(fill("sum", table=sql.Identifier(target.schema_name, table)))
        row = await cursor.fetchone()
        assert row is not None
        found[table] = Sum(row[0], row[1])
    return found
