"""Salience, freshness and activation of an episode: the formulas. Pure.

Sources: J. R. Anderson, C. Lebiere, The Atomic Components of Thought (1998), chapter 4: base-level learning
and the probability of retrieval. A. A. Petrov, Computationally efficient approximation of the base-level
learning equation in ACT-R, Proc. 7th Int. Conf. on Cognitive Modeling (2006): the latest accesses as they
are, the older ones spread evenly over the time before.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from math import exp, log
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


DECAY_PER_HOUR: Final = 0.05


D: Final = 0.5
"""The decay of each access, ACT-R's standard value."""

LEAST_HOURS: Final = 1 / 60
"""What was accessed less than a minute ago counts as a minute old: the logarithm has no end there."""

KEPT: Final = 16
"""So many of the latest accesses are kept with their times. Petrov finds one enough; more cost nothing."""

THRESHOLD: Final = -2.0
"""The activation at which an episode comes to mind every second time: one access, about two days ago."""

NOISE: Final = 1.0
"""How gradual that is; with it, a year without use leaves 7 of 100."""


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


def hours(since: datetime, now: datetime) -> float:
    """Return the hours from one moment to another; a moment in the future counts as now."""
    return max(now - since, timedelta()) / timedelta(hours=1)


def freshness(salience: float, *, hours: float, decay_per_hour: float = DECAY_PER_HOUR) -> float:
    """Return the retention of an episode ``hours`` after it was last used, or made: 0 to 1.

    exp(-decay (1 - salience) hours), seed 003. With the decay of 0.05 an hour, a salience of 0.5 halves in 28
    hours, one of 0.1 in 15, and one of 1 never fades.
    """
    return exp(-decay_per_hour * (1 - min(1.0, max(0.0, salience))) * max(0.0, hours))


def base_level(recent_hours: Sequence[float], *, older: int = 0, life_hours: float = 0.0) -> float:
    """Return B = ln(sum of t^-d over the accesses), t in hours, d = 0.5.

    ``recent_hours`` are the ages of the latest accesses, in any order. ``older`` is the number of accesses
    before these, and ``life_hours`` the age of the first of them. For n accesses of which k are known, (n -
    k) (t_n^(1-d) - t_k^(1-d)) / ((1-d) (t_n - t_k)) stands for the sum of the others (Petrov 2006, equation
    5).

    Raises:
        ValueError: there was no access at all.
    """
    if not recent_hours:
        raise ValueError("A base level needs an access: when the episode was made is one.")
    ages = sorted(max(LEAST_HOURS, hours) for hours in recent_hours)
    return log(sum(age**-D for age in ages) + _older(older, last=ages[-1], first=life_hours))


def activation(recent_hours: Sequence[float], *, older: int = 0, life_hours: float = 0.0) -> float:
    """Return the base level on the scale 0 to 1, ends excluded: 1 / (1 + exp((threshold - B) / noise)).

    ACT-R's probability of retrieval (Anderson and Lebiere 1998, equation 3.6).
    """
    return 1 / (1 + exp((THRESHOLD - base_level(recent_hours, older=older, life_hours=life_hours)) / NOISE))


def _older(count: int, *, last: float, first: float) -> float:
    """Return the sum over accesses between ``last`` and ``first`` hours ago, as if evenly spread."""
    if count <= 0:
        return 0.0
    first = max(first, last)
    if first - last < LEAST_HOURS:
        return count * last**-D
    return count * (first ** (1 - D) - last ** (1 - D)) / ((1 - D) * (first - last))
