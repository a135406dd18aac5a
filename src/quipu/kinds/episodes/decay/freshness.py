"""Freshness of an episode: it fades by the hour, the slower the more it matters. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta
from math import exp, log
from typing import Final

DECAY_PER_HOUR: Final = 0.05


def hours(since: datetime, now: datetime) -> float:
    """Return the hours from one moment to another; a moment in the future counts as now."""
    return max(now - since, timedelta()) / timedelta(hours=1)


def freshness(salience: float, *, hours: float, decay_per_hour: float = DECAY_PER_HOUR) -> float:
    """Return what is left of an episode ``hours`` after it was last used, or made: 0 to 1.

    exp(-decay (1 - salience) hours), seed 003. With the decay of 0.05 an hour, a salience of 0.5 halves in 28
    hours, one of 0.1 in 15, and one of 1 never fades.
    """
    return exp(-decay_per_hour * (1 - min(1.0, max(0.0, salience))) * max(0.0, hours))


def half_life_hours(salience: float, *, decay_per_hour: float = DECAY_PER_HOUR) -> float:
    """Return the hours after which half of an episode is left; infinite if it never fades."""
    pace = decay_per_hour * (1 - salience)
    return log(2) / pace if pace > 0 else float("inf")
