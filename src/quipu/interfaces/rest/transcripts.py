"""Recorded sessions of coding agents: listed, shown, searched."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from pydantic import Field

from quipu.interfaces.rest.asking import Project, Since, SomeSession, SomeTime, TheSession, Until, given
from quipu.interfaces.rest.door import Reading, refused, room
from quipu.interfaces.rest.models import Asked, Told
from quipu.interfaces.rest.pages import Page, Paging
from quipu.interfaces.rest.told.bootstrap import BootstrapTold
from quipu.interfaces.rest.told.transcripts import (
    RecalledTold,
    SearchedTold,
    SeenTold,
    TranscriptLineTold,
)
from quipu.kinds.transcripts.seeing.model import Part, Role, Sort

router = room("transcripts")

_Flat = Annotated[str | None, Field(description="Its path, or the last part.", examples=["quipu"])]


@router.get("/sessions", summary="Recorded sessions, the latest first")
async def sessions(
    here: Reading, page: Paging, project: Project = None, since: Since = None, until: Until = None
) -> Page[SeenTold]:
    """With title, span, counts and tokens; subagents inside their parents."""
    found = await here.memory.transcripts.sessions(
        space=here.space,
        project=project,
        since=since,
        until=until,
        limit=page.limit + 1,
        after=page.behind("transcripts"),
    )
    return page.of_rows("transcripts", [SeenTold.model_validate(one) for one in found])


class ShownTold(Told):
    """A session, and a page of its lines; `total` is how many it has."""

    session: SeenTold
    lines: Page[TranscriptLineTold]
    total: int


@router.get("/session", summary="A recorded session", responses=refused(_404="There is no such session."))
async def show(session: TheSession, here: Reading, page: Paging) -> ShownTold:
    """What was said and thought, the tools that were called and what they answered; the oldest first."""
    found = await here.memory.transcripts.show(
        session, space=here.space, limit=page.limit + 1, offset=page.counted("transcript")
    )
    lines = [TranscriptLineTold.model_validate(one) for one in found.lines]
    return ShownTold(
        session=SeenTold.model_validate(found.session),
        lines=page.of_counted("transcript", lines),
        total=found.total,
    )


class Narrowed(Asked):
    """What narrows a search."""

    project: _Flat = None
    session: SomeSession = None
    since: SomeTime = None
    until: SomeTime = None
    sort: Sort = "relevance"
    meaning: Annotated[bool, Field(description="What is near in meaning counts more.")] = True


class TranscriptsSearched(Narrowed):
    """Words that are looked for."""

    query: Annotated[str, Field(examples=['"connection refused" -docker'])]
    part: list[Part] | None = None
    role: list[Role] | None = None
    tool: list[str] | None = None
    errors: Annotated[bool, Field(description="Only what failed.")] = False
    limit: Annotated[int, Field(ge=1, le=1000)] = 10


@router.post("/search", summary="Search recorded sessions")
async def search(asked: TranscriptsSearched, here: Reading) -> SearchedTold:
    """What was said and thought, what tools were given and answered. `"…"`, `*`, `-` and `OR` are known."""
    return SearchedTold.model_validate(await here.memory.transcripts.search(space=here.space, **given(asked)))


class Recalled(Narrowed):
    """Words that are looked for, and how much around them."""

    term: Annotated[str, Field(examples=["connection refused"])]
    turns: Annotated[int, Field(ge=0, le=100, description="On each side.")] = 2
    characters: Annotated[int, Field(ge=1, le=1_000_000, description="Of each turn.")] = 2000
    limit: Annotated[int, Field(ge=1, le=200)] = 5


@router.post("/recall", summary="Matches with what was said around them")
async def recall(asked: Recalled, here: Reading) -> RecalledTold:
    """Windows that overlap are one match."""
    return RecalledTold.model_validate(await here.memory.transcripts.recall(space=here.space, **given(asked)))


@router.get("/bootstrap", summary="What a new session begins with")
async def bootstrap(
    here: Reading,
    query: Annotated[str | None, Query(description="What it is about.", examples=["the tests"])] = None,
    project: Project = None,
    session: Annotated[
        str | None, Query(description="The one that begins: it is left out.", examples=["s2"])
    ] = None,
    limit: Annotated[int, Query(ge=1, le=100, description="The most of each.")] = 10,
    budget_tokens: Annotated[int, Query(ge=1, le=100_000, description="Of the text.")] = 400,
) -> BootstrapTold:
    """Recent sessions, memories, files often edited and open tasks, also as text for a prompt."""
    found = await here.memory.transcripts.bootstrap(
        space=here.space,
        query=query,
        project=project,
        session=session,
        limit=limit,
        budget_tokens=budget_tokens,
    )
    return BootstrapTold.model_validate(found)
