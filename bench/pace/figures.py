"""From single measurements to the figures of the table. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil
from statistics import median


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least ``share`` of the values do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, ceil(share * len(ordered)) - 1)]


@dataclass(frozen=True, slots=True)
class Round:
    """One operation of one store in one round: each duration, and CPU time for one operation."""

    ms: tuple[float, ...]
    cpu_ms: float | None

    @property
    def p50(self) -> float:
        """The median duration, milliseconds."""
        return percentile(self.ms, 0.5)

    @property
    def p95(self) -> float:
        """The duration that 95 % stay under, milliseconds."""
        return percentile(self.ms, 0.95)


@dataclass(slots=True)
class Row:
    """All that was measured of one store."""

    peer: str
    loaded: int = 0
    bulk_seconds: float = 0.0
    adds: list[Round] = field(default_factory=list)
    searches: list[Round] = field(default_factory=list)
    asked: int = 0
    hits: int = 0
    short: int = 0
    clients_qps: float | None = None
    resident_mb: float | None = None
    server_mb: float | None = None
    bytes_per_memory: float | None = None
    first_answer_seconds: float | None = None
    error: str | None = None

    @property
    def bulk_per_second(self) -> float | None:
        """Facts taken in each second."""
        return self.loaded / self.bulk_seconds if self.loaded and self.bulk_seconds else None

    @property
    def hit_rate(self) -> float | None:
        """Share of the questions whose fact was among the ten hits."""
        return self.hits / self.asked if self.asked else None


def middle(rounds: Sequence[Round], figure: str) -> float | None:
    """The median over the rounds of ``p50``, ``p95`` or ``cpu_ms``."""
    values = [value for value in (getattr(one, figure) for one in rounds) if value is not None]
    return median(values) if values else None


def ratio(rounds: Sequence[Round], reference: Sequence[Round]) -> float | None:
    """The median over the rounds of p50 divided by the reference's p50 of the same round."""
    ratios = [one.p50 / other.p50 for one, other in zip(rounds, reference, strict=False) if other.p50]
    return median(ratios) if ratios else None
