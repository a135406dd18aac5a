"""A memory of long-term memory, where it is from, and what an evaluation of a conversation asks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal, get_args

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
AuditAct = Literal["recover", "evaluate"]
AuditOutcome = Literal["found", "nothing", "timeout", "failed", "done"]
AuditAction = Literal["recalled", "injected", "included", "restated", "revived", "edited", "archived", "kept"]
Outcome = Literal["included", "restated", "revived", "kept", "refused", "gone"]

CATEGORIES: Final[tuple[Category, ...]] = get_args(Category)
WORK: Final[tuple[Category, ...]] = ("professional_profile", "project")
"""What is told here may name an illness or money that are nobody's in particular."""

IMPORTANCES: Final[tuple[Importance, ...]] = get_args(Importance)
"""From the least to the most."""


def weight(importance: Importance) -> int:
    """Return 0 for low, 1 for medium, 2 for high: as text they would sort differently."""
    return IMPORTANCES.index(importance)


@dataclass(frozen=True, slots=True, kw_only=True)
class LongtermMemory:
    """One memory.

    ``hash`` is SHA-256 of the normalised summary, 64 hexadecimal digits, unique among the live memories of a
    space and user. ``source`` is where it is from in the seed's sense: the session it was first said in, or
    what the caller named. ``access_count`` counts injections into prompts, ``stated_count`` how often it was
    said. ``version`` grows with every change of what it says. ``user`` is None for what holds for everybody
    in the space; ``happened_at`` is when it was first said as it reads now, ``created_at`` when we learned
    of it. ``sources`` counts the words that it rests on. It holds from ``valid_from`` on, until
    ``valid_until``: None if it still holds. ``metadata`` is what the caller knows of it besides.
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
    valid_from: datetime
    valid_until: datetime | None = None
    stated_count: int = 1
    sources: int = 0
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """Text and classification of a version of a memory."""

    category: Category
    importance: Importance
    summary: str
    details: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryRevision:
    """Earlier wording of a memory, with who changed it and why.

    ``version`` is the one that read so. ``changed_by`` is ``hand``, ``import``, or an evaluator with its
    version.
    """

    version: int
    act: Act
    category: Category
    importance: Importance
    summary: str
    details: str | None
    changed_at: datetime
    changed_by: str
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MemorySource:
    """Words that a memory rests on.

    ``turn`` counts the turns of the conversation that was evaluated, from 0. ``message`` and ``session`` are
    the caller's own ids, where known; ``number`` is that of the message in the record.
    """

    excerpt: str
    turn: int | None = None
    message: str | None = None
    session: str | None = None
    happened_at: datetime | None = None
    number: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """Outcome of storing a memory.

    ``included``: it is new. ``restated``: a live one says so already and was said once more. ``revived``: an
    archived one says so and is back. ``kept``: these very words had been taken in before; nothing changed.
    ``refused``: it must not be kept, ``reason`` names the rule. ``gone``: its source was forgotten.
    """

    id: str | None
    outcome: Outcome
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundMemory:
    """A memory that answers a question; ``score`` is that of recall, 0 to 1, the sum of ``parts``."""

    memory: LongtermMemory
    score: float
    parts: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedMemories:
    """Memories that were to be archived; ``archived`` says whether they were, or only would be."""

    memories: Sequence[LongtermMemory]
    archived: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryCount:
    """Number of memories of a category and importance."""

    category: Category
    importance: Importance
    live: int
    archived: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditMemory:
    """A memory in a line of the audit: what was done with it, with which score, and why.

    ``parts`` are those of the score. A memory that was forgotten is in no line any more.
    """

    id: str
    action: AuditAction
    score: float | None = None
    parts: Mapping[str, float] | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditLine:
    """A recovery or an evaluation, and how it went.

    ``message`` is the caller's id of the message that was answered, or of the last that was evaluated.
    ``trouble`` says why where it did not succeed. ``tokens`` are those of the block, or of a model.
    """

    at: datetime
    act: AuditAct
    outcome: AuditOutcome
    took_ms: int
    trouble: str | None = None
    user: str | None = None
    session: str | None = None
    message: str | None = None
    evaluator: str | None = None
    tokens: int = 0
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    memories: Sequence[AuditMemory] = ()
    id: int = 0


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

    ``requested``: the user asked for it to be remembered. ``reason`` says why it is kept, never what.
    """

    category: Category
    importance: Importance
    summary: str
    details: str | None = None
    reason: str = ""
    sources: Sequence[MemorySource] = ()
    requested: bool = False


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
    sources: Sequence[MemorySource] = ()
    expected_version: int | None = None
    requested: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Deletion:
    """A memory that an evaluation asks to archive: denied, disproved, or to be forgotten."""

    id: str
    reason: str = ""
    sources: Sequence[MemorySource] = ()
    expected_version: int | None = None


Verdict = Literal["kept", "known", "changed", "ended", "left out", "passed over"]
"""Verdict on a clause: its claim is kept, known already, put in place of another, ends one, or does not pass
the gate; or it claims nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedClaim:
    """A clause as it was said, the claim read from it, and what becomes of it.

    ``slot`` and ``value`` are what it tells, such as ``home`` and ``Lisbon``; ``rule`` is the family of
    sayings that read it. All three and the ``statement`` are None where nothing is claimed.
    """

    words: str
    verdict: Verdict
    reason: str = ""
    statement: str | None = None
    rule: str | None = None
    slot: str | None = None
    value: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """All that an evaluation asks for; empty where nothing is worth keeping.

    ``evaluator`` is its name and version, such as ``rules:1``. ``dropped`` counts what it found and could not
    stand by: an id that does not exist, no turn cited, refused by the policy. ``claims`` are the clauses that
    the rules read, in order, with what became of each; a language model tells none.
    """

    inclusions: Sequence[Inclusion] = ()
    edits: Sequence[Edit] = ()
    deletions: Sequence[Deletion] = ()
    evaluator: str = ""
    dropped: int = 0
    claims: Sequence[JudgedClaim] = ()

    @property
    def left_out(self) -> Sequence[JudgedClaim]:
        """Claims that did not pass the gate, each statement once."""
        return tuple({one.statement: one for one in self.claims if one.verdict == "left out"}.values())

    @property
    def empty(self) -> bool:
        """True if it asks for nothing."""
        return not (self.inclusions or self.edits or self.deletions)


Refuses = Callable[[str, Category, bool], str | None]
"""``refuses(text, category, requested)``: the rule by which a text must not be kept by itself, or None."""


@dataclass(frozen=True, slots=True, kw_only=True)
class New:
    """A memory to be stored; ``source`` is the session it was said in where nothing else is named."""

    summary: str
    category: Category
    importance: Importance
    details: str | None = None
    user: str | None = None
    session: str | None = None
    source: str | None = None
    happened_at: datetime | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    said: Sequence[MemorySource] = ()
    requested: bool = False
    reason: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewording:
    """Changes to a memory; None leaves a part as it is, and ``""`` removes the details.

    ``happened_at`` is when another text was said, if not by the words of ``said`` or now.
    """

    category: Category | None = None
    importance: Importance | None = None
    summary: str | None = None
    details: str | None = None
    said: Sequence[MemorySource] = ()
    happened_at: datetime | None = None
    expected_version: int | None = None
    requested: bool = False
    reason: str | None = None
    metadata: Mapping[str, Any] | None = None
