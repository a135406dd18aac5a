"""Telling of a memory that was found: the fact, where it was learned, and whether it still holds."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.transcripts import store
from quipu.kinds.transcripts.lessons import ageing
from quipu.kinds.transcripts.settings import ARCHIVE_BELOW, HALF_LIFE_DAYS
from quipu.recall.model import Cited, Source


async def cite(tx: SpaceTransaction, ids: Sequence[int]) -> dict[int, Cited]:
    """Return the texts of entries, by id; archived lessons are left out.

    The source names the memory as its message and its category as the role.
    """
    return {
        one.id: Cited(
            text=one.text,
            happened_at=one.happened_at,
            recorded_at=one.recorded_at,
            source=Source(one.said, one.session, role=one.category or "knowledge"),
        )
        for one in await store.cited(tx, ids)
    }


async def faded(tx: SpaceTransaction, ids: Sequence[int], now: datetime) -> set[int]:
    """Return the entries whose confidence of today is so low that the next pruning archives them."""
    settings = tx.settings
    half_life_days, least = settings.of(HALF_LIFE_DAYS), settings.of(ARCHIVE_BELOW)
    lives = await store.lives(tx, ids)
    return {
        entry
        for entry, life in lives.items()
        if ageing.confidence(life, now=now, half_life_days=half_life_days) < least
    }


async def lately(tx: SpaceTransaction, limit: int) -> list[tuple[int, datetime]]:
    """Return the entries of the lessons used last, with the time; latest first."""
    return await store.lately(tx, limit)


async def used(tx: SpaceTransaction, ids: Sequence[int], now: datetime) -> int:
    """Note that memories were put before an agent: they age from now."""
    return await store.used(tx, ids, now=now, apart=ageing.REINFORCED_APART)
