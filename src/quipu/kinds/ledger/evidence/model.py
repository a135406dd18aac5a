"""Recommendations and their evidence: plain values, in the words of the tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal, TypeAlias, get_args

from quipu.kinds.ledger.signals.model import ReviewSignals, Theme

Confidence: TypeAlias = Literal["low", "medium", "high"]
EvidenceSource: TypeAlias = Literal["weather", "events", "closures", "doe", "reviews", "system"]
Entity: TypeAlias = Literal["own_location", "competitor", "system"]
SourceStatus: TypeAlias = Literal["ok", "error", "timeout", "stale"]
ToolSource: TypeAlias = Literal["geocode", "weather", "events", "closures", "doe", "reviews", "memory"]
FetchedSource: TypeAlias = Literal["weather", "events", "closures", "doe", "reviews"]
RunStatus: TypeAlias = Literal["ok", "error", "partial"]
CheckStatus: TypeAlias = Literal["resolved", "not_found", "ambiguous", "error"]
ReviewedEntity: TypeAlias = Literal["own_location", "competitor"]
FallbackKind: TypeAlias = Literal["partial_data", "all_sources_down", "timeout", "validation"]

CONFIDENCES: Final[tuple[Confidence, ...]] = get_args(Confidence)
EVIDENCE_SOURCES: Final[tuple[EvidenceSource, ...]] = get_args(EvidenceSource)
ENTITIES: Final[tuple[Entity, ...]] = get_args(Entity)
SOURCE_STATUSES: Final[tuple[SourceStatus, ...]] = get_args(SourceStatus)
TOOL_SOURCES: Final[tuple[ToolSource, ...]] = get_args(ToolSource)
FETCHED_SOURCES: Final[tuple[FetchedSource, ...]] = get_args(FetchedSource)
RUN_STATUSES: Final[tuple[RunStatus, ...]] = get_args(RunStatus)
CHECK_STATUSES: Final[tuple[CheckStatus, ...]] = get_args(CheckStatus)
REVIEWED_ENTITIES: Final[tuple[ReviewedEntity, ...]] = get_args(ReviewedEntity)
FALLBACK_KINDS: Final[tuple[FallbackKind, ...]] = get_args(FallbackKind)

MOST_PIECES: Final = 10
"""Pieces of evidence that a recommendation keeps: their ranks are 1 to 10."""

LONGEST_EXCERPT: Final = 160


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceReference:
    """One piece of evidence to be kept with a recommendation: where to look, never the whole of a review.

    ``excerpt`` is cut to 160 characters. ``weight``: 0 to 999.999; the heavier is ranked before the lighter.
    A reference to a review needs ``place_id`` and ``published_at``, which is aware; ``rating`` is 0 to 5.
    """

    theme: Theme = "other"
    source: EvidenceSource = "reviews"
    entity: Entity = "own_location"
    place_id: str | None = None
    review_id_hash: str | None = None
    published_at: datetime | None = None
    rating: float | None = None
    excerpt: str | None = None
    weight: float | None = None
    meta: Mapping[str, object] = field(default_factory=dict[str, object])


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidencePiece:
    """One piece of evidence as it is kept; ``rank`` 1 is the first to show."""

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
    meta: Mapping[str, object]

    def __str__(self) -> str:
        """Return ``2026-02-11, 2.0 stars, wait_time: "We waited…"``, with the parts that are known."""
        parts = (
            f"{self.published_at:%Y-%m-%d}" if self.published_at else None,
            f"{self.rating:.1f} stars" if self.rating is not None else None,
            self.theme,
        )
        head = ", ".join(part for part in parts if part)
        return f'{head}: "{self.excerpt}"' if self.excerpt else head


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownEvidence:
    """The answer to "show me the reviews", best first; ``themes`` counts what there is to ask for.

    ``theme`` is the one that was asked for, None for all. ``themes`` is counted over everything that was
    asked about (a recommendation, a session, a place), whatever the theme; the most frequent comes first.
    """

    pieces: tuple[EvidencePiece, ...]
    themes: Mapping[Theme, int]
    theme: Theme | None = None

    def __str__(self) -> str:
        """Return the answer in words, one line for each piece."""
        if self.pieces:
            return "\n".join(str(piece) for piece in self.pieces)
        missing = f"There is no evidence of {self.theme}" if self.theme else "There is no evidence"
        others = ", ".join(f"{theme} ({count})" for theme, count in self.themes.items())
        return f"{missing}; there is of {others}." if others else f"{missing}."


@dataclass(frozen=True, slots=True, kw_only=True)
class ThemeCount:
    """Number of pieces of evidence that show a theme."""

    theme: Theme
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidenceLimit:
    """Limit of confidence: ``most`` is what was left, ``because`` gives the reason in a sentence."""

    most: Confidence
    because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommendation:
    """A recommendation as it is kept.

    ``confidence`` is what ``asked_confidence`` became under ``limits``. ``review_backed``, ``evidence_count``
    and ``recency_window_days`` are counted from the evidence: the last is the fewest days before
    ``created_at`` that hold all its reviews, None without any. ``evidence_left_out``: pieces beyond the ten
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
    limits: tuple[ConfidenceLimit, ...]
    source: EvidenceSource
    freshness_seconds: int | None
    rule_version: str
    impact_score: float | None
    review_backed: bool
    evidence_count: int
    evidence_left_out: int
    recency_window_days: int | None
    explanation: Mapping[str, object]
    meta: Mapping[str, object]
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewReading:
    """A reading of reviews as it is kept, and the evidence that it gave, fit for a recommendation."""

    run_id: int
    signals: ReviewSignals
    evidence: tuple[EvidenceReference, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CompetitorCheck:
    """A look-up of a competitor as it is kept; ``has_reviews``: its reviews were read and gave evidence."""

    id: int
    turn: int
    query: str
    status: CheckStatus
    place: str | None
    name: str | None
    latency_ms: int | None
    created_at: datetime
    has_reviews: bool

    @property
    def outcome(self) -> str:
        """Outcome to tell: as ``status``, but resolved_with_reviews apart from resolved_no_recent_reviews."""
        if self.status != "resolved":
            return self.status
        return "resolved_with_reviews" if self.has_reviews else "resolved_no_recent_reviews"
