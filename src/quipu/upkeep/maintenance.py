"""Vacuum: table by table, and in the background after bulk work.

Agents own their tables: an index or a statistics object may call any function, and VACUUM FULL and ANALYZE
run it. So a table that fails, or takes too long, is reported, and the others go on.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Final, Literal

import psycopg
from psycopg import sql

from quipu.errors import QuipuError
from quipu.kernel.base.scope import acting_for
from quipu.kernel.db import queries
from quipu.kernel.db.bounds import bounded
from quipu.kernel.db.database import Connection, Database

Work = Literal["vacuum", "vacuum_unlocked", "vacuum_full"]
Name = tuple[str, str]
"""Schema and table."""

BULK_ENTRIES: Final = 5_000
"""As much new as this is worth a vacuum at once."""

LEAST_SECONDS: Final = 60.0
_BYTES_A_SECOND: Final = 1_000_000  # a tenth of what a slow disk does, and less
_PATIENCE_SECONDS: Final = 60.0
_SQL = queries.load("quipu.upkeep")
_TEMPLATES = queries.load("quipu.upkeep", folder="templates")
_log = logging.getLogger("quipu")


async def tidy(database: Database) -> None:
    """Vacuum and analyze the tables that a search reads, so that recall reads indexes alone.

    An index-only scan visits the table for each page that is not marked in the visibility map, and only a
    vacuum writes that map. Autovacuum does it too, but a minute or more later; until then every search of a
    freshly filled database would read many pages of the table.
    """
    async with database.owner() as conn:
        tables = await (await conn.execute(_SQL["searched"])).fetchall()
    for (schema, table), why in (await maintain(database, tables, "vacuum")).items():
        _log.warning("%s.%s could not be vacuumed: %s", schema, table, why)


class Tidying:
    """Tidies in the background once enough was written. Its owner closes it."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._untidy_entries = 0
        self._running: asyncio.Task[None] | None = None

    def wrote(self, entries: int) -> None:
        """Count entries that were written in bulk, and tidy once they are enough."""
        self._untidy_entries += entries
        if self._untidy_entries >= BULK_ENTRIES and (self._running is None or self._running.done()):
            self._untidy_entries = 0
            self._running = asyncio.create_task(self._tidy(), name="quipu tidies")

    async def aclose(self) -> None:
        """Wait up to a minute for a vacuum under way, then stop it; autovacuum does the rest."""
        running, self._running = self._running, None
        if running is None:
            return
        try:
            await asyncio.wait([running], timeout=_PATIENCE_SECONDS)
        finally:
            running.cancel()
            await asyncio.wait([running])

    async def _tidy(self) -> None:
        try:
            with acting_for(None):  # whoever wrote last
                await tidy(self._database)
        except QuipuError as error:  # nothing depends on it but speed, and autovacuum comes after us
            _log.warning("The tables could not be vacuumed after an import: %s", error)


def statement(work: Work, table: Name) -> sql.Composed:
    """Return the statement that does the work on a table."""
    return _TEMPLATES.fill(work, table=sql.Identifier(*table))


async def maintain(
    database: Database, tables: Iterable[Name], work: Work, *, seconds: float = LEAST_SECONDS
) -> Mapping[Name, str]:
    """Do the work on each table as the owner of the database; return the tables that failed, with reasons.

    Each table has ``seconds``, and more the larger it is. A reason is the name of PostgreSQL's error, or the
    warning with which it skipped the table. Errors are not quoted: their text may come from an agent.

    Raises:
        DatabaseUnavailable: the server does not answer any more.
    """
    failed: dict[Name, str] = {}
    waiting = deque(tables)
    while waiting:
        async with database.owner() as conn:
            while waiting:
                table = waiting.popleft()
                if reason := await _fault(database, conn, table, work, seconds):
                    failed[table] = reason
                    break  # the connection may have been ended from outside: the next table gets a new one
    return failed


async def _fault(database: Database, conn: Connection, table: Name, work: Work, seconds: float) -> str | None:
    warned: list[str] = []
    hear = partial(_warn, warned)
    conn.add_notice_handler(hear)
    size = await conn.value(_SQL["size_of"], table=sql.Identifier(*table).as_string(conn))
    limit = seconds + (size or 0) / _BYTES_A_SECOND
    await conn.execute(_SQL["limit"], {"milliseconds": round(limit * 1000)})
    try:
        await bounded(database, conn, limit, lambda: conn.execute(statement(work, table)))
    except psycopg.Error as error:
        return type(error).__name__
    finally:
        conn.remove_notice_handler(hear)
    return warned[0] if warned else None


def _warn(warned: list[str], notice: psycopg.errors.Diagnostic) -> None:
    if notice.severity_nonlocalized == "WARNING" and notice.message_primary:
        warned.append(notice.message_primary)
