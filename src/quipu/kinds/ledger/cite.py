"""Telling of a fact or a piece of evidence that was found: what it says and where it is from."""

from __future__ import annotations

from collections.abc import Sequence

from psycopg.rows import dict_row

from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import Within
from quipu.recall.model import Cited, Source

_SQL = queries.load("quipu.kinds.ledger")


async def cite(within: Within, ids: Sequence[int]) -> dict[int, Cited]:
    """What entries say, by id; what has expired meanwhile is left out.

    The source names the event (or the evidence) as its message, and how it is known as the role:
    ``explicit``, ``inferred``, ``assumed``, ``default``, or the source of the evidence.
    """
    async with within.conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(_SQL["cite"], {"space": within.space.id, "ids": Int8s(ids)})
        rows = await cursor.fetchall()
    return {
        row["id"]: Cited(
            text=row["text"],
            happened_at=row["happened_at"],
            recorded_at=row["recorded_at"],
            source=Source(row["said"], row["session"], role=row["role"], user=row["person"]),
        )
        for row in rows
    }
