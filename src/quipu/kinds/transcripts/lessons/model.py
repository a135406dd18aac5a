"""A lesson that was kept, where it is from, and what came of extractions and of ageing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal

State = Literal["live", "faded", "archived"]
STATES: Final[tuple[State, ...]] = ("live", "faded", "archived")
Origin = Literal["manual", "extracted", "imported"]
Outcome = Literal["done", "partial", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """One lesson.

    ``confidence`` is what it is worth now, 0 to 1; ``judged`` what it was worth when it was learned.
    ``state``: faded is what lost so much confidence that ``prune`` would archive it. ``happened_at`` is when
    it was said last, ``sources`` in how many turns. ``contradicted_by``: later lessons that say otherwise.
    It holds from ``valid_from`` on, until ``valid_until``: None if it still holds. ``metadata`` is what the
    caller knows of it besides.
    """

    id: str
    fact: str
    category: str | None
    confidence: float
    judged: float
    state: State
    origin: Origin
    project: str
    session: str | None
    happened_at: datetime
    created_at: datetime
    updated_at: datetime
    valid_from: datetime
    valid_until: datetime | None = None
    edited_at: datetime | None = None
    confirmed_at: datetime | None = None
    used_at: datetime | None = None
    uses: int = 0
    extractor: str | None = None
    extractor_version: int | None = None
    sources: int = 0
    contradicted_by: Sequence[str] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonSource:
    """Source of a lesson: the turn of a session, counted from 0, and the words."""

    session: str
    turn_index: int
    excerpt: str
    extractor: str | None
    extractor_version: int | None
    extracted_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundLesson:
    """A lesson that answers a question; ``score`` is that of recall, 0 to 1, the sum of ``parts``."""

    lesson: Lesson
    score: float
    parts: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionExtraction:
    """Outcome of one session; ``error`` says why if it did not succeed."""

    session: str
    status: Outcome
    found: int = 0
    added: int = 0
    merged: int = 0
    removed: int = 0
    dropped: int = 0
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionReport:
    """Outcome of an extraction. ``redacted`` counts secrets by kind; ``left`` counts unread sessions."""

    extractor: str
    version: int
    sessions: Sequence[SessionExtraction] = ()
    redacted: Mapping[str, int] = field(default_factory=dict[str, int])
    left: int = 0

    @property
    def added(self) -> int:
        """New memories."""
        return sum(one.added for one in self.sessions)

    @property
    def merged(self) -> int:
        """Findings that another memory said already: it has one more source."""
        return sum(one.merged for one in self.sessions)

    @property
    def removed(self) -> int:
        """Memories that a better extractor does not find any more."""
        return sum(one.removed for one in self.sessions)

    @property
    def failed(self) -> int:
        """Sessions that could not be read."""
        return sum(one.status == "failed" for one in self.sessions)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pruned:
    """Lessons below the limit. ``archived`` says whether they were archived or only would be."""

    lessons: Sequence[Lesson]
    archived: bool
