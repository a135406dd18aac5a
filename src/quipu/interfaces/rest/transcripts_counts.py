"""How much there is of recorded sessions: tools, files, tokens, tables; and what bulk can go."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from pydantic import Field

from quipu.interfaces.rest.asking import Acting, Most, OfSession, Project, Since, Until, given
from quipu.interfaces.rest.door import Administering, Reading, Writing, refused, room
from quipu.interfaces.rest.models import Asked
from quipu.interfaces.rest.showing import shown_first
from quipu.interfaces.rest.told.items import Confirmable, HowMany, Items
from quipu.interfaces.rest.told.transcripts import ToolUseTold, TouchedTold
from quipu.interfaces.rest.told.transcripts_counts import (
    CompactedTold,
    QueryTableTold,
    RowsTold,
    StatsTold,
)
from quipu.kinds.transcripts.seeing.model import Compacted

router = room("transcripts")


@router.get("/tools", summary="Tools, the most called first")
async def tools(
    here: Reading,
    project: Project = None,
    since: Since = None,
    until: Until = None,
    by_project: Annotated[bool, Query(description="Each project by itself.")] = False,
    limit: Most = 50,
) -> Items[ToolUseTold]:
    """Calls, failures, and the median time until the answer."""
    found = await here.memory.transcripts.tools(
        space=here.space, project=project, since=since, until=until, by_project=by_project, limit=limit
    )
    return Items(items=[ToolUseTold.model_validate(one) for one in found])


@router.get("/files", summary="Files, the most changed first")
async def files(
    here: Reading,
    project: Project = None,
    session: OfSession = None,
    since: Since = None,
    until: Until = None,
    limit: Most = 20,
) -> Items[TouchedTold]:
    """That tools worked on; then the most read."""
    found = await here.memory.transcripts.files(
        space=here.space, project=project, session=session, since=since, until=until, limit=limit
    )
    return Items(items=[TouchedTold.model_validate(one) for one in found])


@router.get("/stats", summary="How much there is")
async def stats(
    here: Reading,
    project: Project = None,
    since: Since = None,
    until: Until = None,
    limit: Annotated[int, Query(ge=1, le=1000, description="Days with tokens.")] = 30,
) -> StatsTold | None:
    """What the space holds, and its tokens by day and model; null where nothing was ever taken in."""
    found = await here.memory.transcripts.stats(
        space=here.space, project=project, since=since, until=until, limit=limit
    )
    return None if found is None else StatsTold.model_validate(found)


class InSql(Asked):
    """A question in SQL."""

    sql: Annotated[str, Field(max_length=100_000, examples=["select count(*) from sessions"])]
    limit: Annotated[int, Field(ge=1, le=10_000)] = 100
    seconds: Annotated[float, Field(gt=0, le=30)] = 10


@router.post("/query", summary="Ask in SQL")
async def query(asked: InSql, here: Reading) -> RowsTold:
    """The rows of one `select` over the views of the transcripts, of this space alone; it can only read."""
    return RowsTold.model_validate(await here.memory.transcripts.query(space=here.space, **given(asked)))


@router.get("/schema", summary="What can be asked in SQL", responses=refused(_404="There is no such table."))
async def schema(
    here: Reading,
    table: Annotated[str | None, Query(description="Only this one.", examples=["sessions"])] = None,
) -> Items[QueryTableTold]:
    """The views and tables, with their columns and comments."""
    found = await here.memory.transcripts.schema(table, space=here.space)
    return Items(items=[QueryTableTold.model_validate(one) for one in found])


@router.get("/waiting", summary="How many messages wait")
async def waiting(here: Reading) -> HowMany:
    """For their meaning to be found; recalls find them by then."""
    return HowMany(count=await here.memory.transcripts.waiting(space=here.space))


@router.post("/index", summary="Let recalls find all that was taken in")
async def index(here: Writing) -> HowMany:
    """The latest first; how many messages were waiting. A recall does it by itself, a second at a time."""
    return HowMany(count=await here.memory.transcripts.index(space=here.space))


class Bulk(Acting):
    """What is old enough."""

    older_than_days: Annotated[int, Field(ge=0, le=36_500)] = 30
    project: Annotated[str | None, Field(examples=["quipu"])] = None


@router.post(
    "/compact",
    summary="Cut old bulky tool output",
    responses=refused(_412="What would go is no longer what was shown."),
)
async def compact(asked: Bulk, here: Administering) -> Confirmable[CompactedTold]:
    """First a preview with a token; with that token, a marker that says how long it was takes its place."""

    async def do(confirm: bool) -> Compacted:
        return await here.memory.transcripts.compact(
            space=here.space, confirm=confirm, **given(asked, "confirm")
        )

    return await shown_first(
        "compact",
        asked.confirm,
        do,
        tell=CompactedTold.model_validate,
        counts=lambda found: {
            "space": here.space,
            "days": asked.older_than_days,
            "tools": [[one.tool, one.results, one.bytes_before] for one in found.tools],
        },
    )
