"""The queries of filing, one short function each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from psycopg.rows import class_row

from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import SpaceTransaction

_SQL = queries.load("quipu.kinds.transcripts.indexing")


@dataclass(frozen=True, slots=True)
class Unfiled:
    """A message that the index does not know yet."""

    id: int
    session_id: int
    role: str
    speaker: str | None
    user_name: str | None
    happened_at: datetime
    recorded_at: datetime
    content: str


async def latest(tx: SpaceTransaction, *, limit: int) -> list[Unfiled]:
    """Return the latest unfiled messages, in the order of their ids, with the text to be indexed."""
    values = {"space": tx.space.id, "limit": limit}
    async with tx.conn.cursor(row_factory=class_row(Unfiled)) as cursor:
        found = await (await cursor.execute(_SQL["latest"], values)).fetchall()
    spoken = await tx.spoken([one.content for one in found])
    return [replace(one, content=text) for one, text in zip(found, spoken, strict=True)]


async def hold(tx: SpaceTransaction, ids: Sequence[int]) -> set[int]:
    """Return the ids that are still not filed, locked until commit."""
    values = {"space": tx.space.id, "ids": Int8s(ids)}
    return {number for (number,) in await (await tx.conn.execute(_SQL["hold"], values)).fetchall()}


async def count(tx: SpaceTransaction) -> int:
    """Count the messages that are not filed."""
    row = await (await tx.conn.execute(_SQL["count"], {"space": tx.space.id})).fetchone()
    return row[0] if row else 0


async def run(tx: SpaceTransaction, name: str, values: Mapping[str, object]) -> None:
    """Run a write by its name; ``space`` is filled in."""
    await tx.conn.execute(_SQL[name], {"space": tx.space.id, **values})
