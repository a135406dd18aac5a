"""Extra weights of episodes that answer a question. Looking changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.episodes.decay import store, weighing
from quipu.kinds.plug import Parts
from quipu.recall.question import Question


async def weigh(
    tx: SpaceTransaction, question: Question, now: datetime, ids: Sequence[int]
) -> dict[int, Parts | None]:
    """Return by entry the parts activation, freshness, topic, intent, half_remembered. See ``plug.Weigh``."""
    wanted = weighing.intents(question.text)
    return {
        entry: weighing.weigh(life, about, terms=question.terms, intents=wanted, now=now)
        for entry, life, about in await store.lives(tx, ids)
    }
