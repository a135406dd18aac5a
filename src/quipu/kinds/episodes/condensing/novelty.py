"""Novelty of something, by its distance from what is known. Pure."""

from __future__ import annotations

SCALE, FIRST = 3.0, 2.0
KNOWN, UNKNOWN = 0.85, 0.25
"""Cosines: as near as the first to something known it is nothing new, as far as the second quite new."""


def novelty(nearest: float | None) -> float:
    """Return 0 to 3 by the cosine to the nearest known thing; 2 if there is none: then everything is new."""
    if nearest is None:
        return FIRST
    return round(SCALE * min(1.0, max(0.0, (KNOWN - nearest) / (KNOWN - UNKNOWN))), 2)
