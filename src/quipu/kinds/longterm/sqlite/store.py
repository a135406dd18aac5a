"""The queries of an exchange."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any
from uuid import UUID

from quipu.kernel.db import queries
from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.longterm.sqlite.rules import Taken

_SQL = queries.load("quipu.kinds.longterm.sqlite")


async def known(tx: SpaceTransaction, ids: Sequence[UUID]) -> dict[UUID, str | None]:
    """Return the owner of each of these memories that the space has."""
    return dict(await tx.rows(_SQL["known"], ids=list(ids)))


async def said_already(tx: SpaceTransaction, user: str | None, hashes: Sequence[str]) -> set[str]:
    """Return the hashes that a live memory of the user has."""
    return {row[0] for row in await tx.rows(_SQL["said_already"], user=user, hashes=list(hashes))}


async def keep(tx: SpaceTransaction, memory: Taken, *, user: str | None, entry: int | None) -> None:
    """Keep a memory that came with a file."""
    await tx.execute(_SQL["import_memory"], **asdict(memory), user=user, entry=entry)


async def export(tx: SpaceTransaction, *, user: str | None) -> list[dict[str, Any]]:
    """Return the memories of a space, or of a user there, as a file has them; live ones first."""
    return await tx.fetch(dict[str, Any], _SQL["export"], user=user)
