"""The open loops that a prompt should tell of, each a line."""

from __future__ import annotations

from datetime import datetime

from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.episodes.extraction.loops import store
from quipu.kinds.episodes.extraction.loops.model import Loop
from quipu.kinds.episodes.extraction.loops.urgency import line, most_urgent
from quipu.kinds.episodes.settings import LOOP_HALF_LIFE_DAYS, LOOP_REMINDERS


async def remind(tx: SpaceTransaction, user: str | None, session: str | None, now: datetime) -> list[str]:
    """Return the most urgent open loops of a person or a session, or of the space; changes nothing."""
    most = tx.settings.of(LOOP_REMINDERS)
    urgent = await most_urgent_of(tx, user=user, session=session, now=now, limit=most)
    return [line(loop, now=now) for loop in urgent]


async def most_urgent_of(
    tx: SpaceTransaction, *, user: str | None, session: str | None, now: datetime, limit: int
) -> list[Loop]:
    """Return the open loops that matter now, most urgent first."""
    found = await store.pressing(tx, user=user, session=session, now=now)
    half_life = tx.settings.of(LOOP_HALF_LIFE_DAYS)
    urgent = most_urgent(found, now=now, limit=limit, half_life_days=half_life)
    return await store.loops(tx, [one.id for one in urgent])
