"""Telling of a memory that was found: the fact and the session it was learned from."""

from __future__ import annotations

from collections.abc import Sequence

from quipu.kernel.db.database import Within
from quipu.kinds.transcripts import store
from quipu.recall.model import Cited, Source


async def cite(within: Within, ids: Sequence[int]) -> dict[int, Cited]:
    """What entries say, by id; archived memories are left out.

    The source names the memory as its message and its category as the role.
    """
    return {
        one.id: Cited(
            text=one.text,
            happened_at=one.happened_at,
            recorded_at=one.recorded_at,
            source=Source(one.said, one.session, role=one.category or "knowledge"),
        )
        for one in await store.cited(within, ids)
    }
