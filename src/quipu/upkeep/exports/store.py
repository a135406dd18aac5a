"""The queries of exports."""

from __future__ import annotations

from dataclasses import asdict

from quipu.kernel.db import queries
from quipu.kernel.db.database import Within
from quipu.upkeep.exports.model import Export

_SQL = queries.load("quipu.upkeep.exports")


async def note(within: Within, export: Export) -> None:
    """Keep an export."""
    await within.conn.execute(_SQL["note_export"], {"space": within.space.id, **asdict(export)})


async def of_space(within: Within) -> list[Export]:
    """Return every export of a space, oldest first."""
    rows = await within.conn.execute(_SQL["exports_of_space"], {"space": within.space.id})
    return [Export(*row) for row in await rows.fetchall()]
