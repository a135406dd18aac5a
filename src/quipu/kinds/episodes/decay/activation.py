"""Activation of an episode, how ready it is to come to mind: the base level of ACT-R. Pure.

Sources: J. R. Anderson, C. Lebiere, The Atomic Components of Thought (1998), chapter 4: base-level learning
and the probability of retrieval. A. A. Petrov, Computationally efficient approximation of the base-level
learning equation in ACT-R, Proc. 7th Int. Conf. on Cognitive Modeling (2006): the latest accesses as they
are, the older ones spread evenly over the time before.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log
from typing import Final

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
