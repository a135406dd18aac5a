"""What long-term memories tell."""

from __future__ import annotations

from datetime import datetime

from quipu.interfaces.rest.models import Told
from quipu.kinds.longterm.model import Act, AuditAct, AuditAction, AuditOutcome, Category, Importance


class LongtermTold(Told):
    """One memory.

    `hash` is SHA-256 of the normalised summary, 64 hexadecimal digits, unique among the live memories of a
    space and user. `source` is where it is from in the seed's sense: the session it was first said in, or
    what the caller named. `access_count` counts injections into prompts, `stated_count` how often it was
    said. `version` grows with every change of what it says. `user` is null for what holds for everybody
    in the space; `happened_at` is when it was first said as it reads now, `created_at` when we learned
    of it. `sources` counts the words that it rests on.
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
    stated_count: int
    sources: int


class FoundMemoryTold(Told):
    """A memory that answers a question; `score` is that of recall, 0 to 1, the sum of `parts`."""

    memory: LongtermTold
    score: float
    parts: dict[str, float]


class RevisionTold(Told):
    """How a memory read before it was changed, who changed it, and why.

    `version` is the one that read so. `changed_by` is `hand`, `import`, or an evaluator with its
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


class SaidTold(Told):
    """Words that a memory rests on.

    `turn` counts the turns of the conversation that was evaluated, from 0. `message` and `session` are
    the caller's own ids, where known; `number` is that of the message in the record.
    """

    excerpt: str
    turn: int | None
    message: str | None
    session: str | None
    happened_at: datetime | None
    number: int | None


class MemoryCountTold(Told):
    """How many memories there are of a category and importance."""

    category: Category
    importance: Importance
    live: int
    archived: int


class BulkArchivedTold(Told):
    """Memories that were to be archived; `archived` says whether they were, or only would be."""

    memories: list[LongtermTold]
    archived: bool


class AuditMemoryTold(Told):
    """A memory in a line of the audit: what was done with it, with which score, and why.

    `parts` are those of the score. A memory that was forgotten is in no line any more.
    """

    id: str
    action: AuditAction
    score: float | None
    parts: dict[str, float] | None
    reason: str | None


class AuditLineTold(Told):
    """A recovery or an evaluation, and how it went.

    `message` is the caller's id of the message that was answered, or of the last that was evaluated.
    `trouble` says why where it did not succeed. `tokens` are those of the block, or of a model.
    """

    at: datetime
    act: AuditAct
    outcome: AuditOutcome
    took_ms: int
    trouble: str | None
    user: str | None
    session: str | None
    message: str | None
    evaluator: str | None
    tokens: int
    counts: dict[str, int]
    memories: list[AuditMemoryTold]
    id: int
