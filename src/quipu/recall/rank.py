"""The weights of the signals, and the score that comes of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

SIGNALS = ("meaning", "words", "session", "speaker", "people", "date", "when", "tells", "length")


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
    session: float = 0.24
    speaker: float = 0.2
    asker: float = 0.3
    people: float = 0.4
    date: float = 0.6
    when: float = 0.4
    tells: float = 0.1
    length: float = 0.06

    @property
    def longest(self) -> float:
        """The most that ``length`` can add."""
        return self.length * math.log(31)


# Two directions that have nothing to do with each other rarely have a cosine above this.
FLOOR = 0.12
FEW_THREADS = 20


def session_weight(weights: Weights, threads: int) -> float:
    """Return the weight of whole sessions: nothing if there is one, all of it from 21 sessions on."""
    return weights.session * min(1.0, max(0, threads - 1) / FEW_THREADS)


def selectivity(share: float) -> float:
    """Return the weight of a condition that a share (0 to 1) of the space satisfies: 1 up to 13.5 %."""
    return 1.0 if share <= 0 else max(0.0, min(1.0, -math.log(share) / 2))


def scored(parts: Mapping[str, float], *, most: float) -> tuple[float, dict[str, float]]:
    """Score and parts on the scale 0 to 1: divided by the most that the signals in force can add up to."""
    scaled = {signal: round(parts[signal] / most, 6) for signal in SIGNALS if parts[signal]}
    return round(min(1.0, sum(scaled.values())), 6), scaled
