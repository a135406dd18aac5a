"""The open loops that a prompt should tell of, each a line."""

from __future__ import annotations

from datetime import datetime

from quipu.kernel.db.database import Within
from quipu.kinds.episodes.minding.loops import store
from quipu.kinds.episodes.minding.loops.urgency import line, most_urgent
from quipu.kinds.episodes.settings import LOOP_HALF_LIFE_DAYS, LOOP_REMINDERS


async def remind(within: Within, user: str | None, session: str | None, now: datetime) -> list[str]:
    """The most urgent open loops of a person or a session, or of the space; it changes nothing."""
    found = await store.loops(within, state="open", user=user, session=session)
    most, half_life = within.settings.of(LOOP_REMINDERS), within.settings.of(LOOP_HALF_LIFE_DAYS)
    urgent = most_urgent(found, now=now, limit=most, half_life_days=half_life)
    return [line(loop, now=now) for loop in urgent]
