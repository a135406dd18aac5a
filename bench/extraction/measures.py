"""Precision and recall, counted over labelled stretches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from extraction.labelled import Label, Labelled
from quipu.kinds.transcripts.extract.model import CATEGORIES


@dataclass(frozen=True, slots=True)
class Figures:
    """Shares from 0 to 1; 0 where nothing was found, or nothing is to be found."""

    precision: float
    recall: float
    right: int = 0
    found: int = 0
    hit: int = 0
    labelled: int = 0

    @property
    def f1(self) -> float:
        """The harmonic mean of both."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


@dataclass(frozen=True, slots=True)
class Judged:
    """Of one turn: findings that are right and wrong, labels that were found and missed."""

    right: tuple[Label, ...]
    wrong: tuple[Label, ...]
    hit: tuple[Label, ...]
    missed: tuple[Label, ...]
    text: str

    @property
    def mistakes(self) -> list[str]:
        """A line for each mistake."""
        wrong = [f"wrong  {one.category:12} {self.text[one.start : one.end]}" for one in self.wrong]
        return wrong + [f"missed {one.category:12} {self.text[one.start : one.end]}" for one in self.missed]


def judged(turn: Labelled, found: Sequence[Label], *, category: bool = True) -> Judged:
    """The findings of a turn against its labels; ``category=False`` asks only for the right stretch."""

    def same(one: Label, other: Label) -> bool:
        meets = one.start < other.end and other.start < one.end
        return meets and (one.category == other.category or not category)

    right = tuple(one for one in found if any(same(one, label) for label in turn.labels))
    hit = tuple(label for label in turn.labels if any(same(one, label) for one in found))
    wrong = tuple(one for one in found if one not in right)
    missed = tuple(label for label in turn.labels if label not in hit)
    return Judged(right, wrong, hit, missed, turn.text)


def figures(
    turns: Sequence[Labelled], found: Sequence[Sequence[Label]], *, category: bool = True
) -> dict[str, Figures]:
    """The figures of each category."""
    results = [judged(turn, one, category=category) for turn, one in zip(turns, found, strict=True)]
    by_category: dict[str, Figures] = {}
    for name in CATEGORIES:
        right = sum(label.category == name for one in results for label in one.right)
        wrong = sum(label.category == name for one in results for label in one.wrong)
        hit = sum(label.category == name for one in results for label in one.hit)
        missed = sum(label.category == name for one in results for label in one.missed)
        by_category[name] = _figures(right, right + wrong, hit, hit + missed)
    return by_category


def micro(by_category: dict[str, Figures]) -> Figures:
    """Over all categories, each finding and each label counting once."""
    ones = list(by_category.values())
    return _figures(
        sum(one.right for one in ones),
        sum(one.found for one in ones),
        sum(one.hit for one in ones),
        sum(one.labelled for one in ones),
    )


def _figures(right: int, found: int, hit: int, labelled: int) -> Figures:
    precision = right / found if found else 0.0
    recall = hit / labelled if labelled else 0.0
    return Figures(precision, recall, right, found, hit, labelled)
