"""Episodes as recall meets them: the extra weight of those that answer a question, and their uses."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.episodes.decay import store, weights
from quipu.kinds.episodes.decay.formulas import counts_as_use
from quipu.kinds.episodes.decay.life import pace
from quipu.kinds.episodes.indexing import ended
from quipu.kinds.plug import Parts
from quipu.recall.question import Question


async def weigh(
    tx: SpaceTransaction, question: Question, now: datetime, ids: Sequence[int]
) -> dict[int, Parts | None]:
    """Return by entry the parts activation, freshness, topic, intent, half_remembered. See ``plug.Weigh``."""
    wanted = weights.intents(question.text)
    living: dict[int, Parts | None] = {
        entry: weights.weigh(life, about, terms=question.terms, intents=wanted, now=now)
        for entry, life, about in await store.lives(tx, ids)
    }
    return {**living, **await ended(tx, question, now, ids)}


async def used(tx: SpaceTransaction, ids: Sequence[int], now: datetime) -> int:
    """Note a use of the episodes of some entries; return how many count. Of two close uses one does."""
    return await note(tx, now, entries=ids)


async def note(
    tx: SpaceTransaction, now: datetime, *, ids: Sequence[UUID] = (), entries: Sequence[int] = ()
) -> int:
    """Note a use of episodes, by their ids or entries; return how many uses count."""
    apart = timedelta(minutes=pace(tx.settings).uses_apart_minutes)
    counted = 0
    for one in await tx.fetch(store.Use, store.SQL["last_uses"], ids=list(ids), entries=Int8s(entries)):
        if counts_as_use(one.used_at, now, apart=apart):
            await tx.execute(store.SQL["note_use"], id=one.id, uses=one.uses + 1, now=now)
            counted += 1
    return counted
