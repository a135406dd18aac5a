"""What open loops tell."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from quipu.interfaces.rest.models import Told
from quipu.kinds.episodes.minding.loops.model import LoopKind, LoopState, Outcome


class LoopTold(Told):
    """An open loop, or one that was.

    `by`: who left it open (the promise, the question, the task is theirs). `said_at`: when; `due`:
    until when, where that was said. `mentions`: how often it was said. `evidence`: the words that closed
    it, `outcome` how; both null while it is open, and evidence where it was closed by hand without any.
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
