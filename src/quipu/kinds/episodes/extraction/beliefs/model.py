"""The values of beliefs: what was said (Claim), what is held (Held), what a caller meets (Belief)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal
from uuid import UUID

Nature = Literal["trait", "fact"]
Origin = Literal["explicit", "inferred", "explicit_correction"]
BeliefState = Literal["standing", "contested", "superseded"]
BELIEF_STATES: Final[tuple[BeliefState, ...]] = ("standing", "contested", "superseded")

Ending = Literal[
    "corrected", "changed", "refined", "stronger", "weaker", "older", "denied", "by_hand", "wrong"
]
"""Why a belief stands no longer."""

Severity = Literal["low", "medium", "high", "critical"]
SEVERITIES: Final[tuple[Severity, ...]] = ("low", "medium", "high", "critical")

ConflictState = Literal["open", "surfaced", "resolved", "decayed"]
Strategy = Literal[
    "temporal_supersede", "user_clarified", "evidence_resolved", "confidence_dominance", "decayed", "deleted"
]
"""How a conflict was settled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """Claim of a message about a person, or about what they deal with.

    ``cue``: it says that it corrects what stood, or that something changed. ``denies``: it only says that the
    value is not so; ``old`` is then the form that it denies, or the one that it corrects, if that was named.
    ``confidence`` is 0 to 1.
    """

    person: str
    user: str | None
    key: str
    value: str
    nature: Nature
    category: str
    confidence: float
    source: Origin
    message: int
    excerpt: str
    said_at: datetime
    cue: Literal["corrected", "changed"] | None = None
    denies: bool = False
    old: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A belief that stands or is contested, as far as settling needs to know.

    ``form`` is its value without case, articles and punctuation; ``times``: how often it was said;
    ``again``: how often since the conflict about it began; ``messages``: those that said it.
    """

    id: UUID
    person: str
    key: str
    value: str
    form: str
    nature: Nature
    category: str
    confidence: float
    source: Origin
    contested: bool
    times: int
    again: int
    said_at: datetime
    messages: Collection[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Belief:
    """Something that stands about a person, or stood.

    ``key`` says what it is about ("home"), ``value`` what is so ("Lisbon"). ``confidence`` 0 to 1. ``times``:
    how often it was said; ``said_at``: when last. ``ending``: why it stands no longer, ``ended_at`` since
    when, ``successor`` what stands instead. It holds from ``valid_from`` on, until ``valid_until``: None if
    no message replaced those that say it.
    """

    id: UUID
    person: str
    key: str
    value: str
    nature: Nature
    category: str
    confidence: float
    source: Origin
    state: BeliefState
    times: int
    first_said_at: datetime
    said_at: datetime
    ending: Ending | None
    ended_at: datetime | None
    successor: UUID | None
    valid_from: datetime
    valid_until: datetime | None = None


@dataclass(frozen=True, slots=True)
class BeliefSource:
    """Source of a belief: the caller's ids of message and session, and the sentence."""

    message: str
    session: str | None
    excerpt: str
    said_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Two values of which one is so: what stands, and what was said against it.

    ``severity`` is what is left of it: each time that it was asked about lowers it. ``question`` can be put
    to the person. ``strategy``: how it was settled.
    """

    id: UUID
    person: str
    key: str
    belief: Belief
    rival: Belief
    severity: Severity
    state: ConflictState
    surfaced: int
    opened_at: datetime
    resolved_at: datetime | None
    strategy: Strategy | None
    question: str = field(init=False)

    def __post_init__(self) -> None:
        name = self.key.replace("_", " ")
        whose = f"{self.person}, {name}" if self.person else name
        question = f"Which is right ({whose}): {self.belief.value} or {self.rival.value}?"
        object.__setattr__(self, "question", question)
