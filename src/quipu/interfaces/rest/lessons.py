"""Lessons: their derived routes, and drawing them from sessions."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from quipu.app.operations import OPERATIONS
from quipu.interfaces.rest.derived import derived
from quipu.interfaces.rest.door import Writing, refused
from quipu.interfaces.rest.language import language
from quipu.interfaces.rest.models import RequestBody, SomeTime, given
from quipu.kinds.transcripts.lessons.model import ExtractionReport

router = derived("lessons", OPERATIONS)


class LessonsExtract(RequestBody):
    """Sessions to read, and the extractor."""

    session: Annotated[str | None, Field(examples=["s1"])] = None
    since: SomeTime = None
    extractor: Literal["rules", "llm"] = "rules"
    again: Annotated[bool, Field(description="Read sessions whether they are due or not.")] = False
    limit: Annotated[int, Field(ge=1, le=1000, description="The most sessions to read.")] = 20


@router.post(
    "/extract",
    summary="Read sessions, and keep what was said there that lasts",
    responses=refused(_404="There is no such session."),
)
async def extract(request: LessonsExtract, here: Writing) -> ExtractionReport:
    """Read only sessions that are due. Any trouble with one is noted with it."""
    with language("extractor"):
        return await here.memory.lessons.extract(space=here.space, **given(request))
