"""The open loops that a prompt should tell of, each a line."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from quipu.kernel.db.database import Within
from quipu.kinds.episodes.minding.loops import store
from quipu.kinds.episodes.minding.loops.urgency import line, most_urgent

_MOST: Final = 5


async def remind(within: Within, user: str | None, session: str | None, now: datetime) -> list[str]:
    """The most urgent open loops of a person or a session, or of the space; it changes nothing."""
    found = await store.loops(within, state="open", user=user, session=session)
    return [line(loop, now=now) for loop in most_urgent(found, now=now, limit=_MOST)]
