"""A memory of long-term memory, where it is from, and what an evaluation of a conversation asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

Category = Literal[
    "preference",
    "project",
    "identity",
    "constraint",
    "context",
    "personal_data",
    "languages",
    "favorite_things",
    "relationships",
    "pets",
    "naming",
    "professional_profile",
]
Importance = Literal["low", "medium", "high"]
Act = Literal["edit", "restate", "archive", "revive", "revert"]

CATEGORIES: Final[tuple[Category, ...]] = (
    "preference",
    "project",
    "identity",
    "constraint",
    "context",
    "personal_data",
    "languages",
    "favorite_things",
    "relationships",
    "pets",
    "naming",
    "professional_profile",
)
IMPORTANCES: Final[tuple[Importance, ...]] = ("low", "medium", "high")
"""From the least to the most."""


def weight(importance: Importance) -> int:
    """0 for low, 1 for medium, 2 for high: as text they would sort otherwise."""
    return IMPORTANCES.index(importance)


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One memory.

    ``hash`` is SHA-256 of the normalised summary, 64 hexadecimal digits, unique among the live memories of a
    space and user. ``source`` is where it is from in the seed's sense: the session it was first said in, or
    what the caller named. ``access_count`` counts injections into prompts, ``stated_count`` how often it was
    said. ``version`` grows with every change of what it says. ``user`` is None for what holds for everybody
    in the space; ``happened_at`` is when it was said last, ``created_at`` when we learned of it.
    """

    id: str
    category: Category
    importance: Importance
    summary: str
    details: str | None
    hash: str
    source: str | None
    created_at: datetime
    updated_at: datetime
    last_accessed_at: datetime | None
    access_count: int
    version: int
    archived: bool
    space: str
    user: str | None
    session: str | None
    happened_at: datetime
    stated_count: int = 1
    sources: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """Words that a memory rests on.

    ``turn`` counts the turns of the conversation that was evaluated, from 0. ``message`` and ``session`` are
    the caller's own ids, where known.
    """

    excerpt: str
    turn: int | None = None
    message: str | None = None
    session: str | None = None
    happened_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Existing:
    """A memory as an evaluator sees it: what it needs to edit or delete it, and no more."""

    id: str
    category: Category
    importance: Importance
    summary: str
    version: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Inclusion:
    """A new memory that an evaluation asks for.

    ``asked``: the user asked for it to be remembered. ``reason`` says why it is kept, never what.
    """

    category: Category
    importance: Importance
    summary: str
    details: str | None = None
    reason: str = ""
    sources: Sequence[Said] = ()
    asked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A change of a memory that an evaluation asks for; None leaves a part as it is.

    ``expected_version``: the version that the evaluator saw; where it changed since, the edit is not made.
    """

    id: str
    importance: Importance | None = None
    summary: str | None = None
    details: str | None = None
    category: Category | None = None
    reason: str = ""
    sources: Sequence[Said] = ()
    expected_version: int | None = None
    asked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Deletion:
    """A memory that an evaluation asks to archive: denied, disproved, or to be forgotten."""

    id: str
    reason: str = ""
    sources: Sequence[Said] = ()
    expected_version: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """All that an evaluation asks for; empty where nothing is worth keeping.

    ``evaluator`` is its name and version, such as ``rules:1``. ``dropped`` counts what it found and could not
    stand by: an id that does not exist, no turn cited, refused by the policy.
    """

    inclusions: Sequence[Inclusion] = ()
    edits: Sequence[Edit] = ()
    deletions: Sequence[Deletion] = ()
    evaluator: str = ""
    dropped: int = 0

    @property
    def empty(self) -> bool:
        """Whether it asks for nothing."""
        return not (self.inclusions or self.edits or self.deletions)
