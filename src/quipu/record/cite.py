"""Telling of a message that was found: its words and where it is from."""

from __future__ import annotations

from collections.abc import Sequence

from quipu.kernel.db.database import SpaceTransaction
from quipu.recall.model import Cited, Source
from quipu.record import store


async def cite(tx: SpaceTransaction, ids: Sequence[int]) -> dict[int, Cited]:
    """Return the messages of entries, by id."""
    return {
        m.id: Cited(
            text=m.content,
            happened_at=m.happened_at,
            recorded_at=m.recorded_at,
            source=Source(m.external_id, m.session, m.speaker, m.role, m.user_name),
        )
        for m in await store.messages(tx, ids)
    }
