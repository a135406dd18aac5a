"""The queries of what SQL has changed, one short function each; every recall may need them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from psycopg.rows import class_row

from quipu.kernel.db import queries
from quipu.kernel.db.database import Within

_SQL = queries.load("quipu.kinds.episodes.filing")


@dataclass(frozen=True, slots=True)
class Unfiled:
    """An episode that the index does not know as it is."""

    id: UUID
    entry_id: int | None
    user: str | None
    started_at: datetime
    created_at: datetime
    gist: str
    outcome: str
    topic: str
    deleted: bool


async def unfiled(within: Within, *, limit: int) -> list[Unfiled]:
    """Return episodes that were changed by SQL."""
    async with within.conn.cursor(row_factory=class_row(Unfiled)) as cursor:
        values = {"space": within.space.id, "limit": limit}
        return await (await cursor.execute(_SQL["unfiled"], values)).fetchall()


async def held(within: Within, ids: Sequence[UUID]) -> set[UUID]:
    """Return the ids that are still unfiled, locked until commit; without those that SQL has locked."""
    values = {"space": within.space.id, "ids": list(ids)}
    return {row[0] for row in await (await within.conn.execute(_SQL["held"], values)).fetchall()}


async def run(within: Within, name: str, values: Mapping[str, object]) -> None:
    """Run a write by its name; ``space`` is filled in."""
    await within.conn.execute(_SQL[name], {"space": within.space.id, **values})
