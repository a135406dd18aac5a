"""Recommendations and their evidence: their derived routes, and keeping one."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Body
from pydantic import AwareDatetime, Field

from quipu.app.operations import OPERATIONS
from quipu.interfaces.rest.derived import derived
from quipu.interfaces.rest.door import Writing
from quipu.interfaces.rest.models import RequestBody, given
from quipu.kinds.ledger.evidence.model import (
    Confidence,
    Entity,
    EvidenceReference,
    EvidenceSource,
    Recommendation,
    SourceStatus,
)
from quipu.kinds.ledger.signals.model import Theme

router = derived("evidence", OPERATIONS)


class ReferenceRequest(RequestBody):
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


class EvidenceRecommend(RequestBody):
    """A recommendation that is made, with what it rests on."""

    action: Annotated[str, Field(description="The recommended action.")]
    session: str
    location: str
    time_window: str
    confidence: Confidence
    source: EvidenceSource
    evidence: Annotated[list[ReferenceRequest], Field(max_length=1000)] = Field(
        default_factory=list[ReferenceRequest]
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
    request: Annotated[EvidenceRecommend, Body(examples=[_EXAMPLE])], here: Writing
) -> Recommendation:
    """Keep a recommendation with its evidence; it comes back as sure as it may be, `limits` say why."""
    evidence = [EvidenceReference(**given(one)) for one in request.evidence]
    return await here.memory.evidence.recommend(
        space=here.space, evidence=evidence, **given(request, "evidence")
    )
