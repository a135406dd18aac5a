"""Spaces that were forgotten whole: their receipts stay, and notes are added to them."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from quipu.kernel.db import queries
from quipu.kernel.db.database import Database, Space, SpaceTransaction
from quipu.upkeep.erasure.names import keyed

_SQL = queries.load("quipu.upkeep.erasure")


@dataclass(frozen=True, slots=True)
class ErasedSpace:
    """A space by its name and number, which it keeps when it is gone."""

    name: str
    id: int


async def find(database: Database, name: str, receipt: str) -> ErasedSpace | None:
    """Return the space of that name to which a receipt belongs: today's, or one that was forgotten whole."""
    async with database.transaction(name) as tx:
        if tx is not None and await tx.rows(_SQL["receipts_of_space"], id=receipt):
            return ErasedSpace(name, tx.space.id)
    async with database.unscoped() as conn, conn.transaction():
        name_hash = keyed(await conn.value(_SQL["names_key"]), name, "")
        id_ = await conn.value(_SQL["gone_space"], hash=name_hash, receipt=receipt)
    return None if id_ is None else ErasedSpace(name, id_)


@asynccontextmanager
async def tx(database: Database, space: ErasedSpace) -> AsyncGenerator[SpaceTransaction]:
    """Open a transaction that sees what is kept of a space, existing or not."""
    settings = await database.settings()
    async with database.unscoped() as conn, conn.transaction():
        await conn.execute(_SQL["enter_number"], {"id": space.id})
        seen = Space(space.id, space.name, (), 0, 0, 0.0, 0, 0, 0, None, 0)
        yield SpaceTransaction(conn, seen, settings)
