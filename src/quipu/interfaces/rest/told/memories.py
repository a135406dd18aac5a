"""What lessons tell."""

from __future__ import annotations

from datetime import datetime

from quipu.interfaces.rest.models import Told
from quipu.kinds.transcripts.memories.model import Origin, Outcome, State


class LessonTold(Told):
    """One lesson.

    `confidence` is what it is worth now, 0 to 1; `judged` what it was worth when it was learned.
    `state`: faded is what lost so much confidence that `prune` would archive it. `happened_at` is when
    it was said last, `sources` in how many turns. `contradicted_by`: later lessons that say otherwise.
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
    edited_at: datetime | None
    confirmed_at: datetime | None
    used_at: datetime | None
    uses: int
    extractor: str | None
    extractor_version: int | None
    sources: int
    contradicted_by: list[str]


class FoundLessonTold(Told):
    """A lesson that answers a question; `score` is that of recall, 0 to 1, the sum of `parts`."""

    lesson: LessonTold
    score: float
    parts: dict[str, float]


class LessonSourceTold(Told):
    """Where a lesson was said: the turn of a session, counted from 0, and the words."""

    session: str
    turn_index: int
    excerpt: str
    extractor: str | None
    extractor_version: int | None
    extracted_at: datetime


class SessionExtractionTold(Told):
    """What came of one session; `error` says why where it did not succeed."""

    session: str
    status: Outcome
    found: int
    added: int
    merged: int
    removed: int
    dropped: int
    error: str | None


class ExtractionReportTold(Told):
    """What came of an extraction. `redacted` counts secrets by kind; `left` sessions not looked at."""

    extractor: str
    version: int
    sessions: list[SessionExtractionTold]
    redacted: dict[str, int]
    left: int


class PrunedTold(Told):
    """Memories below the limit. `archived` says whether they were archived or only would be."""

    memories: list[LessonTold]
    archived: bool
