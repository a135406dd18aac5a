"""Long-term memory: what to know about a person before answering."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Response
from pydantic import Field

from quipu.interfaces.rest.asking import (
    Id,
    Since,
    SomeReason,
    SomeSession,
    SomeTime,
    SomeUser,
    Until,
    User,
    given,
)
from quipu.interfaces.rest.door import Reading, Writing, refused, room
from quipu.interfaces.rest.models import Asked
from quipu.interfaces.rest.pages import Page, Paging
from quipu.interfaces.rest.told.items import Items
from quipu.interfaces.rest.told.longterm import LongtermTold, MemoryCountTold, RevisionTold, SaidTold
from quipu.interfaces.rest.versions import ExpectedVersion, etag, matching
from quipu.kinds.longterm.model import Category, Importance, LongtermMemory

router = room("longterm")

_GONE = refused(_404="There is no such memory.")
_CHANGED = refused(
    _404="There is no such memory.",
    _409="Another live memory says so already.",
    _412="It is no longer the version that you read.",
)
OfCategory = Annotated[Category | None, Query(description="Only of this category.", examples=["preference"])]
OfImportance = Annotated[Importance | None, Query(description="Only of this importance.", examples=["high"])]


def told(memory: LongtermMemory, response: Response) -> LongtermTold:
    """A memory as an answer, with its version as a header."""
    response.headers["ETag"] = etag(memory.version)
    return LongtermTold.model_validate(memory)


class LongtermAdded(Asked):
    """A memory that is written by hand."""

    summary: Annotated[str, Field(examples=["Prefers short answers."])]
    category: Annotated[Category, Field(examples=["preference"])] = "context"
    importance: Importance = "medium"
    details: str | None = None
    user: SomeUser = None
    session: SomeSession = None
    source: str | None = None
    time: SomeTime = None


@router.post("", status_code=201, summary="Write a memory by hand")
async def add(asked: LongtermAdded, here: Writing, response: Response) -> LongtermTold:
    """As it stands then: where a live one says so already, that one was said once more."""
    return told(await here.memory.longterm.add(space=here.space, **given(asked)), response)


@router.get("", summary="Memories, the most important first")
async def listing(
    here: Reading,
    page: Paging,
    user: User = None,
    category: OfCategory = None,
    importance: OfImportance = None,
    text: Annotated[str | None, Query(description="That hold this text.", examples=["tea"])] = None,
    since: Since = None,
    until: Until = None,
    archived: Annotated[bool | None, Query(description="Archived ones instead.")] = False,
) -> Page[LongtermTold]:
    """Of equals, what changed last."""
    found = await here.memory.longterm.listing(
        space=here.space,
        user=user,
        category=category,
        importance=importance,
        text=text,
        since=since,
        until=until,
        archived=archived,
        limit=page.limit + 1,
        after=page.behind("longterm"),
    )
    return page.of_rows("longterm", [LongtermTold.model_validate(one) for one in found])


@router.get("/counts", summary="How many memories there are")
async def counts(here: Reading, user: User = None) -> Items[MemoryCountTold]:
    """Of each category and importance."""
    found = await here.memory.longterm.counts(space=here.space, user=user)
    return Items(items=[MemoryCountTold.model_validate(one) for one in found])


@router.get("/{id}", summary="A memory", responses=_GONE)
async def get(id: Id, here: Reading, response: Response) -> LongtermTold:
    """Its version stands in the header `ETag`, to be sent back as `If-Match`."""
    return told(await here.memory.longterm.get(id, space=here.space), response)


@router.get("/{id}/history", summary="How a memory read before", responses=_GONE)
async def history(id: Id, here: Reading) -> Items[RevisionTold]:
    """Before each change, who changed it and why; the latest first."""
    found = await here.memory.longterm.history(id, space=here.space)
    return Items(items=[RevisionTold.model_validate(one) for one in found])


@router.get("/{id}/sources", summary="What a memory rests on", responses=_GONE)
async def sources(id: Id, here: Reading) -> Items[SaidTold]:
    """The words, the latest first; none for one that was written by hand."""
    found = await here.memory.longterm.sources(id, space=here.space)
    return Items(items=[SaidTold.model_validate(one) for one in found])


class LongtermEdited(Asked):
    """What a memory is to say; null leaves a part as it is."""

    summary: Annotated[str | None, Field(examples=["Prefers very short answers."])] = None
    details: Annotated[str | None, Field(description='"" takes them away.')] = None
    category: Category | None = None
    importance: Importance | None = None
    reason: SomeReason = None


@router.patch("/{id}", summary="Change a memory", responses=_CHANGED)
async def edit(
    id: Id, asked: LongtermEdited, here: Writing, expected: ExpectedVersion, response: Response
) -> LongtermTold:
    """Its version grows, and how it read before is kept."""
    with matching(expected):
        edited = await here.memory.longterm.edit(
            id, space=here.space, expected_version=expected, **given(asked)
        )
    return told(edited, response)


class Because(Asked):
    """Why."""

    reason: SomeReason = None


@router.post("/{id}/archive", summary="Archive a memory", responses=_CHANGED)
async def archive(
    id: Id, asked: Because, here: Writing, expected: ExpectedVersion, response: Response
) -> LongtermTold:
    """It is not recalled any more; it stays, and can be revived."""
    with matching(expected):
        archived = await here.memory.longterm.archive(
            id, space=here.space, reason=asked.reason, expected_version=expected
        )
    return told(archived, response)


@router.post("/{id}/revive", summary="Revive an archived memory", responses=_CHANGED)
async def revive(id: Id, asked: Because, here: Writing, response: Response) -> LongtermTold:
    """It is recalled again."""
    return told(await here.memory.longterm.revive(id, space=here.space, reason=asked.reason), response)


class Reverted(Because):
    """Which version a memory is to read as."""

    to: Annotated[int, Field(ge=1, le=2**31 - 1, examples=[1])]


@router.post("/{id}/revert", summary="Revert a memory", responses=_CHANGED)
async def revert(id: Id, asked: Reverted, here: Writing, response: Response) -> LongtermTold:
    """Have it read as an earlier version did: that is a new version, and can be reverted too."""
    reverted = await here.memory.longterm.revert(id, space=here.space, to=asked.to, reason=asked.reason)
    return told(reverted, response)
