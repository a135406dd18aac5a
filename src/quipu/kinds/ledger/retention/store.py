"""The queries of retention."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from uuid import UUID

from psycopg.rows import class_row, dict_row

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
    given = {
        "space": tx.space.id,
        "before": limits.sessions,
        "evidence": limits.evidence,
        "names": None if names is None else list(names),
    }
    async with tx.conn.cursor(row_factory=class_row(Due)) as cursor:
        return await (await cursor.execute(_SQL["due_sessions"], given)).fetchall()


async def count(tx: SpaceTransaction, name: str, given: Mapping[str, object]) -> dict[str, int]:
    """Return rows by table, as a counting query names them; those without any are left out."""
    async with tx.conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(_SQL[name], {"space": tx.space.id, **given})
        row = await cursor.fetchone()
    return {f"ledger.{table}": rows for table, rows in (row or {}).items() if rows}


async def session_uid(tx: SpaceTransaction, name: str) -> UUID | None:
    """Return a session's id as other kinds refer to it."""
    given = {"space": tx.space.id, "session": name}
    row = await (await tx.conn.execute(_SQL["session_uid"], given)).fetchone()
    return row[0] if row else None


async def entries(tx: SpaceTransaction, name: str, given: Mapping[str, object]) -> list[int]:
    """Return entries of the index, as a query finds them."""
    rows = await (await tx.conn.execute(_SQL[name], {"space": tx.space.id, **given})).fetchall()
    return [row[0] for row in rows]


async def run(tx: SpaceTransaction, name: str, given: Mapping[str, object]) -> None:
    """Run a write by its name; ``space`` is filled in."""
    await tx.conn.execute(_SQL[name], {"space": tx.space.id, **given})


async def apply(tx: SpaceTransaction, name: str, limits: RetentionLimits) -> None:
    """Run a write that depends on the limits alone."""
    moments: dict[str, datetime | None] = asdict(limits)
    await tx.conn.execute(_SQL[name], {"space": tx.space.id, "name": tx.space.name, **moments})
