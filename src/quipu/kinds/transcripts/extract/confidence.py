"""How sure a fact is, from the evidence for it. What time does to it: ``memories/ageing.py``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

MOST: Final = 0.98
"""No number of repetitions makes a fact certain."""

HEDGED: Final = 0.8
BY_MEANING: Final = 0.55
"""Explicitness of what only the prototypes told."""

_NEWS: Final = 0.5


def explicit(explicitness: float, *, hedged: bool) -> float:
    """The confidence of one finding: how explicitly it was said, times 0.8 where the speaker was not sure.

    Both are 0 to 1. Recency is no part of it: what is old lost confidence by its age when it is read.
    """
    return round(explicitness * (HEDGED if hedged else 1.0), 4)


def repeated(confidences: Sequence[float]) -> float:
    """The confidence of a fact that several sessions tell, one value for each: at least their highest.

    1 - (1 - c1) * (1 - c2/2) * (1 - c3/2) ..., c1 being the highest: each session that repeats it takes
    half of its own confidence away from the doubt that is left, never to more than 0.98.
    """
    if not confidences:
        return 0.0
    best, *others = sorted(confidences, reverse=True)
    doubt = 1 - best
    for one in others:
        doubt *= 1 - _NEWS * one
    return max(best, min(MOST, 1 - doubt))
