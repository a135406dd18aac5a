"""The queries of what SQL has changed, one short function each; every recall may need them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from psycopg.rows import class_row

from quipu.kernel.db import queries
from quipu.kernel.db.database import SpaceTransaction

_SQL = queries.load("quipu.kinds.episodes.indexing")


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


async def unfiled(tx: SpaceTransaction, *, limit: int) -> list[Unfiled]:
    """Return episodes that were changed by SQL."""
    async with tx.conn.cursor(row_factory=class_row(Unfiled)) as cursor:
        values = {"space": tx.space.id, "limit": limit}
        return await (await cursor.execute(_SQL["unfiled"], values)).fetchall()


async def held(tx: SpaceTransaction, ids: Sequence[UUID]) -> set[UUID]:
    """Return the ids that are still unfiled, locked until commit; without those that SQL has locked."""
    values = {"space": tx.space.id, "ids": list(ids)}
    return {row[0] for row in await (await tx.conn.execute(_SQL["held"], values)).fetchall()}


async def run(tx: SpaceTransaction, name: str, values: Mapping[str, object]) -> None:
    """Run a write by its name; ``space`` is filled in."""
    await tx.conn.execute(_SQL[name], {"space": tx.space.id, **values})
