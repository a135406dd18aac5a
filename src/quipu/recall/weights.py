"""Weights of the signals, and the one scale on which all entries are scored. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

SIGNALS: Final = ("meaning", "words", "session", "speaker", "people", "date", "when", "tells", "length")
_FEW_THREADS: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """Weight of each signal where it applies (docs/decisions/recall.md has the measurements).

    meaning: cosine of question and entry in context. words: BM25F over own and inherited words, divided
    by the best. session: BM25 of the whole thread, where threads are many. speaker: said by the one
    person named. asker: said by a user, where the asker asks about themselves. people: said where
    everybody named takes part. date: of the time asked about. when: tells of a time, if a time is asked
    for. tells: is not itself a question, where people talk (to an assistant, questions tell much).
    length: not just "ok" (full from 30 words on).
    """

    meaning: float = 1.0
    words: float = 0.26
    session: float = 0.2
    speaker: float = 0.15
    asker: float = 0.36
    people: float = 0.4
    date: float = 0.6
    when: float = 0.25
    tells: float = 0.18
    length: float = 0.1

    @property
    def longest(self) -> float:
        """The most that ``length`` can add."""
        return self.length * math.log(31)


def session_weight(weights: Weights, threads: int) -> float:
    """Return the weight of whole sessions: nothing if there is one, all of it from 21 sessions on."""
    return weights.session * min(1.0, max(0, threads - 1) / _FEW_THREADS)


def selectivity(share: float) -> float:
    """Return the weight of a condition that a share (0 to 1) of the space satisfies: 1 up to 13.5 %."""
    return 1.0 if share <= 0 else max(0.0, min(1.0, -math.log(share) / 2))


def log_odds(weights: Sequence[float], values: Sequence[float]) -> float:
    """Return the log-odds of a logistic function: a constant, and the weight of each value."""
    constant, *rest = weights
    return constant + sum(weight * value for weight, value in zip(rest, values, strict=True))


def scored(added: Sequence[float], *, most: float) -> tuple[float, dict[str, float]]:
    """Return the score and its parts on the scale 0 to 1: what each of ``SIGNALS`` added, in their order.

    It is divided by ``most``, what the signals in force can add up to.
    """
    scaled = {signal: round(part / most, 6) for signal, part in zip(SIGNALS, added, strict=True) if part}
    return round(min(1.0, sum(scaled.values())), 6), scaled
