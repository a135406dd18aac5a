"""Reminders of open loops: what is due comes first, what is old and undated fades."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final, TypeVar

from quipu.kernel.base.text import excerpt
from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.episodes.extraction.loops import store
from quipu.kinds.episodes.extraction.loops.model import Loop, Pressing
from quipu.kinds.episodes.settings import LOOP_HALF_LIFE_DAYS, LOOP_REMINDERS

Open = TypeVar("Open", Pressing, Loop)

HALF_LIFE_DAYS: Final = 14.0
"""After so long without a word of it, what has no date is half as urgent."""

FADED: Final = 0.05
"""What is less urgent is not reminded of; it stays open and is listed."""

_DAY_SECONDS: Final = 86_400.0
_WEIGHTS: Final = {"promise": 1.0, "task": 1.0, "waiting": 0.8, "question": 0.7, "followup": 0.7}
_LONGEST: Final = 200


async def remind(tx: SpaceTransaction, user: str | None, session: str | None, now: datetime) -> list[str]:
    """Return the most urgent open loops of a person or a session, or of the space; changes nothing."""
    most = tx.settings.of(LOOP_REMINDERS)
    urgent = await most_urgent_of(tx, user=user, session=session, now=now, limit=most)
    return [line(loop, now=now) for loop in urgent]


async def most_urgent_of(
    tx: SpaceTransaction, *, user: str | None, session: str | None, now: datetime, limit: int
) -> list[Loop]:
    """Return the open loops that matter now, most urgent first."""
    loops = await tx.fetch(Pressing, store.SQL["pressing"], user=user, session=session, now=now)
    half_life = tx.settings.of(LOOP_HALF_LIFE_DAYS)
    urgent = most_urgent(loops, now=now, limit=limit, half_life_days=half_life)
    return await store.loops(tx, [one.id for one in urgent])


def urgency(loop: Pressing | Loop, *, now: datetime, half_life_days: float = HALF_LIFE_DAYS) -> float:
    """Return the urgency of an open loop, 0 to 1.

    Undated ones halve every ``half_life_days`` since they were last said; each further mention counts as
    half a life. Dated ones grow towards their date, are most urgent on it, and halve after it like others.
    """
    weight = _WEIGHTS[loop.kind]
    if loop.due is not None:
        days = (loop.due - now).total_seconds() / _DAY_SECONDS
        return weight / (1.0 + days / 7.0) if days > 0 else weight * 0.5 ** (-days / half_life_days)
    days = max(0.0, (now - loop.said_at).total_seconds() / _DAY_SECONDS)
    lives = days / half_life_days - 0.5 * (loop.mentions - 1)
    return 0.8 * weight * 0.5 ** max(0.0, lives)


def most_urgent(
    loops: Sequence[Open], *, now: datetime, limit: int, half_life_days: float = HALF_LIFE_DAYS
) -> list[Open]:
    """Return the loops to remind of, most urgent first."""
    worth = [(urgency(loop, now=now, half_life_days=half_life_days), loop) for loop in loops]
    kept = [pair for pair in worth if pair[0] >= FADED]
    return [
        loop for _, loop in sorted(kept, key=lambda pair: (-pair[0], pair[1].said_at, pair[1].id))[:limit]
    ]


def line(loop: Loop, *, now: datetime) -> str:
    """Return a loop as one line of a prompt: who, what, since when, until when."""
    said = f"{loop.by}, {loop.said_at:%Y-%m-%d}: {excerpt(loop.text, _LONGEST)}"
    if loop.due is None:
        return said
    return f"{said} ({'was due' if loop.due <= now else 'due'} {_day(loop.due)})"


def _day(due: datetime) -> str:
    """Return the day that ends at ``due``."""
    return f"{datetime.fromtimestamp(due.timestamp() - 1, tz=due.tzinfo):%Y-%m-%d}"
