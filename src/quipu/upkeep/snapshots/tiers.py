"""Tiers of snapshots: many of the last day are kept, fewer of the week, one of each day before. Pure.

Seed 002, part 5: 24 hourly ones, then 4 a day (00:00, 06:00, 12:00, 18:00) to 7 days, then one a day
(midnight) to the end of the retention; 71 in all where that is 30 days.

Of each hour, each quarter of a day and each day the first one counts. So one that is kept later was kept
before, and it does not matter how often, or how late, somebody looks.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Final

from quipu.upkeep.snapshots.model import Tier

HOURS: Final = 24
QUARTERS: Final = 28  # of seven days
_HOUR: Final = timedelta(hours=1)
_QUARTER: Final = timedelta(hours=6)
_DAY: Final = timedelta(days=1)
_BEGIN: Final = datetime(1970, 1, 1, tzinfo=UTC)


def keep(times: Iterable[datetime], *, now: datetime, retention_days: int) -> dict[datetime, Tier]:
    """Return the times that stay, each with the finest tier that keeps it.

    What is older than ``retention_days`` (1 to 365) never stays. A time after ``now`` stays: the clock was
    put back, and what it says of age means nothing.
    """
    kept: dict[datetime, Tier] = {}
    ordered = sorted(times)
    tiers: tuple[tuple[Tier, timedelta, int], ...] = (
        ("daily", _DAY, retention_days),
        ("six-hourly", _QUARTER, QUARTERS),
        ("hourly", _HOUR, HOURS),
    )
    for tier, long, most in tiers:
        current = (now - _BEGIN) // long
        seen: set[int] = set()
        for one in ordered:
            place = (one - _BEGIN) // long
            if current - place < most and place not in seen:
                seen.add(place)  # also by one that is too old: who comes after it went long ago
                if now - one < retention_days * _DAY:
                    kept[one] = tier
    return kept


def settled(times: Iterable[datetime], *, now: datetime) -> datetime:
    """Return the moment to which ages are counted where nobody looks on: ``now``, unless it came at a bound.

    A gap of more than a day between two snapshots, or the last one and ``now``, may be a machine that was
    off, or a clock that is wrong. During the first day after it ages are counted to the last snapshot before
    it: somebody has that day to set the clock right before anything goes.
    """
    moments = [*sorted(one for one in times if one <= now), now]
    for earlier, later in reversed(list(pairwise(moments))):
        if now - later >= _DAY:
            break
        if later - earlier > _DAY:
            return earlier
    return now
