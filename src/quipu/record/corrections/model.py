"""The values of corrections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Literal, get_args
from uuid import UUID

CorrectedKind = Literal["longterm", "belief", "loop", "lesson", "rule"]
CORRECTED_KINDS: Final[tuple[CorrectedKind, ...]] = get_args(CorrectedKind)

MARKED_WRONG: Final = "marked as wrong"
"""The reason for what is not kept, or not kept any longer, because of a correction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """A statement that somebody said is wrong: no reader makes it again of the same words.

    ``id`` is that of the memory, ``kind`` its kind, ``text`` how it read, and ``rule`` what made it: the
    family of a long-term memory, the key of a belief, the kind of a loop, the category of a lesson.
    ``reader`` is the evaluator or extractor with its version, where it is known. ``by`` is the person whose
    key it was, None for a key of everybody. ``messages`` counts those that it rests on. ``marked`` is the id
    of the memory that was marked; others that claim the same by the same words went with it.
    """

    id: UUID
    kind: CorrectedKind
    text: str
    rule: str
    reader: str
    reason: str | None
    by: str | None
    corrected_at: datetime
    messages: int
    marked: UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleCount:
    """Count of a rule: the statements that it made and are stored, and those that were marked as wrong."""

    kind: CorrectedKind
    rule: str
    statements: int
    wrong: int

    def __add__(self, other: RuleCount) -> RuleCount:
        """Return the count of both, which are of the same rule in two spaces."""
        return replace(self, statements=self.statements + other.statements, wrong=self.wrong + other.wrong)

    @property
    def is_often_wrong(self) -> bool:
        """True from five corrections on, if they are more than a fifth of what the rule made."""
        return self.wrong >= _FEWEST_WRONG and self.wrong > _OFTEN * self.statements


_FEWEST_WRONG: Final = 5
_OFTEN: Final = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Derived:
    """A statement that was derived from messages, by their numbers; from none if a person wrote it.

    ``live``: it is recalled, or open.
    """

    kind: CorrectedKind
    id: UUID
    text: str
    rule: str
    reader: str
    messages: Sequence[int]
    live: bool


@dataclass(frozen=True, slots=True)
class Told:
    """Something that a reader found in a message, to be compared with corrections."""

    message: int
    text: str
