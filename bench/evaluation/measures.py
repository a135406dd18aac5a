"""Precision and recall, counted over inclusions by category, edits and deletions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from evaluation.labelled import Labelled
from quipu.kinds.longterm.model import CATEGORIES, Evaluation, Inclusion

KINDS = (*CATEGORIES, "edits", "deletions")


@dataclass(frozen=True, slots=True)
class Figures:
    """What was asked for rightly and wrongly, and what was missed."""

    right: int
    wrong: int
    missed: int

    @property
    def precision(self) -> float:
        """The share of what was asked for that is right; 0 where nothing was."""
        return self.right / max(1, self.right + self.wrong)

    @property
    def recall(self) -> float:
        """The share of what is to be asked for that was; 0 where there is nothing."""
        return self.right / max(1, self.right + self.missed)

    @property
    def f1(self) -> float:
        """The harmonic mean of both."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


@dataclass(slots=True)
class Tally:
    """Counts by kind (a category, edits, deletions); ``mistakes`` has a line for each."""

    right: Counter[str] = field(default_factory=Counter[str])
    wrong: Counter[str] = field(default_factory=Counter[str])
    missed: Counter[str] = field(default_factory=Counter[str])
    importance: int = 0
    mistakes: list[str] = field(default_factory=list[str])

    def figures(self, kinds: Sequence[str]) -> Figures:
        """Over some kinds, each thing counting once."""
        return Figures(*(sum(of[kind] for kind in kinds) for of in (self.right, self.wrong, self.missed)))

    def judge(self, one: Labelled, got: Evaluation) -> None:
        """Hold an evaluation against the labels."""
        left = list(one.inclusions)
        for included in got.inclusions:
            wanted = next((w for w in left if w.fits(included.summary, included.category)), None)
            if wanted is not None:
                left.remove(wanted)
                self.right[wanted.categories[0]] += 1
                self.importance += included.importance == wanted.importance
            elif not _optional(one, included):
                self._count(self.wrong, included.category, one, f"wrong {included.summary}")
        for wanted in left:
            self._count(self.missed, wanted.categories[0], one, f"missed {wanted.keys}")
        self._edits(one, got)
        deleted = [deletion.id for deletion in got.deletions]
        for id_ in deleted:
            if id_ in one.deletions:
                self.right["deletions"] += 1
            else:
                self._count(self.wrong, "deletions", one, f"wrong {id_}")
        for id_ in one.deletions:
            if id_ not in deleted:
                self._count(self.missed, "deletions", one, f"missed {id_}")

    def _edits(self, one: Labelled, got: Evaluation) -> None:
        left = list(one.edits)
        for edit in got.edits:
            wanted = next((w for w in left if w.id == edit.id and w.fits(edit.summary or "")), None)
            if wanted is not None:
                left.remove(wanted)
                self.right["edits"] += 1
            else:
                self._count(self.wrong, "edits", one, f"wrong {edit.id}: {edit.summary}")
        for wanted in left:
            self._count(self.missed, "edits", one, f"missed {wanted.id}: {wanted.keys}")

    def _count(self, of: Counter[str], kind: str, one: Labelled, what: str) -> None:
        of[kind] += 1
        self.mistakes.append(f"{one.id:12} {kind:20} {what} | {one.text}")


def tallied(labelled: Sequence[Labelled], got: Sequence[Evaluation]) -> Tally:
    """The counts over a set."""
    tally = Tally()
    for one, evaluation in zip(labelled, got, strict=True):
        tally.judge(one, evaluation)
    return tally


def _optional(one: Labelled, included: Inclusion) -> bool:
    return any(w.fits(included.summary, included.category) for w in one.optional)
