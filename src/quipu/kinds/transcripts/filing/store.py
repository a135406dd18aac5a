"""The queries of filing, one short function each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from psycopg.rows import class_row

from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import Within

_SQL = queries.load("quipu.kinds.transcripts.filing")


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


async def latest(within: Within, *, limit: int) -> list[Unfiled]:
    """Return the latest unfiled messages, in the order of their ids, with the text to be indexed."""
    values = {"space": within.space.id, "limit": limit}
    async with within.conn.cursor(row_factory=class_row(Unfiled)) as cursor:
        found = await (await cursor.execute(_SQL["latest"], values)).fetchall()
    spoken = await within.spoken([one.content for one in found])
    return [replace(one, content=text) for one, text in zip(found, spoken, strict=True)]


async def hold(within: Within, ids: Sequence[int]) -> set[int]:
    """Return the ids that are still not filed, locked until commit."""
    values = {"space": within.space.id, "ids": Int8s(ids)}
    return {number for (number,) in await (await within.conn.execute(_SQL["hold"], values)).fetchall()}


async def count(within: Within) -> int:
    """Count the messages that are not filed."""
    row = await (await within.conn.execute(_SQL["count"], {"space": within.space.id})).fetchone()
    return row[0] if row else 0


async def run(within: Within, name: str, values: Mapping[str, object]) -> None:
    """Run a write by its name; ``space`` is filled in."""
    await within.conn.execute(_SQL[name], {"space": within.space.id, **values})
