"""Precision, recall and their harmonic mean."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from quipu.kinds.ledger.signals.model import THEMES, Theme
from signals.labelled import Labelled, Themes


@dataclass(frozen=True, slots=True)
class Figures:
    """How many were found rightly, found wrongly and missed."""

    right: int
    wrong: int
    missed: int

    @property
    def precision(self) -> float:
        """Of those found, how many are so; 0 where nothing was found."""
        return self.right / max(1, self.right + self.wrong)

    @property
    def recall(self) -> float:
        """Of those that are so, how many were found; 0 where none is."""
        return self.right / max(1, self.right + self.missed)

    @property
    def f1(self) -> float:
        """The harmonic mean of the two."""
        return 2 * self.right / max(1, 2 * self.right + self.wrong + self.missed)


def count(pairs: Iterable[tuple[bool, bool]]) -> Figures:
    """From pairs of what is so and what was found."""
    listed = list(pairs)
    return Figures(listed.count((True, True)), listed.count((False, True)), listed.count((True, False)))


def figures(theme: Theme, labelled: Sequence[Labelled], given: Sequence[Themes]) -> Figures:
    """Of one theme over all sentences."""
    return count((theme in one.themes, theme in found) for one, found in zip(labelled, given, strict=True))


def macro(labelled: Sequence[Labelled], given: Sequence[Themes]) -> float:
    """The mean F1 of the seven themes."""
    return sum(figures(theme, labelled, given).f1 for theme in THEMES) / len(THEMES)
