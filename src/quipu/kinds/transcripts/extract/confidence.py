"""Confidence of a fact, from the evidence for it. For the effect of time see ``lessons/ageing.py``."""

from __future__ import annotations

from typing import Final

MOST: Final = 0.98
"""No number of repetitions makes a fact certain."""

HEDGED: Final = 0.8
BY_MEANING: Final = 0.55
"""Explicitness of what only the prototypes told."""

_NEWS: Final = 0.5


def explicit(explicitness: float, *, hedged: bool) -> float:
    """Return the confidence of one finding: how explicit it was, times 0.8 if the speaker was not sure.

    Both are 0 to 1. Recency is no part of it: what is old lost confidence by its age when it is read.
    """
    return round(explicitness * (HEDGED if hedged else 1.0), 4)


def repeated(confidence: float, sessions: int) -> float:
    """Return the confidence of a fact that so many sessions tell, never less than that of one finding.

    1 - (1 - c) * (1 - c/2)^(sessions - 1), c being that of the surest finding: each session that repeats it
    takes half of that away from the doubt that is left, never to more than 0.98.
    """
    doubt = (1 - confidence) * (1 - _NEWS * confidence) ** max(sessions - 1, 0)
    return max(confidence, min(MOST, 1 - doubt))
