"""Weight of a piece of evidence."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

_BEST: Final = 5
_UNRATED: Final = 3.0
_HALVINGS: Final = 3
_LEAST: Final = 0.001


def evidence_weight(
    rating: float | None, published_at: datetime, *, now: datetime, window_days: int
) -> float:
    """Return the weight of a complaint: 0.001 to 1, three decimals, as ``numeric(6,3)`` of the seed holds it.

    severity * freshness, where severity = (6 - rating) / 5, so 1 star is 1 and 5 stars are 0.2 (no rating
    counts as 3), and freshness = 0.5 ** (3 * age / window): it halves three times over the window, so 90
    days have a half-life of 30. The seed (section 2, table 8) has the column and its origin never filled
    it; window and precision are theirs, the formula is ours.
    """
    age = max(now - published_at, timedelta()) / timedelta(days=window_days)
    severity = (_BEST + 1 - (_UNRATED if rating is None else rating)) / _BEST
    return max(_LEAST, round(severity * 0.5 ** (_HALVINGS * age), 3))
