"""The counters of one middleware, counted from several threads."""

from __future__ import annotations

from collections import Counter
from threading import Lock
from typing import Literal

from quipu.interfaces.middleware.model import OUTCOMES, Metrics, Outcome, Part

Counted = Literal["written", "lost", "tried_again", "evaluated", "evaluations_failed"]


class Counting:
    """Counts what happens; ``metrics`` is how it stands."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._before: Counter[Outcome] = Counter()
        self._before_ms = 0.0
        self._before_ms_most = 0.0
        self._others: Counter[Counted] = Counter()
        self._troubles: Counter[Part] = Counter()

    def recalled(self, outcome: Outcome, took_ms: float) -> None:
        """Count a recovery that ended."""
        with self._lock:
            self._before[outcome] += 1
            self._before_ms += took_ms
            self._before_ms_most = max(self._before_ms_most, took_ms)

    def add(self, what: Counted, number: int = 1) -> None:
        """Count something else, so many times."""
        with self._lock:
            self._others[what] += number

    def trouble(self, part: Part) -> None:
        """Count a failure."""
        with self._lock:
            self._troubles[part] += 1

    def metrics(self, *, waiting: int) -> Metrics:
        """Return the counts now."""
        with self._lock:
            return Metrics(
                before={outcome: self._before[outcome] for outcome in OUTCOMES},
                before_ms=self._before_ms,
                before_ms_most=self._before_ms_most,
                waiting=waiting,
                troubles=dict(self._troubles),
                **{name: self._others[name] for name in _OTHERS},
            )


_OTHERS: tuple[Counted, ...] = ("written", "lost", "tried_again", "evaluated", "evaluations_failed")
