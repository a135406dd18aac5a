"""Effect of time, use and contradiction on a lesson's confidence. Pure: computed when it is read.

What is stored is what was judged and when something happened; nothing that is computed here is written back.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from math import exp, log
from typing import Final

from quipu.kinds.transcripts.extract.confidence import MOST, repeated
from quipu.kinds.transcripts.lessons.model import State

HALF_LIFE_DAYS: Final = 70.0
"""ln 2 / 0.01: the decay of the seed's design, confidence * e^(-0.01 * days)."""

ARCHIVE_BELOW: Final = 0.1
CONFIRMED: Final = 0.5
"""A confirmation takes away so much of the doubt."""

USED: Final = 0.9
"""Each use leaves so much of the doubt, and never less than half of it."""

CONTRADICTED: Final = 0.4
"""Each later memory that says otherwise leaves so much of the confidence."""

REINFORCED_APART: Final = timedelta(hours=1)
"""Uses that follow each other sooner count as one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Life:
    """History of a lesson. ``judged``: 0 to 1; ``said_at``: last, in ``sessions`` of them."""

    judged: float
    said_at: datetime
    sessions: int = 1
    used_at: datetime | None = None
    confirmed_at: datetime | None = None
    edited_at: datetime | None = None
    uses: int = 0
    contradictions: int = 0


def confidence(life: Life, *, now: datetime, half_life_days: float = HALF_LIFE_DAYS) -> float:
    """Return the worth now, 0 to 1: raised(life) * 0.4^contradictions * exp(-ln 2 / half_life * days).

    The days are counted from the last event: said, used, edited or confirmed. A future event counts as now.
    """
    days = max(now - _last(life), timedelta()) / timedelta(days=1)
    return raised(life) * CONTRADICTED**life.contradictions * exp(-log(2) / half_life_days * days)


def raised(life: Life) -> float:
    """Return the judged confidence, raised by repetition, uses and a confirmation; never lowered.

    c is what repetition makes of it (extract/confidence.py); then 1 - (1 - c) * 0.9^uses (at least half of
    the doubt stays) * 0.5 where a person confirmed or edited it, but not above 0.98.
    """
    said = repeated(life.judged, life.sessions)
    kept = max(USED**life.uses, 0.5)
    if life.confirmed_at is not None or life.edited_at is not None:
        kept *= CONFIRMED
    return max(said, min(MOST, 1 - (1 - said) * kept))


def state(worth: float, *, archived: bool, archive_below: float = ARCHIVE_BELOW) -> State:
    """Return "archived" for an archived lesson, "faded" below the least worth, else "live"."""
    return "archived" if archived else "faded" if worth < archive_below else "live"


def counts_as_use(used_at: datetime | None, now: datetime) -> bool:
    """Return True if a use counts; False if it follows the last one too soon."""
    return used_at is None or now - used_at >= REINFORCED_APART


def _last(life: Life) -> datetime:
    return max(at for at in (life.said_at, life.used_at, life.confirmed_at, life.edited_at) if at is not None)
