"""Recorded sessions of coding agents: their derived routes, SQL over them, and indexing all of them."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from quipu.app.operations import OPERATIONS
from quipu.interfaces.rest.derived import derived
from quipu.interfaces.rest.door import Reading, Writing
from quipu.interfaces.rest.models import HowMany, RequestBody, given
from quipu.kinds.transcripts.browse.model import QueryRows

router = derived("transcripts", OPERATIONS)


class TranscriptsQuery(RequestBody):
    """A question in SQL."""

    sql: Annotated[str, Field(max_length=100_000, examples=["select count(*) from sessions"])]
    limit: Annotated[int, Field(ge=1, le=10_000)] = 100
    seconds: Annotated[float, Field(gt=0, le=30)] = 10
    megabytes: Annotated[float, Field(ge=0.001, le=64, description="The most that may come back.")] = 16


@router.post("/query", summary="Ask in SQL")
async def query(request: TranscriptsQuery, here: Reading) -> QueryRows:
    """Return the rows of one `select` over the views of the transcripts, of this space; it can only read."""
    return await here.memory.transcripts.query(space=here.space, **given(request))


@router.post("/index", summary="Let recalls find all that was taken in")
async def index(here: Writing) -> HowMany:
    """Index waiting messages, latest first, and count them. A recall does it too, a second at a time."""
    return HowMany(count=await here.memory.transcripts.index(space=here.space))
