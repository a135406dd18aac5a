"""Forgetting jobs that wait with somebody's words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from quipu.kernel.db import queries
from quipu.kernel.db.database import Within
from quipu.upkeep.erasure.model import What

_SQL = queries.load("quipu.kernel.queue")


class OutboxEraser:
    """Takes jobs out of the outbox: of a session or a person whose words they hold, or all of the space."""

    async def count(self, within: Within, what: What) -> Mapping[str, int]:
        """Count the jobs that would go."""
        row = await (await within.conn.execute(_SQL["count_words"], _given(within, what))).fetchone()
        return {"jobs": row[0]} if row and row[0] else {}

    async def erase(self, within: Within, what: What) -> Sequence[int]:
        """Take them, and what other jobs failed with; jobs have no entries in the index."""
        await within.conn.execute(_SQL["erase_errors"], {"space": within.space.id})
        await within.conn.execute(_SQL["erase_words"], _given(within, what))
        return ()


def _given(within: Within, what: What) -> dict[str, object]:
    return {
        "space": within.space.id,
        "everything": what.everything,
        "message": what.message,
        "session": what.session,
        "user": what.user,
    }
