"""The values of open loops: what was found in what was said (Opened, Resolved), what is kept (Loop)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal
from uuid import UUID

LoopKind = Literal["question", "promise", "task", "waiting", "followup"]
LOOP_KINDS: Final[tuple[LoopKind, ...]] = ("question", "promise", "task", "waiting", "followup")

LoopState = Literal["open", "closed"]
LOOP_STATES: Final[tuple[LoopState, ...]] = ("open", "closed")

Outcome = Literal["resolved", "dropped"]
"""How a loop ended: what was open came about, or nobody wants it any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """Something that was left open by a message: ``text`` in the words that were said.

    ``messages``: all whose words are in the text. ``voice``: who said it. ``due``: until when, where that was
    said. ``things`` and ``verbs`` are the terms by which later turns are found to be about it (numbers of
    ``content.terms`` and ``content.deeds``).
    """

    message: int
    messages: tuple[int, ...]
    kind: LoopKind
    text: str
    voice: str
    at: datetime
    due: datetime | None
    things: frozenset[int]
    verbs: frozenset[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A loop that is open, as far as closing it needs to know."""

    id: UUID
    kind: LoopKind
    message: int | None
    voice: str
    text: str
    things: frozenset[int]
    verbs: frozenset[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pressing:
    """A loop that is open, as far as telling how urgent it is needs to know."""

    id: UUID
    kind: LoopKind
    said_at: datetime
    due: datetime | None
    mentions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """A loop that a message resolves, and the sentence that says so."""

    id: UUID
    message: int
    evidence: str
    outcome: Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Mentioned:
    """A loop that is open and was said again, until when this time."""

    id: UUID
    message: int
    due: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """An open loop, or one that was.

    ``by``: who left it open (the promise, the question, the task is theirs). ``said_at``: when; ``due``:
    until when, where that was said. ``mentions``: how often it was said. ``evidence``: the words that closed
    it, ``outcome`` how; both None while it is open, and evidence where it was closed by hand without any.
    """

    id: UUID
    kind: LoopKind
    state: LoopState
    text: str
    by: str
    user: str | None
    session: str | None
    message: str | None
    said_at: datetime
    due: datetime | None
    mentions: int
    closed_at: datetime | None
    outcome: Outcome | None
    evidence: str | None
    evidence_message: str | None
    reopened: int
