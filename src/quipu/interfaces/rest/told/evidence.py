"""What evidence and traces tell."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from quipu.interfaces.rest.models import Told
from quipu.kinds.ledger.evidence.model import Confidence, Entity, EvidenceSource
from quipu.kinds.ledger.signals.model import Status, Theme


class ConfidenceLimitTold(Told):
    """Why confidence could not be higher: `most` is what was left, `because` says why in a sentence."""

    most: Confidence
    because: str


class RecommendationTold(Told):
    """A recommendation as it is kept.

    `confidence` is what `asked_confidence` became under `limits`. `review_backed`, `evidence_count`
    and `recency_window_days` are counted from the evidence: the last is the fewest days before
    `created_at` that hold all its reviews, null without any. `evidence_left_out`: pieces beyond the ten
    that are kept.
    """

    id: int
    session: str
    turn: int
    location: str
    action: str
    time_window: str
    confidence: Confidence
    asked_confidence: Confidence
    limits: list[ConfidenceLimitTold]
    source: EvidenceSource
    freshness_seconds: int | None
    rule_version: str
    impact_score: float | None
    review_backed: bool
    evidence_count: int
    evidence_left_out: int
    recency_window_days: int | None
    explanation: dict[str, Any]
    meta: dict[str, Any]
    created_at: datetime


class EvidencePieceTold(Told):
    """One piece of evidence as it is kept; `rank` 1 is the first to show."""

    id: int
    recommendation_id: int
    rank: int
    weight: float | None
    theme: Theme
    source: EvidenceSource
    entity: Entity
    place_id: str | None
    review_id_hash: str | None
    published_at: datetime | None
    rating: float | None
    excerpt: str | None
    meta: dict[str, Any]


class ShownEvidenceTold(Told):
    """The answer to "show me the reviews", best first; `themes` counts what there is to ask for.

    `theme` is the one that was asked for, null for all. `themes` is counted over everything that was
    asked about (a recommendation, a session, a place), whatever the theme; the most frequent comes first.
    """

    pieces: list[EvidencePieceTold]
    themes: dict[Theme, int]
    theme: Theme | None


class ThemeScoreTold(Told):
    """`count`: how many reviews complain of the theme. `weight`: the sum of their evidence weights."""

    count: int
    weight: float


class ReviewEvidenceTold(Told):
    """What one review says about one theme; the review's body is not in it.

    `excerpt`: at most 160 characters, between words, always less than the review's whole text.
    `weight`: 0.001 to 1, see `weight.evidence_weight`.
    """

    theme: Theme
    place_id: str
    review_id_hash: str
    published_at: datetime
    rating: float | None
    excerpt: str
    weight: float


class ReviewSignalsTold(Told):
    """What the reviews of a time window complain about.

    `scores`: all seven themes. `themes_detected`: those with evidence, the heaviest first.
    `dominant_theme`: never `other`; null when no theme stands out (see `extract`).
    `evidence`: the heaviest first, then the newest. `sample_count`: different reviews in the window.
    `status`: `stale` when there are reviews and all are older than the window, else `ok`.
    `latency_ms`: what the extraction took by the clock it was given, rounded up.
    """

    scores: dict[Theme, ThemeScoreTold]
    dominant_theme: Theme | None
    themes_detected: list[Theme]
    evidence: list[ReviewEvidenceTold]
    sample_count: int
    evidence_count: int
    window_days: int
    status: Status
    latency_ms: int


class EvidenceReferenceTold(Told):
    """One piece of evidence to be kept with a recommendation: where to look, never the whole of a review.

    `excerpt` is cut to 160 characters. `weight`: 0 to 999.999; the heavier is ranked before the lighter.
    A reference to a review needs `place_id` and `published_at`, which is aware; `rating` is 0 to 5.
    """

    theme: Theme
    source: EvidenceSource
    entity: Entity
    place_id: str | None
    review_id_hash: str | None
    published_at: datetime | None
    rating: float | None
    excerpt: str | None
    weight: float | None
    meta: dict[str, Any]


class ReviewReadingTold(Told):
    """A reading of reviews as it is kept, and the evidence that it gave, fit for a recommendation."""

    run_id: int
    signals: ReviewSignalsTold
    evidence: list[EvidenceReferenceTold]
