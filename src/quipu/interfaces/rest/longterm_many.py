"""Many long-term memories at once: searched, recovered for an answer, archived, looked back on."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Query
from pydantic import AliasChoices, Field

from quipu.interfaces.rest.asking import (
    Acting,
    Most,
    OfSession,
    Since,
    SomeReason,
    SomeSession,
    SomeTime,
    SomeUser,
    User,
    given,
)
from quipu.interfaces.rest.door import Reading, Writing, refused, room
from quipu.interfaces.rest.models import Asked, Told
from quipu.interfaces.rest.showing import shown_first
from quipu.interfaces.rest.told.items import Confirmable, Items
from quipu.interfaces.rest.told.longterm import AuditLineTold, BulkArchivedTold, FoundMemoryTold
from quipu.kinds.longterm.model import Archived, AuditAct, Category, Importance

router = room("longterm")


class LongtermSearched(Asked):
    """A question to the long-term memories."""

    question: Annotated[str, Field(examples=["How does she like her answers?"])]
    user: SomeUser = None
    category: Category | None = None
    importance: Importance | None = None
    limit: Annotated[int, Field(ge=1, le=1000)] = 10


@router.post("/search", summary="Search the memories")
async def search(asked: LongtermSearched, here: Reading) -> Items[FoundMemoryTold]:
    """Those that answer a question, best first, found by words and meaning. It changes nothing."""
    found = await here.memory.longterm.search(space=here.space, **given(asked))
    return Items(items=[FoundMemoryTold.model_validate(one) for one in found])


class ToAnswer(Asked):
    """A message that is to be answered.

    The names of the design are taken too: `current_message`, `recent_messages`, `memory_limit`.
    """

    asked: Annotated[str, Field(max_length=200_000, examples=["What shall I cook tonight?"])] = Field(
        validation_alias=AliasChoices("asked", "current_message")
    )
    recent: Annotated[list[str], Field(max_length=1000, description="Turns before it, latest last.")] = Field(
        default_factory=list[str], validation_alias=AliasChoices("recent", "recent_messages")
    )
    user: SomeUser = None
    session: SomeSession = None
    message: Annotated[str | None, Field(description="Its id, for the audit.")] = None
    limit: Annotated[int | None, Field(ge=1, le=100)] = Field(
        default=None, validation_alias=AliasChoices("limit", "memory_limit")
    )
    budget_tokens: Annotated[int | None, Field(ge=1, le=1_000_000)] = None
    injected: Annotated[bool, Field(description="The block goes into a prompt: that counts as use.")] = False


class RelevantTold(Told):
    """One relevant memory."""

    summary: str
    category: Category
    importance: Importance


class RecoveredTold(Told):
    """What is known that matters, with its text for the prompt.

    `ids`, `scores` and `parts` are those of `relevant_memories`, in their order: the best first. `timeout`
    and `failed` are answers without memory; `left_out` counts those for which the block had no room.
    """

    relevant_memories: list[RelevantTold]
    ids: list[str]
    scores: list[float]
    parts: list[dict[str, float]]
    block: str
    tokens: int
    outcome: Literal["found", "nothing", "timeout", "failed"]
    left_out: int
    took_ms: int


@router.post("/recover", summary="What matters for an answer")
async def recover(asked: ToAnswer, here: Writing) -> RecoveredTold:
    """In time or not at all. It is written into the audit: it needs `write`."""
    found = await here.memory.longterm.recover(asked.asked, space=here.space, **given(asked, "asked"))
    return RecoveredTold.model_validate(found)


class Narrowed(Acting):
    """Which memories are to be archived: those that satisfy all that is named."""

    user: SomeUser = None
    category: Category | None = None
    importance: Importance | None = None
    text: Annotated[str | None, Field(description="That hold this text.", examples=["tea"])] = None
    before: SomeTime = None
    reason: SomeReason = None


@router.post(
    "/archive",
    summary="Archive many memories",
    responses=refused(_412="What would be archived is no longer what was shown."),
)
async def archive_many(asked: Narrowed, here: Writing) -> Confirmable[BulkArchivedTold]:
    """First a preview with a token; with that token they are archived. Each can be revived."""

    async def do(confirm: bool) -> Archived:
        return await here.memory.longterm.archive_many(
            space=here.space, dry_run=not confirm, **given(asked, "confirm")
        )

    return await shown_first(
        "archive",
        asked.confirm,
        do,
        tell=BulkArchivedTold.model_validate,
        counts=lambda found: {"space": here.space, "ids": sorted(one.id for one in found.memories)},
    )


@router.get("/audit", summary="What was recovered and evaluated")
async def audit(
    here: Reading,
    act: Annotated[AuditAct | None, Query(description="Only these.", examples=["recover"])] = None,
    user: User = None,
    session: OfSession = None,
    since: Since = None,
    limit: Most = 100,
) -> Items[AuditLineTold]:
    """For which message, and how it went; the latest first."""
    found = await here.memory.longterm.audit(
        space=here.space, act=act, user=user, session=session, since=since, limit=limit
    )
    return Items(items=[AuditLineTold.model_validate(one) for one in found])
