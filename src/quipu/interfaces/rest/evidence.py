"""Recommendations, and the evidence that they rest on."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Body, Query
from pydantic import AwareDatetime, Field

from quipu.interfaces.rest.asking import Number, OfSession, given
from quipu.interfaces.rest.door import Reading, Writing, refused, room
from quipu.interfaces.rest.models import Asked
from quipu.interfaces.rest.pages import Numbered, Page, Paging
from quipu.interfaces.rest.told.evidence import RecommendationTold, ShownEvidenceTold
from quipu.kinds.ledger.evidence.model import Confidence, Entity, EvidenceSource, Reference, SourceStatus
from quipu.kinds.ledger.signals.model import Theme

router = room("evidence")

_GONE = refused(_404="There is no such recommendation.")
_Theme = Annotated[Theme | None, Query(description="Only what shows this theme.", examples=["wait_time"])]
_Pieces = Annotated[int, Query(ge=1, le=100, description="Pieces at most.")]


class ReferenceAsked(Asked):
    """One piece of evidence: where to look, never the whole of a review."""

    theme: Theme = "other"
    source: EvidenceSource = "reviews"
    entity: Entity = "own_location"
    place_id: str | None = None
    review_id_hash: str | None = None
    published_at: AwareDatetime | None = None
    rating: Annotated[float | None, Field(ge=0, le=5)] = None
    excerpt: str | None = None
    weight: Annotated[float | None, Field(ge=0)] = None
    meta: dict[str, Any] = Field(default_factory=dict)


class Recommended(Asked):
    """A recommendation that is made, with what it rests on."""

    action: Annotated[str, Field(description="What is recommended.")]
    session: str
    location: str
    time_window: str
    confidence: Confidence
    source: EvidenceSource
    evidence: Annotated[list[ReferenceAsked], Field(max_length=1000)] = Field(
        default_factory=list[ReferenceAsked]
    )
    source_status: SourceStatus | None = None
    freshness_seconds: int | None = None
    rule_version: str = "unknown"
    impact_score: float | None = None
    explanation: dict[str, Any] | None = None
    meta: dict[str, Any] | None = None
    message: Annotated[str | None, Field(description="The id of the message that says it.")] = None
    turn: int | None = None


_EXAMPLE = {
    "action": "Put one more person at the door on Friday.",
    "session": "s1",
    "location": "oslo",
    "time_window": "Friday 18-21",
    "confidence": "high",
    "source": "reviews",
    "evidence": [
        {"theme": "wait_time", "place_id": "oslo", "published_at": "2026-05-01T19:00:00Z", "weight": 0.8}
    ],
}


@router.post("/recommendations", status_code=201, summary="Keep a recommendation")
async def recommend(
    asked: Annotated[Recommended, Body(examples=[_EXAMPLE])], here: Writing
) -> RecommendationTold:
    """With its evidence; you get it back as surely as it may be said, and `limits` say why."""
    evidence = [Reference(**given(one)) for one in asked.evidence]
    kept = await here.memory.ledger.recommend(space=here.space, evidence=evidence, **given(asked, "evidence"))
    return RecommendationTold.model_validate(kept)


@router.get("/recommendations", summary="Recommendations, the latest first")
async def recommendations(here: Reading, page: Paging, session: OfSession = None) -> Page[RecommendationTold]:
    """Of a session, or of the whole space."""
    after = page.after("recommendations", Numbered)
    found = await here.memory.ledger.recommendations(
        space=here.space, session=session, limit=page.limit + 1, before=None if after is None else after.id
    )
    told = [RecommendationTold.model_validate(one) for one in found]
    return page.of("recommendations", told, lambda last: Numbered(id=last.id))


@router.get("/recommendations/{number}", summary="A recommendation", responses=_GONE)
async def recommendation(number: Number, here: Reading) -> RecommendationTold:
    """As it was kept."""
    return RecommendationTold.model_validate(
        await here.memory.ledger.recommendation(number, space=here.space)
    )


@router.get("/recommendations/{number}/evidence", summary="What a recommendation rests on", responses=_GONE)
async def evidence_of_one(
    number: Number, here: Reading, theme: _Theme = None, limit: _Pieces = 10
) -> ShownEvidenceTold:
    """In the order of its ranks: "show me the reviews"."""
    found = await here.memory.ledger.evidence(number, space=here.space, theme=theme, limit=limit)
    return ShownEvidenceTold.model_validate(found)


@router.get("", summary="Evidence of a theme")
async def evidence_of(
    here: Reading,
    theme: _Theme = None,
    session: OfSession = None,
    place: Annotated[str | None, Query(description="Only of this place.", examples=["oslo"])] = None,
    limit: _Pieces = 10,
) -> ShownEvidenceTold:
    """In a session, of a place, or in the whole space; the newest first."""
    found = await here.memory.ledger.evidence_of(
        theme, space=here.space, session=session, place=place, limit=limit
    )
    return ShownEvidenceTold.model_validate(found)
