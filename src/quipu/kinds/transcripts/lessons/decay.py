"""Decay of lessons: their confidence after time, repetition, use and contradiction. Pure.

The database keeps the confidence at extraction and what happened since; nothing here is written back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from math import exp, log
from typing import Any, Final

from quipu.kernel.config import Settings
from quipu.kinds.transcripts.lessons.model import Lesson, State
from quipu.kinds.transcripts.lessons.store import StoredLesson
from quipu.kinds.transcripts.settings import ARCHIVE_BELOW, HALF_LIFE_DAYS, LASTING, LASTING_IN_PROJECTS

MOST: Final = 0.98
"""No number of repetitions makes a fact certain."""

_NEWS: Final = 0.5
CONFIRMED: Final = 0.5
"""A confirmation takes away so much of the doubt."""

USED: Final = 0.9
"""Each use leaves so much of the doubt, and never less than half of it."""

CONTRADICTED: Final = 0.4
"""Each later memory that says otherwise leaves so much of the confidence."""

REINFORCED_APART: Final = timedelta(hours=1)
"""Uses that follow each other sooner count as one."""


def aged(row: StoredLesson, *, now: datetime, settings: Settings) -> Lesson:
    """Return a stored lesson with the confidence and state that it has now."""
    life = Life(
        judged=row.judged,
        said_at=row.happened_at,
        sessions=row.sessions,
        used_at=row.used_at,
        confirmed_at=row.confirmed_at,
        edited_at=row.edited_at,
        uses=row.uses,
        contradictions=len(row.contradicted_by),
        lasts=row.category in LASTING or (row.category in LASTING_IN_PROJECTS and bool(row.project)),
    )
    worth = confidence(life, now=now, half_life_days=settings.of(HALF_LIFE_DAYS))
    values: dict[str, Any] = {one.name: getattr(row, one.name) for one in fields(Lesson)}
    values |= {
        "confidence": round(worth, 4),
        "judged": round(row.judged, 4),
        "state": state(worth, archived=row.state == "archived", archive_below=settings.of(ARCHIVE_BELOW)),
        "contradicted_by": tuple(row.contradicted_by),
    }
    return Lesson(**values)


def surest_first(memories: Sequence[Lesson]) -> list[Lesson]:
    """Sort lessons, surest first, then latest."""
    return sorted(memories, key=lambda one: (-one.confidence, -one.happened_at.timestamp(), one.id))


@dataclass(frozen=True, slots=True, kw_only=True)
class Life:
    """History of a lesson. ``judged``: 0 to 1; ``said_at``: last, in ``sessions`` of them.

    ``lasts``: it is of a category from which time takes nothing.
    """

    judged: float
    said_at: datetime
    sessions: int = 1
    used_at: datetime | None = None
    confirmed_at: datetime | None = None
    edited_at: datetime | None = None
    uses: int = 0
    contradictions: int = 0
    lasts: bool = False


def confidence(life: Life, *, now: datetime, half_life_days: float = HALF_LIFE_DAYS.default) -> float:
    """Return the worth now, 0 to 1: raised(life) * 0.4^contradictions * exp(-ln 2 / half_life * days).

    The days are counted from the last event: said, used, edited or confirmed. A future event counts as now.
    For what lasts they are 0.
    """
    days = 0.0 if life.lasts else max(now - _last(life), timedelta()) / timedelta(days=1)
    return raised(life) * CONTRADICTED**life.contradictions * exp(-log(2) / half_life_days * days)


def raised(life: Life) -> float:
    """Return the judged confidence, raised by repetition, uses and a confirmation; never lowered.

    c is ``repeated``; then 1 - (1 - c) * 0.9^uses (at least half of
    the doubt stays) * 0.5 where a person confirmed or edited it, but not above 0.98.
    """
    said = repeated(life.judged, life.sessions)
    kept = max(USED**life.uses, 0.5)
    if life.confirmed_at is not None or life.edited_at is not None:
        kept *= CONFIRMED
    return max(said, min(MOST, 1 - (1 - said) * kept))


def repeated(confidence: float, sessions: int) -> float:
    """Return the confidence of a fact that several sessions tell, never less than that of one finding.

    1 - (1 - c) * (1 - c/2)^(sessions - 1), where c is that of the surest finding: each session that repeats
    the fact takes the share c/2 of the remaining doubt away. The result is at most 0.98.
    """
    doubt = (1 - confidence) * (1 - _NEWS * confidence) ** max(sessions - 1, 0)
    return max(confidence, min(MOST, 1 - doubt))


def state(worth: float, *, archived: bool, archive_below: float = ARCHIVE_BELOW.default) -> State:
    """Return "archived" for an archived lesson, "faded" below the least worth, else "live"."""
    return "archived" if archived else "faded" if worth < archive_below else "live"


def counts_as_use(used_at: datetime | None, now: datetime) -> bool:
    """Return True if a use counts; False if it follows the last one too soon."""
    return used_at is None or now - used_at >= REINFORCED_APART


def _last(life: Life) -> datetime:
    return max(at for at in (life.said_at, life.used_at, life.confirmed_at, life.edited_at) if at is not None)
