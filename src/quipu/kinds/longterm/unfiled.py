"""Memories that SQL wrote, filed before they are looked for."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Any, Final

from quipu.kernel.db import queries
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kinds.longterm import indexing
from quipu.kinds.longterm.indexing import LONGTERM, draft
from quipu.kinds.longterm.rules import summary_hash
from quipu.recall import unfiled
from quipu.recall.generations import Models
from quipu.recall.unfiled import Row, Rows

_SQL: Final = queries.load("quipu.kinds.longterm")


def _row(row: tuple[Any, ...], fallback: str) -> Row:
    id_, summary, details, user, happened_at, recorded_at = row
    entry = indexing.entry(id_, summary=summary, details=details, user=user, happened_at=happened_at)
    return Row(id_, entry.text, summary_hash(summary), draft(entry, fallback=fallback, now=recorded_at))


_ROWS: Final = Rows(_SQL, _row)


async def catch_up(database: Database, models: Models, space: str) -> None:
    """File memories that SQL wrote."""
    if await _ROWS.file(database, models, space):
        await unfiled.settle(database, space, LONGTERM, _clear)


def filed(
    database: Database, models: Models, space: str, *, seconds: float | None = None
) -> AbstractAsyncContextManager[SpaceTransaction | None]:
    """Open the space for reading, after filing memories that SQL wrote, for at most ``seconds``."""
    return unfiled.filed(database, models, space, {LONGTERM: catch_up}, seconds=seconds)


async def _clear(tx: SpaceTransaction) -> None:
    """Have recalls look no more, unless something has come meanwhile."""
    await tx.conn.execute(_SQL["settle"], {"space": tx.space.id})
