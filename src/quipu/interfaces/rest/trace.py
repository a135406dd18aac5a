"""The trace: its derived routes, and readings of reviews."""

from __future__ import annotations

from typing import Annotated

from fastapi import Body
from pydantic import AwareDatetime, Field

from quipu.app.operations import OPERATIONS
from quipu.interfaces.rest.derived import derived
from quipu.interfaces.rest.door import Writing
from quipu.interfaces.rest.models import Noted, RequestBody, SomeTurn, given
from quipu.kinds.ledger.evidence.model import ReviewedEntity, ReviewReading, SourceStatus
from quipu.kinds.ledger.signals.model import Review

router = derived("trace", OPERATIONS)

_Session = Annotated[str, Field(examples=["s1"])]


class ReviewRequest(RequestBody):
    """One review as its source gave it."""

    text: str
    rating: Annotated[float | None, Field(ge=1, le=5)] = None
    published_at: AwareDatetime
    review_id: str | None = None


class TraceReadReviews(RequestBody):
    """Reviews of a place, to be read for what they complain about."""

    reviews: Annotated[list[ReviewRequest], Field(max_length=10_000)]
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
    request: Annotated[TraceReadReviews, Body(examples=[_REVIEWS])], here: Writing
) -> ReviewReading:
    """Return the complaints in reviews, as evidence for recommendations. The texts are not kept."""
    reviews = [Review(place_id=request.place, **given(one)) for one in request.reviews]
    return await here.memory.trace.read_reviews(reviews, space=here.space, **given(request, "reviews"))


class TraceSignalRun(RequestBody):
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
async def signal_run(request: TraceSignalRun, here: Writing) -> Noted:
    """Note a failed reading and return its id. For one that succeeded use `/trace/reviews`."""
    return Noted(id=await here.memory.trace.signal_run(None, space=here.space, **given(request)))
