"""The queries of exports."""

from __future__ import annotations

from dataclasses import asdict

from quipu.kernel.db import queries
from quipu.kernel.db.database import SpaceTransaction
from quipu.upkeep.exports.model import Export

_SQL = queries.load("quipu.upkeep.exports")


async def note(tx: SpaceTransaction, export: Export) -> None:
    """Keep an export."""
    await tx.conn.execute(_SQL["note_export"], {"space": tx.space.id, **asdict(export)})


async def of_space(tx: SpaceTransaction) -> list[Export]:
    """Return every export of a space, oldest first."""
    rows = await tx.conn.execute(_SQL["exports_of_space"], {"space": tx.space.id})
    return [Export(*row) for row in await rows.fetchall()]
