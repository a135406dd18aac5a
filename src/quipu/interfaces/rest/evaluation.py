"""Evaluating: what a conversation asks to be kept in, changed in, taken out of long-term memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final, Literal, cast

from fastapi import Body
from pydantic import AwareDatetime, Field, model_validator

from quipu.interfaces.rest.door import Reading, Writing, refused, room
from quipu.interfaces.rest.language import language
from quipu.interfaces.rest.models import RequestBody, SomeSession, SomeUser, given
from quipu.kinds.longterm.evaluation.model import Applied, SessionEvaluation
from quipu.kinds.longterm.model import (
    Category,
    Deletion,
    Edit,
    Evaluation,
    Importance,
    Inclusion,
    MemorySource,
)
from quipu.kinds.longterm.sati import SatiEvaluationInput, SatiMemoryResult, read

router = room("longterm")

_By = Annotated[
    Literal["rules", "llm"] | None, Field(description="The evaluator; null: that of the settings.")
]
_EXAMPLE = {
    "conversation": {
        "recent_conversation": [{"role": "user", "content": "Please remember that I am a vegetarian."}],
        "existing_memory_summaries": ["Lives in Lisbon."],
    }
}


_OF_THE_DESIGN: Final = set(SatiEvaluationInput.model_fields)


class LongtermEvaluate(RequestBody):
    """A conversation, and what is known already. The design's own document is taken in its place."""

    conversation: SatiEvaluationInput
    evaluator: _By = None

    @model_validator(mode="before")
    @classmethod
    def _whole(cls, body: object) -> object:
        if not isinstance(body, dict) or "conversation" in body or "recent_conversation" not in body:
            return cast("object", body)
        fields = cast("dict[str, object]", body)
        more = {name: value for name, value in fields.items() if name not in _OF_THE_DESIGN}
        return {**more, "conversation": {name: fields[name] for name in fields if name in _OF_THE_DESIGN}}


@router.post(
    "/evaluate",
    summary="List what a conversation asks to be kept",
    responses=refused(_502="The language model failed."),
)
async def evaluate(
    request: Annotated[LongtermEvaluate, Body(examples=[_EXAMPLE])], here: Reading
) -> Evaluation:
    """Return memories to include, to edit and to delete. Nothing is written."""
    with language("evaluator"):
        return await here.memory.longterm.evaluate(
            request.conversation, evaluator=request.evaluator, space=here.space
        )


class MemorySourceRequest(RequestBody):
    """Words that a memory rests on."""

    excerpt: str
    turn: Annotated[int | None, Field(ge=0, le=32_767)] = None
    message: str | None = None
    session: str | None = None
    happened_at: AwareDatetime | None = None


_Sources = Annotated[list[MemorySourceRequest], Field(max_length=1000)]


class InclusionRequest(RequestBody):
    """A new memory."""

    category: Category
    importance: Importance
    summary: str
    details: str | None = None
    reason: str = ""
    sources: _Sources = Field(default_factory=list[MemorySourceRequest])
    requested: bool = False


class EditRequest(RequestBody):
    """A change of a memory; null leaves a part as it is."""

    id: str
    importance: Importance | None = None
    summary: str | None = None
    details: str | None = None
    category: Category | None = None
    reason: str = ""
    sources: _Sources = Field(default_factory=list[MemorySourceRequest])
    expected_version: Annotated[int | None, Field(ge=1, le=2**31 - 1)] = None
    requested: bool = False


class DeletionRequest(RequestBody):
    """A memory that is to be archived."""

    id: str
    reason: str = ""
    sources: _Sources = Field(default_factory=list[MemorySourceRequest])
    expected_version: Annotated[int | None, Field(ge=1, le=2**31 - 1)] = None


class LongtermApply(RequestBody):
    """An evaluation that is to be done.

    The design's own result is one, too: `should_store` with `category`, `importance`, `summary`, `reason`.
    """

    inclusions: Annotated[list[InclusionRequest], Field(max_length=1000)] = Field(
        default_factory=list[InclusionRequest]
    )
    edits: Annotated[list[EditRequest], Field(max_length=1000)] = Field(default_factory=list[EditRequest])
    deletions: Annotated[list[DeletionRequest], Field(max_length=1000)] = Field(
        default_factory=list[DeletionRequest]
    )
    user: SomeUser = None
    session: SomeSession = None
    evaluator: Annotated[str, Field(description="The evaluator, for the audit.")] = ""
    should_store: bool | None = None
    category: Category | None = None
    importance: Importance | None = None
    summary: str | None = None
    reason: str | None = None


_RESULT: Final = ("should_store", "category", "importance", "summary", "reason")
_KEPT = {
    "inclusions": [{"category": "preference", "importance": "high", "summary": "Is a vegetarian."}],
    "user": "ana",
}


@router.post("/apply", summary="Do what an evaluation asks for")
async def apply(request: Annotated[LongtermApply, Body(examples=[_KEPT])], here: Writing) -> Applied:
    """Carry out an evaluation in one transaction; a repetition changes nothing. Refusals are counted."""
    evaluation = Evaluation(
        inclusions=[
            *(Inclusion(**given(one, "sources"), sources=_said(one.sources)) for one in request.inclusions),
            *_of_the_design(request),
        ],
        edits=[Edit(**given(one, "sources"), sources=_said(one.sources)) for one in request.edits],
        deletions=[
            Deletion(**given(one, "sources"), sources=_said(one.sources)) for one in request.deletions
        ],
        evaluator=request.evaluator,
    )
    return await here.memory.longterm.apply(
        evaluation, space=here.space, user=request.user, session=request.session
    )


def _of_the_design(request: LongtermApply) -> Sequence[Inclusion]:
    fields = {name: getattr(request, name) for name in _RESULT}
    result = read(SatiMemoryResult, fields)
    return () if result.should_store is None else result.evaluation().inclusions


def _said(sources: list[MemorySourceRequest]) -> list[MemorySource]:
    return [MemorySource(**given(one)) for one in sources]


class LongtermEvaluateSession(RequestBody):
    """A session that is to be evaluated."""

    session: Annotated[str, Field(examples=["s1"])]
    evaluator: _By = None
    preview: Annotated[bool, Field(description="Write nothing; look at the next 40 turns only.")] = False


@router.post(
    "/evaluate/session",
    summary="Evaluate a session",
    responses=refused(_404="There is no such session.", _502="The language model failed."),
)
async def evaluate_session(request: LongtermEvaluateSession, here: Writing) -> SessionEvaluation:
    """Read what was said since the last evaluation, and do what is asked for."""
    with language("evaluator"):
        return await here.memory.longterm.evaluate_session(space=here.space, **given(request))
