"""Salience of an episode: weighed when it is made, raised by use within bounds. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from quipu.kinds.episodes.shapes import Factors

NOVELTY, EMOTIONAL, COMMITMENT = 0.4, 0.4, 0.2
UNRESOLVED: Final = 1.25
LEAST, MOST = 0.1, 1.0
SCALE: Final = 3.0
"""The factors go from 0 to 3. Seed 003 does not say to divide by it; its origin does."""

BOOST: Final = 0.2
"""The seed's boost of a retrieved episode: here each use takes so much of what is left to the ceiling."""

RAISED: Final = 0.5
"""The ceiling: uses take away at most so much of what was missing to 1."""

USES_APART: Final = timedelta(minutes=10)
"""Uses that follow each other sooner are one use, as in the origin."""


def salience(factors: Factors) -> float:
    """Return the weight of an episode by its factors, 0.1 to 1, rounded to thousandths.

    clamp((0.4 novelty + 0.4 emotional + 0.2 commitment) / 3 * (1.25 if unresolved), 0.1, 1): seed 003,
    "Salience & Retrieval", with the division that its scale of 0 to 3 needs.
    """
    weighed = NOVELTY * factors.novelty + EMOTIONAL * factors.emotional + COMMITMENT * factors.commitment
    return round(min(MOST, max(LEAST, weighed / SCALE * (UNRESOLVED if factors.unresolved else 1))), 3)


def raised(base: float, uses: int, *, boost: float = BOOST) -> float:
    """Return the salience of a used episode: never below ``base``, never up to 1 unless that is.

    base + 0.5 (1 - base) (1 - (1 - boost)^uses). The origin added 0.2 at every retrieval, so that whatever
    came back a few times never faded again; here the first use counts most, and unused episodes keep the same
    order as those that are used all the time.
    """
    return base + RAISED * (MOST - base) * (1 - (1 - boost) ** max(0, uses))


def counts_as_use(last: datetime | None, now: datetime, *, apart: timedelta = USES_APART) -> bool:
    """Return True if a use counts; False if it follows the last one too soon."""
    return last is None or now - last >= apart


def counted(uses: Sequence[datetime]) -> list[datetime]:
    """Return the uses that count, oldest first."""
    kept: list[datetime] = []
    for at in sorted(uses):
        if counts_as_use(kept[-1] if kept else None, at):
            kept.append(at)
    return kept
