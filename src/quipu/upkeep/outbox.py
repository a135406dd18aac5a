"""Forgetting jobs that wait with somebody's words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from quipu.kernel.db import queries
from quipu.kernel.db.database import SpaceTransaction
from quipu.upkeep.erasure.model import What

_SQL = queries.load("quipu.kernel.queue")


class OutboxEraser:
    """Takes jobs out of the outbox: of a session or a person whose words they hold, or all of the space."""

    async def count(self, tx: SpaceTransaction, what: What) -> Mapping[str, int]:
        """Count the jobs that would go."""
        row = await (await tx.conn.execute(_SQL["count_words"], _given(tx, what))).fetchone()
        return {"jobs": row[0]} if row and row[0] else {}

    async def erase(self, tx: SpaceTransaction, what: What) -> Sequence[int]:
        """Take them, and what other jobs failed with; jobs have no entries in the index."""
        await tx.conn.execute(_SQL["erase_errors"], {"space": tx.space.id})
        await tx.conn.execute(_SQL["erase_words"], _given(tx, what))
        return ()


def _given(tx: SpaceTransaction, what: What) -> dict[str, object]:
    return {
        "space": tx.space.id,
        "everything": what.everything,
        "message": what.message,
        "session": what.session,
        "user": what.user,
    }
