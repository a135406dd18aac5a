"""What beliefs tell."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from quipu.interfaces.rest.models import Told
from quipu.kinds.episodes.minding.beliefs.model import (
    BeliefState,
    ConflictState,
    Ending,
    Nature,
    Origin,
    Severity,
    Strategy,
)


class BeliefTold(Told):
    """Something that stands about a person, or stood.

    `key` says what it is about ("home"), `value` what is so ("Lisbon"). `confidence` 0 to 1. `times`:
    how often it was said; `said_at`: when last. `ending`: why it stands no longer, `ended_at` since
    when, `successor` what stands instead.
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


class BeliefSourceTold(Told):
    """Where a belief was said: the caller's ids of message and session, and the sentence."""

    message: str
    session: str | None
    excerpt: str
    said_at: datetime


class ConflictTold(Told):
    """Two values of which one is so: what stands, and what was said against it.

    `severity` is what is left of it: each time that it was asked about lowers it. `question` can be put
    to the person. `strategy`: how it was settled.
    """

    id: UUID
    person: str
    key: str
    belief: BeliefTold
    rival: BeliefTold
    severity: Severity
    state: ConflictState
    surfaced: int
    opened_at: datetime
    resolved_at: datetime | None
    strategy: Strategy | None
