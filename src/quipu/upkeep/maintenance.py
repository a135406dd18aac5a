"""Maintenance table by table: one that fails, or takes too long, is reported, and the others go on.

An agent owns its tables: their indexes and statistics may compute what it likes, and VACUUM FULL and ANALYZE
compute it with them. It must not stop the maintenance of what others own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Literal

import psycopg
from psycopg import sql

from quipu.kernel.db import queries
from quipu.kernel.db.bounds import bounded
from quipu.kernel.db.database import Connection, Database

Work = Literal["vacuum", "vacuum_unlocked", "vacuum_full"]
Name = tuple[str, str]
"""Schema and table."""

LEAST_SECONDS: Final = 60.0
_BYTES_A_SECOND: Final = 1_000_000  # a tenth of what a slow disk does, and less
_SQL = queries.load("quipu.upkeep")
_TEMPLATES = queries.load("quipu.upkeep", folder="templates")


def statement(work: Work, table: Name) -> sql.Composed:
    """Return the statement that does the work on a table."""
    return sql.SQL(_TEMPLATES[work]).format(table=sql.Identifier(*table))


async def maintain(
    database: Database, tables: Iterable[Name], work: Work, *, seconds: float = LEAST_SECONDS
) -> Mapping[Name, str]:
    """Do the work on each table as the owner of the database; those that it failed for, and what kept it.

    Each has so many seconds, and more the larger it is. Reasons are names of PostgreSQL's errors, or the
    warning with which it passed over a table: an error's own words may be an agent's.

    Raises:
        DatabaseUnavailable: the server does not answer any more.
    """
    failed: dict[Name, str] = {}
    for table in tables:
        async with database.owner() as conn:
            if reason := await _fault(database, conn, table, work, seconds):
                failed[table] = reason
    return failed


async def _fault(database: Database, conn: Connection, table: Name, work: Work, seconds: float) -> str | None:
    warned: list[str] = []
    conn.add_notice_handler(lambda said: _warn(warned, said))
    name = {"table": sql.Identifier(*table).as_string(conn)}
    row = await (await conn.execute(_SQL["size_of"], name)).fetchone()
    limit = seconds + (row[0] if row else 0) / _BYTES_A_SECOND
    await conn.execute(_SQL["limit"], {"milliseconds": round(limit * 1000)})
    try:
        await bounded(database, conn, limit, lambda: conn.execute(statement(work, table)))
    except psycopg.Error as error:
        return type(error).__name__
    return warned[0] if warned else None


def _warn(warned: list[str], said: psycopg.errors.Diagnostic) -> None:
    if said.severity_nonlocalized == "WARNING" and said.message_primary:
        warned.append(said.message_primary)
