"""An evaluation checked, held by the policy, and written in one transaction, once for the same words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from quipu.errors import BadInput, Conflict, NotFound
from quipu.kernel.base import scope
from quipu.kernel.base.scope import optional_name
from quipu.kernel.policy.policy import Policy, safety
from quipu.kinds.longterm import arguments
from quipu.kinds.longterm.changes import Changes
from quipu.kinds.longterm.derived import uncorrected
from quipu.kinds.longterm.evaluation.model import Applied
from quipu.kinds.longterm.model import (
    CATEGORIES,
    IMPORTANCES,
    WORK,
    AuditAction,
    AuditMemory,
    Deletion,
    Edit,
    Evaluation,
    Inclusion,
    MemorySource,
    New,
    Refuses,
    Rewording,
)
from quipu.kinds.longterm.rules import filed_text

_T = TypeVar("_T")


def checked(evaluation: Evaluation) -> Evaluation:
    """Return the evaluation with its texts clean. Secrets are left to the policy, which refuses them.

    Raises:
        BadInput: a part of it cannot be kept; names it, such as ``inclusions[2].summary``.
    """
    return replace(
        evaluation,
        inclusions=_each("inclusions", evaluation.inclusions, _checked_inclusion),
        edits=_each("edits", evaluation.edits, _checked_edit),
        deletions=_each("deletions", evaluation.deletions, _checked_deletion),
        evaluator=optional_name("evaluator", evaluation.evaluator or None) or "",
    )


def _checked_inclusion(one: Inclusion) -> Inclusion:
    return replace(
        one,
        category=scope.one_of("category", one.category, CATEGORIES),
        importance=scope.one_of("importance", one.importance, IMPORTANCES),
        summary=arguments.summary_of(one.summary, secrets=False),
        details=arguments.details_of(one.details, secrets=False),
        reason=arguments.reason_of(one.reason, secrets=True) or "",
        sources=_each("sources", one.sources, _checked_source),
    )


def _checked_edit(one: Edit) -> Edit:
    return replace(
        one,
        category=None if one.category is None else scope.one_of("category", one.category, CATEGORIES),
        importance=None
        if one.importance is None
        else scope.one_of("importance", one.importance, IMPORTANCES),
        summary=None if one.summary is None else arguments.summary_of(one.summary, secrets=False),
        details="" if one.details == "" else arguments.details_of(one.details, secrets=False),
        reason=arguments.reason_of(one.reason, secrets=True) or "",
        sources=_each("sources", one.sources, _checked_source),
    )


def _checked_deletion(one: Deletion) -> Deletion:
    return replace(
        one,
        reason=arguments.reason_of(one.reason, secrets=True) or "",
        sources=_each("sources", one.sources, _checked_source),
    )


def _checked_source(one: MemorySource) -> MemorySource:
    return replace(
        one,
        message=optional_name("message", one.message),
        session=optional_name("session", one.session),
        happened_at=scope.time("happened_at", one.happened_at),
    )


def _each(name: str, several: Sequence[_T], check: Callable[[_T], _T]) -> tuple[_T, ...]:
    done: list[_T] = []
    for place, one in enumerate(several):
        try:
            done.append(check(one))
        except BadInput as error:
            raise error.at(f"{name}[{place}].{error.field}") from None
    return tuple(done)


def refusing(policy: Policy) -> Refuses:
    """Return the policy in the form that changes of memories ask it."""
    return lambda text, category, requested: policy.refused(text, requested=requested, work=category in WORK)


def held(evaluation: Evaluation, policy: Policy) -> Evaluation:
    """Return the evaluation without clauses that the policy refuses, whoever made it.

    A summary of which nothing would be left stays, to be refused and counted. What somebody must not be given
    is a constraint of high importance.
    """
    return replace(
        evaluation,
        inclusions=[_held(one, policy) for one in evaluation.inclusions],
        edits=[_reworded(one, policy) for one in evaluation.edits],
    )


def _held(one: Inclusion, policy: Policy) -> Inclusion:
    work = one.category in WORK
    cut = partial(policy.cut, requested=one.requested, work=work)
    harms = safety(one.summary)
    return replace(
        one,
        summary=cut(one.summary) or one.summary,
        details=cut(one.details) or None if one.details else one.details,
        category="constraint" if harms else one.category,
        importance="high" if harms else one.importance,
        sources=_cut(one.sources, cut),
    )


def _reworded(one: Edit, policy: Policy) -> Edit:
    work = one.category is None or one.category in WORK  # the memory's own may be
    cut = partial(policy.cut, requested=one.requested, work=work)
    harms = one.summary is not None and safety(one.summary)
    return replace(
        one,
        summary=cut(one.summary) or one.summary if one.summary else one.summary,
        category="constraint" if harms else one.category,
        importance="high" if harms else one.importance,
        sources=_cut(one.sources, cut),
    )


def _cut(said: Sequence[MemorySource], cut: Callable[[str], str]) -> list[MemorySource]:
    return [replace(one, excerpt=cut(one.excerpt)) for one in said]


def texts(evaluation: Evaluation) -> list[str]:
    """Return the texts that are filed for recall when the evaluation is written, as far as known before."""
    new = [filed_text(one.summary, one.details) for one in evaluation.inclusions]
    return new + [filed_text(one.summary, one.details) for one in evaluation.edits if one.summary is not None]


async def apply(
    changes: Changes, evaluation: Evaluation, *, user: str | None, session: str | None
) -> Applied:
    """Do what an evaluation asks for.

    What the policy refuses, what is marked as wrong, what somebody changed meanwhile, and what is not there
    any more is left as it is and counted. Writing the same evaluation again changes nothing.
    """
    wanted = len(evaluation.inclusions) + len(evaluation.edits) + len(evaluation.deletions)
    evaluation = await uncorrected(changes.tx, evaluation)
    memories: list[AuditMemory] = []
    for deletion in evaluation.deletions:
        memories += await _delete(changes, deletion)
    for edit in evaluation.edits:
        memories += await _edit(changes, edit)
    for inclusion in evaluation.inclusions:
        memories += await _include(changes, inclusion, user=user, session=session)
    return Applied(memories=tuple(memories), refused=wanted - len(memories))


async def _include(
    changes: Changes, one: Inclusion, *, user: str | None, session: str | None
) -> list[AuditMemory]:
    new = New(
        summary=one.summary,
        category=one.category,
        importance=one.importance,
        details=one.details,
        user=user,
        session=session,
        said=one.sources,
        requested=one.requested,
        reason=one.reason,
    )
    kept = await changes.store(new)
    if kept.id is None or kept.outcome in ("refused", "gone"):
        return []
    return [AuditMemory(id=kept.id, action=kept.outcome, reason=one.reason)]


async def _edit(changes: Changes, one: Edit) -> list[AuditMemory]:
    to = Rewording(
        category=one.category,
        importance=one.importance,
        summary=one.summary,
        details=one.details,
        said=one.sources,
        expected_version=one.expected_version,
        requested=one.requested,
        reason=one.reason,
    )
    try:
        await changes.edit(one.id, to)
    except Conflict as conflict:
        if conflict.field != "summary":
            return []
        # Another memory says so already: what is wrong need not stay beside it.
        await changes.archive(one.id, reason=one.reason)
        return [_done(one.id, "archived", one.reason)]
    except (NotFound, BadInput):
        return []
    return [_done(one.id, "edited", one.reason)]


async def _delete(changes: Changes, one: Deletion) -> list[AuditMemory]:
    try:
        await changes.archive(one.id, reason=one.reason, expected_version=one.expected_version)
    except (NotFound, Conflict):
        return []
    return [_done(one.id, "archived", one.reason)]


def _done(id_: str, action: AuditAction, reason: str) -> AuditMemory:
    return AuditMemory(id=id_, action=action, reason=reason)
