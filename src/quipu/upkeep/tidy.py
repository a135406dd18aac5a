"""Vacuum after bulk work, so that recall reads indexes alone.

An index-only scan still visits the table where the visibility map does not vouch for a page, and only a
vacuum writes that map. Autovacuum comes round too, after a minute or more; until then every search of a
freshly filled database would read the pages of all postings that it touches.
"""

from __future__ import annotations

import asyncio
import logging

from quipu.errors import QuipuError
from quipu.kernel.base.scope import acting_for
from quipu.kernel.db import queries
from quipu.kernel.db.database import Database
from quipu.upkeep.maintenance import maintain

BULK_ENTRIES = 5_000
"""As much new as this is worth a vacuum at once."""

_PATIENCE_SECONDS = 60.0
_SQL = queries.load("quipu.upkeep")
_log = logging.getLogger("quipu")


async def tidy(database: Database) -> None:
    """Vacuum and analyze the tables that a search reads. Other work goes on meanwhile."""
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
        """Say how many entries were written in bulk; what is left of them counts on."""
        self._untidy_entries += entries
        if self._untidy_entries >= BULK_ENTRIES and (self._running is None or self._running.done()):
            self._untidy_entries = 0
            self._running = asyncio.create_task(self._tidy(), name="quipu tidies")

    async def aclose(self) -> None:
        """Let a vacuum under way end, for a minute at most; PostgreSQL gets round to the rest by itself."""
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
