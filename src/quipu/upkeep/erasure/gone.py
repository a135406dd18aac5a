"""Spaces that were forgotten whole: their receipts stay, and notes are added to them."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from quipu.kernel.db.database import Database, Space, SpaceTransaction
from quipu.upkeep.erasure import store


@dataclass(frozen=True, slots=True)
class Known:
    """A space by its name and number, which it keeps when it is gone."""

    name: str
    id: int


async def find(database: Database, name: str, receipt: str) -> Known | None:
    """Return the space of that name to which a receipt belongs: today's, or one that was forgotten whole."""
    async with database.transaction(name) as tx:
        if tx is not None and await store.receipts_of_space(tx, receipt):
            return Known(name, tx.space.id)
    async with database.unscoped() as conn, conn.transaction():
        id_ = await store.gone_space(conn, name, receipt)
    return None if id_ is None else Known(name, id_)


@asynccontextmanager
async def tx(database: Database, space: Known) -> AsyncGenerator[SpaceTransaction]:
    """Open a transaction that sees what is kept of a space, existing or not."""
    settings = await database.settings()
    async with database.unscoped() as conn, conn.transaction():
        await store.enter(conn, space.id)
        seen = Space(space.id, space.name, (), 0, 0, 0.0, 0, 0, 0, None, 0)
        yield SpaceTransaction(conn, seen, settings)
