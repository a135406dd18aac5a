"""The record: taking in what is said, and forgetting."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import Annotated, Any, Final

from fastapi import Body, Request
from pydantic import Field

from quipu.errors import BadInput
from quipu.interfaces.rest.door import Administering, Writing, refused, room
from quipu.interfaces.rest.models import Answer, RequestBody
from quipu.interfaces.serving import confirmation
from quipu.interfaces.serving.served import served
from quipu.record.model import Indexing
from quipu.upkeep.erasure.model import Left

router = room("record", prefix="")

_SAID: Final = {
    "messages": [{"role": "user", "content": "I moved to Lisbon in May.", "time": "2026-05-04T10:00:00Z"}],
    "session": "s1",
}


class Observe(RequestBody):
    """Messages that were just said."""

    messages: Annotated[
        list[dict[str, Any]],
        Field(
            min_length=1,
            description="Each with `content` or `item`; `id, session, role, speaker, time, user, metadata`"
            " if known.",
        ),
    ]
    session: Annotated[str | None, Field(description="Of those that do not say.")] = None
    user: Annotated[str | None, Field(description="Of those that do not say.")] = None
    verbatim: Annotated[
        bool | None, Field(description="Whether their sessions keep items as they come, from now on.")
    ] = None
    index: Annotated[
        Indexing, Field(description="When they are made searchable: now, or later, by the next recall.")
    ] = "now"


class RefusalAnswer(Answer):
    """Reason why a message was not taken in."""

    line: int | None
    field: str | None
    reason: str


class Intake(Answer):
    """Numbers of what was taken in, and of what was found in it."""

    imported: int
    duplicates: int
    echoes: Annotated[int, Field(description="Nothing but memory that was recalled before.")]
    cut_characters: Annotated[int, Field(description="Of memory of this space that came back, cut out.")]
    foreign_characters: Annotated[
        int, Field(description="Of memory of other spaces: kept as text, not indexed.")
    ]
    unmatched_marks: Annotated[
        int, Field(description="Marks of this space in front of other words, which are kept and indexed.")
    ]
    redacted: Annotated[dict[str, int], Field(description="Secrets cut out, by kind.")]
    repaired: Annotated[int, Field(description="Characters that no database can store, replaced.")]
    assumed_utc: Annotated[int, Field(description="Times that came without a zone.")]
    ignored: Annotated[list[str], Field(description="Keys that we have no place for.")]
    seconds: float


class ReportAnswer(Intake):
    """Report of what was taken in, and of what was not and why."""

    refused: list[RefusalAnswer]
    ids: Annotated[list[str], Field(description="The ids under which they can be found again.")]


@router.post("/observe", status_code=201, summary="Take in what was just said")
async def observe(request: Annotated[Observe, Body(examples=[_SAID])], here: Writing) -> ReportAnswer:
    """Make them searchable and durable before answering: all of them or, if one is bad, none."""
    report = await here.memory.observe(
        request.messages,
        space=here.space,
        session=request.session,
        user=request.user,
        verbatim=request.verbatim,
        index=request.index,
    )
    return ReportAnswer.model_validate(report)


class Forget(RequestBody):
    """Request to forget what satisfies all that is named."""

    session: str | None = None
    user: Annotated[str | None, Field(description="A person: kept for them, or said by them.")] = None
    message: Annotated[str | None, Field(description="The message with this id of yours.")] = None
    names: Annotated[
        list[str],
        Field(
            default_factory=list,
            max_length=100,
            description="More names to look for in the rest.",
            examples=[["Ana S."]],
        ),
    ]
    everywhere: Annotated[bool, Field(description="Take the names out of the rest, too.")] = False
    everything: Annotated[bool, Field(description="The whole space; then nothing is named.")] = False
    confirm: Annotated[
        str | None, Field(description="The token of the preview; without it nothing is changed.")
    ] = None


class ErasureAnswer(Answer):
    """Preview of an erasure, with the token that has it done; or what is gone, with the receipt."""

    counts: Annotated[dict[str, int], Field(description="Rows by table.")]
    left: Annotated[
        list[Left],
        Field(default_factory=list, description="Of a person: names in what is not theirs."),
    ]
    confirm: Annotated[str | None, Field(description="Send it back to have it done.")] = None
    receipt: Annotated[str | None, Field(description="Names the proof, which holds no content.")] = None
    erased_at: datetime | None = None


@router.post(
    "/forget",
    summary="Forget a message, a session, a person or the space",
    responses=refused(_412="What would go is no longer what was shown."),
)
async def forget(
    scope: Annotated[Forget, Body(examples=[{"user": "ana"}])], here: Administering, request: Request
) -> ErasureAnswer:
    """Return a preview with a token first; with that token, erase from every table and index at once.

    If what would go has changed since the preview, nothing is done and the answer is 412.
    """
    named = {"session": scope.session, "user": scope.user, "message": scope.message}
    if scope.everything == any(value is not None for value in named.values()):
        raise BadInput("name what to forget, or say everything: true; not both.", field="everything")
    forget = partial(
        here.memory.forget, space=here.space, **named, names=scope.names, everywhere=scope.everywhere
    )
    preview = await forget(confirm=False)
    shown = confirmation.shown(preview, scope.names, everywhere=scope.everywhere)
    if not confirmation.confirmed(scope.confirm, "forget", shown):
        return ErasureAnswer(
            counts=dict(preview.counts), left=[*preview.left], confirm=confirmation.token("forget", shown)
        )
    erased = await forget(confirm=True)
    if scope.everything:
        served(request).access.forget()  # the keys of the space are gone with it
    return ErasureAnswer.model_validate(erased)
