"""The queries of an exchange."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any
from uuid import UUID

from psycopg.rows import dict_row

from quipu.kernel.db import queries
from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.longterm.sqlite.rules import Taken

_SQL = queries.load("quipu.kinds.longterm.sqlite")


async def known(tx: SpaceTransaction, ids: Sequence[UUID]) -> dict[UUID, str | None]:
    """Return the owner of each of these memories that the space has."""
    values = {"space": tx.space.id, "ids": list(ids)}
    return dict(await (await tx.conn.execute(_SQL["known"], values)).fetchall())


async def said_already(tx: SpaceTransaction, user: str | None, hashes: Sequence[str]) -> set[str]:
    """Return the hashes that a live memory of the user has."""
    values = {"space": tx.space.id, "user": user, "hashes": list(hashes)}
    return {row[0] for row in await (await tx.conn.execute(_SQL["said_already"], values)).fetchall()}


async def keep(tx: SpaceTransaction, one: Taken, *, user: str | None, entry: int | None) -> None:
    """Keep a memory that came with a file."""
    values = {"space": tx.space.id, "user": user, "entry": entry, **asdict(one)}
    await tx.conn.execute(_SQL["import_memory"], values)


async def export(tx: SpaceTransaction, *, user: str | None) -> list[dict[str, Any]]:
    """Return the memories of a space, or of a user there, as a file has them; live ones first."""
    async with tx.conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(_SQL["export"], {"space": tx.space.id, "user": user})
        return await cursor.fetchall()
