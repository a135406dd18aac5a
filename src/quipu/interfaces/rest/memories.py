"""Lessons: drawn from recorded sessions or written by hand."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Query
from pydantic import Field

from quipu.interfaces.rest.asking import Acting, Id, Ids, OfSession, Project, SomeTime, given
from quipu.interfaces.rest.door import Reading, Writing, refused, room
from quipu.interfaces.rest.language import language
from quipu.interfaces.rest.models import Asked
from quipu.interfaces.rest.pages import Page, Paging
from quipu.interfaces.rest.showing import shown_first
from quipu.interfaces.rest.told.items import Confirmable, HowMany, Items
from quipu.interfaces.rest.told.memories import (
    ExtractionReportTold,
    FoundLessonTold,
    LessonSourceTold,
    LessonTold,
    PrunedTold,
)
from quipu.kinds.transcripts.memories.model import Pruned, State

router = room("memories")

_GONE = refused(_404="There is no such memory.")
_CHANGED = refused(_404="There is no such memory.", _409="Another memory of the project says so already.")
_CATEGORY = "preferences, knowledge, patterns, context, corrections or todo."


class LessonAdded(Asked):
    """A memory that is written by hand."""

    fact: Annotated[str, Field(examples=["The tests need Docker."])]
    category: Annotated[str, Field(description=_CATEGORY, examples=["knowledge"])] = "knowledge"
    project: Annotated[str, Field(description="The path of its project; empty for all.")] = ""
    confidence: Annotated[float, Field(ge=0, le=1)] = 1.0


@router.post(
    "", status_code=201, summary="Write a memory by hand", responses=refused(_409="It is known already.")
)
async def add(asked: LessonAdded, here: Writing) -> LessonTold:
    """Secrets are cut out of it."""
    return LessonTold.model_validate(await here.memory.memories.add(space=here.space, **given(asked)))


@router.get("", summary="Memories, the surest first")
async def listing(
    here: Reading,
    page: Paging,
    category: Annotated[str | None, Query(description=_CATEGORY, examples=["knowledge"])] = None,
    project: Project = None,
    session: OfSession = None,
    state: Annotated[State | Literal["all"], Query(description="Which ones.")] = "active",
) -> Page[LessonTold]:
    """Of a category, of a project, told by a session, in a state."""
    found = await here.memory.memories.listing(
        space=here.space,
        category=category,
        project=project,
        session=session,
        state=state,
        limit=page.limit + 1,
        after=page.behind("memories"),
    )
    return page.of_rows("memories", [LessonTold.model_validate(one) for one in found])


class LessonSearched(Asked):
    """A question to the memories."""

    question: Annotated[str, Field(examples=["How are the tests run?"])]
    category: Annotated[str | None, Field(description=_CATEGORY)] = None
    project: str | None = None
    limit: Annotated[int, Field(ge=1, le=1000)] = 10


@router.post("/search", summary="Search the memories")
async def search(asked: LessonSearched, here: Reading) -> Items[FoundLessonTold]:
    """Those that answer a question, best first, by words and meaning."""
    found = await here.memory.memories.search(space=here.space, **given(asked))
    return Items(items=[FoundLessonTold.model_validate(one) for one in found])


class Extracted(Asked):
    """Which sessions are to be read, and by whom."""

    session: Annotated[str | None, Field(examples=["s1"])] = None
    since: SomeTime = None
    extractor: Literal["rules", "llm"] = "rules"
    again: Annotated[bool, Field(description="Whether due or not.")] = False
    limit: Annotated[int, Field(ge=1, le=1000, description="Sessions at most.")] = 20


@router.post("/extract", summary="Draw memories from sessions", responses=refused(_404="No such session."))
async def extract(asked: Extracted, here: Writing) -> ExtractionReportTold:
    """Read sessions that are due, and keep what was said there that lasts."""
    with language("extractor"):
        report = await here.memory.memories.extract(space=here.space, **given(asked))
    return ExtractionReportTold.model_validate(report)


@router.post("/reinforce", summary="Note that memories were of use", responses=_GONE)
async def reinforce(asked: Ids, here: Writing) -> HowMany:
    """They age from now; how many uses count."""
    return HowMany(count=await here.memory.memories.reinforce(asked.ids, space=here.space))


@router.post(
    "/prune",
    summary="Archive what faded",
    responses=refused(_412="What would be archived is no longer what was shown."),
)
async def prune(asked: Acting, here: Writing) -> Confirmable[PrunedTold]:
    """First a preview with a token; with that token, memories of a confidence below 0.1 are archived."""

    async def do(confirm: bool) -> Pruned:
        return await here.memory.memories.prune(space=here.space, dry_run=not confirm)

    return await shown_first(
        "prune",
        asked.confirm,
        do,
        tell=PrunedTold.model_validate,
        counts=lambda found: {"space": here.space, "ids": sorted(one.id for one in found.memories)},
    )


@router.get("/{id}", summary="A memory", responses=_GONE)
async def get(id: Id, here: Reading) -> LessonTold:
    """As it stands today: its confidence fades with time."""
    return LessonTold.model_validate(await here.memory.memories.get(id, space=here.space))


@router.get("/{id}/sources", summary="Where a memory was said", responses=_GONE)
async def sources(id: Id, here: Reading) -> Items[LessonSourceTold]:
    """The latest first; none for one that was written by hand."""
    found = await here.memory.memories.sources(id, space=here.space)
    return Items(items=[LessonSourceTold.model_validate(one) for one in found])


class LessonEdited(Asked):
    """What a memory is to say; null leaves a part as it is."""

    fact: Annotated[str | None, Field(examples=["The tests need Docker and network."])] = None
    category: Annotated[str | None, Field(description=_CATEGORY)] = None


@router.patch("/{id}", summary="Change a memory", responses=_CHANGED)
async def edit(id: Id, asked: LessonEdited, here: Writing) -> LessonTold:
    """How it read before is kept; extraction leaves it alone from then on."""
    edited = await here.memory.memories.edit(id, space=here.space, **given(asked))
    return LessonTold.model_validate(edited)


@router.post("/{id}/archive", summary="Archive a memory", responses=_GONE)
async def archive(id: Id, here: Writing) -> LessonTold:
    """It is not recalled any more; it stays and can be restored."""
    return LessonTold.model_validate(await here.memory.memories.archive(id, space=here.space))


@router.post("/{id}/restore", summary="Restore an archived memory", responses=_CHANGED)
async def restore(id: Id, here: Writing) -> LessonTold:
    """It is recalled again; its clock starts anew."""
    return LessonTold.model_validate(await here.memory.memories.restore(id, space=here.space))


@router.post("/{id}/confirm", summary="Confirm a memory", responses=_GONE)
async def confirm(id: Id, here: Writing) -> LessonTold:
    """It is surer from now on, and its clock starts anew."""
    return LessonTold.model_validate(await here.memory.memories.confirm(id, space=here.space))
