"""Choice of the conflict to ask about: what matters most and was asked about least. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from quipu.kinds.episodes.minding.beliefs.model import SEVERITIES, Conflict


def weight(conflict: Conflict) -> int:
    """Return how much a conflict presses: 1 (low) to 4 (critical), one less for each time it was asked."""
    return SEVERITIES.index(conflict.severity) + 1 - conflict.surfaced


def askable(conflicts: Sequence[Conflict]) -> Conflict | None:
    """Return the conflict to ask about, the latest in a tie; None if each was asked about often enough.

    A conflict that began as low is not asked about: both values may well be true.
    """
    pressing = [one for one in conflicts if weight(one) > 0 and one.severity != "low"]
    return max(pressing, key=lambda one: (weight(one), one.opened_at, one.id), default=None)


def current(conflict: Conflict) -> Conflict:
    """Return the conflict with the severity that is left of it."""
    return replace(conflict, severity=SEVERITIES[max(0, weight(conflict) - 1)])
