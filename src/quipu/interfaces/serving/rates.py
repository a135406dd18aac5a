"""Rate limits of callers: a bucket of tokens for each, which fills steadily."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Final

_BURST_SECONDS: Final = 10.0
_MOST: Final = 10_000


@dataclass(slots=True)
class Bucket:
    """So many requests may come at once as come in ten seconds; what was taken comes back steadily."""

    per_minute: float
    left: float
    at: float

    def take(self, now: float) -> float:
        """Take one; 0, or where none is left, the seconds until there is one again."""
        rate = self.per_minute / 60
        self.left = min(burst(self.per_minute), self.left + (now - self.at) * rate)
        self.at = now
        if self.left < 1:
            return (1 - self.left) / rate
        self.left -= 1
        return 0.0


def burst(per_minute: float) -> float:
    """Return how many requests may come at once."""
    return max(1.0, per_minute * _BURST_SECONDS / 60)


class Rates:
    """A bucket for each caller of this process, the last 10,000 of them."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def wait_seconds(self, who: str, per_minute: float) -> float:
        """Return 0 if the caller may ask now, else the seconds to wait."""
        now = self._clock()
        bucket = self._buckets.pop(who, None)
        if bucket is None or bucket.per_minute != per_minute:
            bucket = Bucket(per_minute, burst(per_minute), now)
        self._buckets[who] = bucket
        if len(self._buckets) > _MOST:
            self._buckets.popitem(last=False)
        return bucket.take(now)
