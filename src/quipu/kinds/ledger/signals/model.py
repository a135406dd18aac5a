"""Reviews, the themes they complain about, and what was found: plain values."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Literal, TypeAlias

Theme: TypeAlias = Literal[
    "wait_time", "service_speed", "host_queue", "kitchen_delay", "food_quality", "value", "other"
]
Status: TypeAlias = Literal["ok", "stale"]

THEMES: Final[tuple[Theme, ...]] = (
    "wait_time",
    "service_speed",
    "host_queue",
    "kitchen_delay",
    "food_quality",
    "value",
    "other",
)
"""The closed set of the seed (section 2, ``chat_recommendation_evidence.theme``), in its order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """One review as its source gave it. ``rating``: 1 to 5 or not given. ``published_at``: with a zone."""

    text: str
    rating: float | None
    published_at: datetime
    place_id: str
    review_id: str | None = None

    @property
    def id_hash(self) -> str:
        """16 hexadecimal digits of SHA-256 over the source's id, or over place, text and time without one.

        The recipe of the seed's origin; the time is written in UTC.
        """
        published = self.published_at.astimezone(UTC).isoformat().replace("+00:00", "Z")
        name = self.review_id or f"{self.place_id}:{self.text}:{published}"
        return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:16]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewEvidence:
    """Evidence of one theme in one review; the review's body is not in it.

    ``excerpt``: at most 160 characters, between words, always less than the review's whole text.
    ``weight``: 0.001 to 1, see ``weight.evidence_weight``.
    """

    theme: Theme
    place_id: str
    review_id_hash: str
    published_at: datetime
    rating: float | None
    excerpt: str
    weight: float


@dataclass(frozen=True, slots=True)
class ThemeScore:
    """``count``: how many reviews complain of the theme. ``weight``: the sum of their evidence weights."""

    count: int
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewSignals:
    """Complaints in the reviews of a time window.

    ``scores``: all seven themes. ``themes_detected``: those with evidence, heaviest first.
    ``dominant_theme``: never ``other``; None if no theme stands out (see ``extract``). ``evidence``: heaviest
    first, then newest. ``sample_count``: different reviews in the window. ``status``: ``stale`` if there are
    reviews and all are older than the window, else ``ok``. ``latency_ms``: the time of the extraction by the
    given clock, rounded up.
    """

    scores: Mapping[Theme, ThemeScore]
    dominant_theme: Theme | None
    themes_detected: tuple[Theme, ...]
    evidence: tuple[ReviewEvidence, ...]
    sample_count: int
    evidence_count: int
    window_days: int
    status: Status
    latency_ms: int

    def scores_json(self) -> dict[str, dict[str, float]]:
        """Return the scores as the seed's ``signal_scores_json`` holds them, in the themes' order."""
        return {theme: {"count": s.count, "weight": s.weight} for theme, s in self.scores.items()}
