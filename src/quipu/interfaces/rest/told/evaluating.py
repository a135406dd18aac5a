"""What evaluating tells."""

from __future__ import annotations

from quipu.interfaces.rest.models import Told
from quipu.interfaces.rest.told.longterm import AuditMemoryTold, SaidTold
from quipu.kinds.longterm.model import Category, Importance


class InclusionTold(Told):
    """A new memory that an evaluation asks for.

    `asked`: the user asked for it to be remembered. `reason` says why it is kept, never what.
    """

    category: Category
    importance: Importance
    summary: str
    details: str | None
    reason: str
    sources: list[SaidTold]
    asked: bool


class EditTold(Told):
    """A change of a memory that an evaluation asks for; null leaves a part as it is.

    `expected_version`: the version that the evaluator saw; where it changed since, the edit is not made.
    """

    id: str
    importance: Importance | None
    summary: str | None
    details: str | None
    category: Category | None
    reason: str
    sources: list[SaidTold]
    expected_version: int | None
    asked: bool


class DeletionTold(Told):
    """A memory that an evaluation asks to archive: denied, disproved, or to be forgotten."""

    id: str
    reason: str
    sources: list[SaidTold]
    expected_version: int | None


class EvaluationTold(Told):
    """All that an evaluation asks for; empty where nothing is worth keeping.

    `evaluator` is its name and version, such as `rules:1`. `dropped` counts what it found and could not
    stand by: an id that does not exist, no turn cited, refused by the policy.
    """

    inclusions: list[InclusionTold]
    edits: list[EditTold]
    deletions: list[DeletionTold]
    evaluator: str
    dropped: int


class AppliedTold(Told):
    """What was done of an evaluation, memory by memory.

    `refused`: what the policy or a change meanwhile kept from being written.
    """

    memories: list[AuditMemoryTold]
    refused: int


class SessionEvaluationTold(Told):
    """What evaluating a session brought: how many turns of users were read, what was asked for and done.

    `dropped` counts what an evaluator could not stand by and what was refused. `more`: turns are left.
    """

    session: str
    turns: int
    evaluations: list[EvaluationTold]
    applied: AppliedTold
    dropped: int
    more: bool
