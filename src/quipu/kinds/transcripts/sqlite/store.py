"""The queries of an exchange, one short function each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from psycopg.rows import dict_row

from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Texts
from quipu.kernel.db.database import SpaceTransaction

_SQL = queries.load("quipu.kinds.transcripts.sqlite")

Row = Mapping[str, Any]


async def rows(tx: SpaceTransaction, name: str, **values: object) -> list[dict[str, Any]]:
    """Return what a query finds, by the names of a file's columns."""
    async with tx.conn.cursor(row_factory=dict_row) as cursor:
        return await (await cursor.execute(_SQL[name], {"space": tx.space.id, **values})).fetchall()


async def run(tx: SpaceTransaction, name: str, values: Row) -> int:
    """Run a write; how many rows it made."""
    done = await tx.conn.execute(_SQL[name], {"space": tx.space.id, **values})
    return max(done.rowcount, 0)


async def hold_memories(tx: SpaceTransaction) -> None:
    """Wait until nobody else changes the memories of the space."""
    await run(tx, "hold_memories", {})


async def memory_homes(tx: SpaceTransaction, memories: Sequence[Row]) -> list[dict[str, Any]]:
    """Return the ``project`` of each lesson, and the active lesson there that says the ``same``, if any."""
    return await rows(
        tx,
        "memory_homes",
        sessions=Texts([one["session"] for one in memories]),
        categories=Texts([one["category"] for one in memories]),
        forms=[one["form"] for one in memories],
    )


async def known_memories(tx: SpaceTransaction, ids: Sequence[UUID]) -> set[UUID]:
    """Return the lessons that the space has already."""
    return {row["id"] for row in await rows(tx, "known_memories", ids=list(ids))}
