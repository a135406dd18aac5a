"""An evaluation as somebody hands it in, checked as memories are that are written by hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from quipu.errors import BadInput
from quipu.kernel.base.scope import optional_name
from quipu.kinds.longterm import checking
from quipu.kinds.longterm.model import Deletion, Edit, Evaluation, Inclusion, MemorySource
from quipu.record import given

_T = TypeVar("_T")


def checked(evaluation: Evaluation) -> Evaluation:
    """Return the evaluation with its texts clean. Secrets are left to the policy, which refuses them.

    Raises:
        BadInput: a part of it cannot be kept; names it, such as ``inclusions[2].summary``.
    """
    return replace(
        evaluation,
        inclusions=_each("inclusions", evaluation.inclusions, _inclusion),
        edits=_each("edits", evaluation.edits, _edit),
        deletions=_each("deletions", evaluation.deletions, _deletion),
        evaluator=optional_name("evaluator", evaluation.evaluator or None) or "",
    )


def _inclusion(one: Inclusion) -> Inclusion:
    return replace(
        one,
        category=checking.category_of(one.category),
        importance=checking.importance_of(one.importance),
        summary=checking.summary_of(one.summary, secrets=False),
        details=checking.details_of(one.details, secrets=False),
        reason=checking.reason_of(one.reason, secrets=True) or "",
        sources=_each("sources", one.sources, _said),
    )


def _edit(one: Edit) -> Edit:
    return replace(
        one,
        category=None if one.category is None else checking.category_of(one.category),
        importance=None if one.importance is None else checking.importance_of(one.importance),
        summary=None if one.summary is None else checking.summary_of(one.summary, secrets=False),
        details="" if one.details == "" else checking.details_of(one.details, secrets=False),
        reason=checking.reason_of(one.reason, secrets=True) or "",
        sources=_each("sources", one.sources, _said),
    )


def _deletion(one: Deletion) -> Deletion:
    return replace(
        one,
        reason=checking.reason_of(one.reason, secrets=True) or "",
        sources=_each("sources", one.sources, _said),
    )


def _said(one: MemorySource) -> MemorySource:
    return replace(
        one,
        message=optional_name("message", one.message),
        session=optional_name("session", one.session),
        happened_at=given.time("happened_at", one.happened_at),
    )


def _each(name: str, several: Sequence[_T], check: Callable[[_T], _T]) -> tuple[_T, ...]:
    done: list[_T] = []
    for place, one in enumerate(several):
        try:
            done.append(check(one))
        except BadInput as error:
            raise error.at(f"{name}[{place}].{error.field}") from None
    return tuple(done)
