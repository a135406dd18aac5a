"""Telling of a memory that was found: what it says, about whom, and the session it was first said in."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from quipu.kernel.db.database import Within
from quipu.kinds.longterm import store
from quipu.kinds.longterm.rules import filed_text
from quipu.recall.model import Cited, Source


async def lately(within: Within, limit: int) -> list[tuple[int, datetime]]:
    """Return the entries of the memories used last, with the time; latest first."""
    return await store.lately(within, limit)


async def cite(within: Within, ids: Sequence[int]) -> dict[int, Cited]:
    """Return the texts of entries, by id.

    The source names the memory as its message and its category as the role.
    """
    return {
        one.id: Cited(
            text=filed_text(one.summary, one.details),
            happened_at=one.happened_at,
            recorded_at=one.recorded_at,
            source=Source(one.said, one.session, role=one.category, user=one.user),
        )
        for one in await store.cited(within, ids)
    }
