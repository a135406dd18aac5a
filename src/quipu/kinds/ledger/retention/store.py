"""The queries of retention."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any
from uuid import UUID

from quipu.kernel.db import queries
from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.ledger.retention.model import Due, RetentionLimits

_SQL = queries.load("quipu.kinds.ledger.retention")


async def due(
    tx: SpaceTransaction, limits: RetentionLimits, *, names: Sequence[str] | None = None
) -> list[Due]:
    """Return the sessions whose time is over, of all or of those named."""
    if limits.sessions is None:
        return []
    return await tx.fetch(
        Due,
        _SQL["due_sessions"],
        before=limits.sessions,
        evidence=limits.evidence,
        names=None if names is None else list(names),
    )


async def count(tx: SpaceTransaction, name: str, /, **values: object) -> dict[str, int]:
    """Return rows by table, as a counting query names them; those without any are left out."""
    row = await tx.fetch_one(dict[str, Any], _SQL[name], **values)
    return {f"ledger.{table}": rows for table, rows in (row or {}).items() if rows}


async def session_uid(tx: SpaceTransaction, name: str) -> UUID | None:
    """Return a session's id as other kinds refer to it."""
    rows = await tx.rows(_SQL["session_uid"], session=name)
    return rows[0][0] if rows else None


async def entries(tx: SpaceTransaction, name: str, values: Mapping[str, object]) -> list[int]:
    """Return entries of the index, as a query finds them."""
    return [row[0] for row in await (await tx.run(_SQL[name], values)).fetchall()]


async def run(tx: SpaceTransaction, name: str, /, **values: object) -> None:
    """Run a write by its name."""
    await tx.execute(_SQL[name], **values)


async def apply(tx: SpaceTransaction, name: str, limits: RetentionLimits) -> None:
    """Run a write that depends on the limits alone."""
    await tx.execute(_SQL[name], name=tx.space.name, **asdict(limits))
