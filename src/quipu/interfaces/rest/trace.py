"""The trace: what an agent's tools and sources did."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Body
from pydantic import AwareDatetime, Field

from quipu.interfaces.rest.asking import SomeTurn, TheSession, given
from quipu.interfaces.rest.door import Reading, Writing, room
from quipu.interfaces.rest.models import Asked
from quipu.interfaces.rest.told.evidence import CompetitorCheckTold, ReviewReadingTold
from quipu.interfaces.rest.told.items import Items, Noted
from quipu.kinds.ledger.evidence.model import (
    CheckStatus,
    FallbackKind,
    FetchedSource,
    ReviewedEntity,
    RunStatus,
    SourceStatus,
    ToolSource,
)
from quipu.kinds.ledger.signals.model import Review

router = room("trace")

_Session = Annotated[str, Field(examples=["s1"])]


class Called(Asked):
    """A tool that was called, and how it went."""

    tool: Annotated[str, Field(examples=["weather"])]
    session: _Session
    latency_ms: Annotated[int, Field(examples=[120])]
    status: SourceStatus = "ok"
    source: ToolSource | None = None
    args: dict[str, Any] | None = None
    result: Any = None
    cache_hit: bool = False
    freshness_seconds: Annotated[int | None, Field(description="How old the answer is.")] = None
    error_code: str | None = None
    message: Annotated[str | None, Field(description="The id of the message that made the call.")] = None
    turn: SomeTurn = None


@router.post("/tool-calls", status_code=201, summary="Write down a tool call")
async def tool_call(asked: Called, here: Writing) -> Noted:
    """Its id. Secrets in arguments and result are cut out."""
    return Noted(id=await here.memory.trace.tool_call(space=here.space, **given(asked)))


class Fetched(Asked):
    """A run that fetched from a source ahead of all sessions."""

    source: Annotated[FetchedSource, Field(examples=["weather"])]
    started_at: Annotated[AwareDatetime, Field(examples=["2026-05-04T10:00:00Z"])]
    finished_at: AwareDatetime | None = None
    status: RunStatus = "ok"
    items: int | None = None
    latest_record_at: AwareDatetime | None = None
    error: str | None = None


@router.post("/source-runs", status_code=201, summary="Write down a run of a source")
async def source_run(asked: Fetched, here: Writing) -> Noted:
    """Its id."""
    return Noted(id=await here.memory.trace.source_run(space=here.space, **given(asked)))


class Checked(Asked):
    """A competitor that a user asked for, and what was found."""

    query: Annotated[str, Field(examples=["the ramen bar next door"])]
    session: _Session
    status: Annotated[CheckStatus, Field(examples=["not_found"])]
    place: Annotated[str | None, Field(description="Needed where the status is `resolved`.")] = None
    name: str | None = None
    latency_ms: int | None = None
    turn: SomeTurn = None


@router.post("/competitor-checks", status_code=201, summary="Write down a look-up of a competitor")
async def competitor_check(asked: Checked, here: Writing) -> Noted:
    """Its id."""
    return Noted(id=await here.memory.trace.competitor_check(space=here.space, **given(asked)))


@router.get("/competitor-checks", summary="Look-ups of competitors in a session")
async def competitor_checks(session: TheSession, here: Reading) -> Items[CompetitorCheckTold]:
    """The latest first."""
    found = await here.memory.trace.competitor_checks(space=here.space, session=session)
    return Items(items=[CompetitorCheckTold.model_validate(one) for one in found])


class ReviewAsked(Asked):
    """One review as its source gave it."""

    text: str
    rating: Annotated[float | None, Field(ge=1, le=5)] = None
    published_at: AwareDatetime
    review_id: str | None = None


class Reviewed(Asked):
    """Reviews of a place, to be read for what they complain about."""

    reviews: Annotated[list[ReviewAsked], Field(max_length=10_000)]
    session: _Session
    place: str
    entity: ReviewedEntity = "own_location"
    window_days: Annotated[int, Field(ge=1, le=3_650)] = 90
    cache_hit: bool = False
    freshness_seconds: int | None = None
    turn: SomeTurn = None


_REVIEWS = {
    "reviews": [{"text": "We waited 40 minutes.", "rating": 2, "published_at": "2026-05-01T19:00:00Z"}],
    "session": "s1",
    "place": "oslo",
}


@router.post("/reviews", status_code=201, summary="Read reviews")
async def read_reviews(
    asked: Annotated[Reviewed, Body(examples=[_REVIEWS])], here: Writing
) -> ReviewReadingTold:
    """What they complain about, and evidence that a recommendation can rest on. The texts are not kept."""
    reviews = [Review(place_id=asked.place, **given(one)) for one in asked.reviews]
    found = await here.memory.trace.read_reviews(reviews, space=here.space, **given(asked, "reviews"))
    return ReviewReadingTold.model_validate(found)


class Failed(Asked):
    """A reading of reviews that came to nothing."""

    session: _Session
    place: Annotated[str, Field(examples=["oslo"])]
    status: Annotated[SourceStatus, Field(examples=["timeout"])]
    entity: ReviewedEntity = "own_location"
    error_code: str | None = None
    window_days: int = 90
    latency_ms: int | None = None
    cache_hit: bool = False
    freshness_seconds: int | None = None
    turn: SomeTurn = None


@router.post("/signal-runs", status_code=201, summary="Write down a reading of reviews that failed")
async def signal_run(asked: Failed, here: Writing) -> Noted:
    """Its id. One that came to something is done by `/trace/reviews`."""
    return Noted(id=await here.memory.trace.signal_run(None, space=here.space, **given(asked)))


class FellBack(Asked):
    """An answer that had to do without some source."""

    kind: Annotated[FallbackKind, Field(examples=["timeout"])]
    session: _Session
    reason: Annotated[str, Field(examples=["The weather did not answer."])]
    response: Annotated[str, Field(description="What was answered.", examples=["Without the weather: …"])]
    sources_down: list[ToolSource] = Field(default_factory=list[ToolSource])
    turn: SomeTurn = None


@router.post("/fallbacks", status_code=201, summary="Write down a fallback")
async def fallback(asked: FellBack, here: Writing) -> Noted:
    """Its id."""
    return Noted(id=await here.memory.trace.fallback(space=here.space, **given(asked)))
