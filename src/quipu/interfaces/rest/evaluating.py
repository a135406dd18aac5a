"""Evaluating: what a conversation asks to be kept in, changed in, taken out of long-term memory."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Body
from pydantic import AwareDatetime, Field

from quipu.interfaces.rest.asking import SomeSession, SomeUser, given
from quipu.interfaces.rest.door import Reading, Writing, refused, room
from quipu.interfaces.rest.language import language
from quipu.interfaces.rest.models import Asked
from quipu.interfaces.rest.told.evaluating import AppliedTold, EvaluationTold, SessionEvaluationTold
from quipu.kinds.longterm.model import Category, Deletion, Edit, Evaluation, Importance, Inclusion, Said
from quipu.kinds.longterm.sati import SatiEvaluationInput

router = room("longterm")

_By = Annotated[
    Literal["rules", "llm"] | None, Field(description="Who evaluates; null: that of the settings.")
]
_EXAMPLE = {
    "conversation": {
        "recent_conversation": [{"role": "user", "content": "Please remember that I am a vegetarian."}],
        "existing_memory_summaries": ["Lives in Lisbon."],
    }
}


class Evaluated(Asked):
    """A conversation, and what is known already."""

    conversation: SatiEvaluationInput
    evaluator: _By = None


@router.post(
    "/evaluate",
    summary="What a conversation asks to be kept",
    responses=refused(_502="The language model failed."),
)
async def evaluate(asked: Annotated[Evaluated, Body(examples=[_EXAMPLE])], here: Reading) -> EvaluationTold:
    """Memories to include, to edit and to delete. Nothing is written."""
    with language("evaluator"):
        found = await here.memory.longterm.evaluate(
            asked.conversation, evaluator=asked.evaluator, space=here.space
        )
    return EvaluationTold.model_validate(found)


class SaidAsked(Asked):
    """Words that a memory rests on."""

    excerpt: str
    turn: Annotated[int | None, Field(ge=0, le=32_767)] = None
    message: str | None = None
    session: str | None = None
    happened_at: AwareDatetime | None = None


_Sources = Annotated[list[SaidAsked], Field(max_length=1000)]


class InclusionAsked(Asked):
    """A new memory."""

    category: Category
    importance: Importance
    summary: str
    details: str | None = None
    reason: str = ""
    sources: _Sources = Field(default_factory=list[SaidAsked])
    asked: bool = False


class EditAsked(Asked):
    """A change of a memory; null leaves a part as it is."""

    id: str
    importance: Importance | None = None
    summary: str | None = None
    details: str | None = None
    category: Category | None = None
    reason: str = ""
    sources: _Sources = Field(default_factory=list[SaidAsked])
    expected_version: Annotated[int | None, Field(ge=1, le=2**31 - 1)] = None
    asked: bool = False


class DeletionAsked(Asked):
    """A memory that is to be archived."""

    id: str
    reason: str = ""
    sources: _Sources = Field(default_factory=list[SaidAsked])
    expected_version: Annotated[int | None, Field(ge=1, le=2**31 - 1)] = None


class Applying(Asked):
    """An evaluation that is to be done."""

    inclusions: Annotated[list[InclusionAsked], Field(max_length=1000)] = Field(
        default_factory=list[InclusionAsked]
    )
    edits: Annotated[list[EditAsked], Field(max_length=1000)] = Field(default_factory=list[EditAsked])
    deletions: Annotated[list[DeletionAsked], Field(max_length=1000)] = Field(
        default_factory=list[DeletionAsked]
    )
    user: SomeUser = None
    session: SomeSession = None
    evaluator: Annotated[str, Field(description="Who found it, for the audit.")] = ""


_KEPT = {
    "inclusions": [{"category": "preference", "importance": "high", "summary": "Is a vegetarian."}],
    "user": "ana",
}


@router.post("/apply", summary="Do what an evaluation asks for")
async def apply(asked: Annotated[Applying, Body(examples=[_KEPT])], here: Writing) -> AppliedTold:
    """In one transaction; to do it again changes nothing. What the policy refuses is counted."""
    evaluation = Evaluation(
        inclusions=[
            Inclusion(**given(one, "sources"), sources=_said(one.sources)) for one in asked.inclusions
        ],
        edits=[Edit(**given(one, "sources"), sources=_said(one.sources)) for one in asked.edits],
        deletions=[Deletion(**given(one, "sources"), sources=_said(one.sources)) for one in asked.deletions],
        evaluator=asked.evaluator,
    )
    applied = await here.memory.longterm.apply(
        evaluation, space=here.space, user=asked.user, session=asked.session
    )
    return AppliedTold.model_validate(applied)


def _said(sources: list[SaidAsked]) -> list[Said]:
    return [Said(**given(one)) for one in sources]


class OfASession(Asked):
    """A session that is to be evaluated."""

    session: Annotated[str, Field(examples=["s1"])]
    evaluator: _By = None
    dry_run: Annotated[bool, Field(description="Write nothing; look at the next 40 turns only.")] = False


@router.post(
    "/evaluate/session",
    summary="Evaluate a session",
    responses=refused(_404="There is no such session.", _502="The language model failed."),
)
async def evaluate_session(asked: OfASession, here: Writing) -> SessionEvaluationTold:
    """What was said in it since it was evaluated last, and do what is asked for."""
    with language("evaluator"):
        found = await here.memory.longterm.evaluate_session(space=here.space, **given(asked))
    return SessionEvaluationTold.model_validate(found)
