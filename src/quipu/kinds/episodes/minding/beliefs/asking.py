"""Which conflict to ask about: what matters most and was asked about least. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from quipu.kinds.episodes.minding.beliefs.model import SEVERITIES, Conflict


def weight(conflict: Conflict) -> int:
    """How much a conflict presses: 1 (low) to 4 (critical), one less for each time that it was asked."""
    return SEVERITIES.index(conflict.severity) + 1 - conflict.surfaced


def askable(conflicts: Sequence[Conflict]) -> Conflict | None:
    """The conflict to ask about, of equals the latest; None where each was asked about often enough.

    What began as low is not asked about: such values may well both be so.
    """
    pressing = [one for one in conflicts if weight(one) > 0 and one.severity != "low"]
    return max(pressing, key=lambda one: (weight(one), one.opened_at, one.id), default=None)


def current(conflict: Conflict) -> Conflict:
    """The same with the severity that is left of it."""
    return replace(conflict, severity=SEVERITIES[max(0, weight(conflict) - 1)])
