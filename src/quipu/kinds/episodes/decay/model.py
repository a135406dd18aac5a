"""An episode as it is now, what it was made of, and how it read before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal
from uuid import UUID

from quipu.kinds.episodes.decay.life import CurvePoint, EpisodeLife

Order = Literal["recent", "salience", "freshness", "activation"]
ORDERS: Final[tuple[Order, ...]] = ("recent", "salience", "freshness", "activation")


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeFields:
    """Fields of an episode that are stored as they are shown; see ``Episode``."""

    id: str | UUID
    session: str | None
    user: str | None
    topic: str
    gist: str
    action: str
    outcome: str
    intent: Mapping[str, Any]
    context: Mapping[str, Any]
    emotion: Mapping[str, Any]
    salience_factors: Mapping[str, Any]
    open_loops: Sequence[str]
    base_salience: float
    started_at: datetime
    happened_at: datetime
    created_at: datetime
    updated_at: datetime
    deleted_at: datetime | None
    used_at: datetime | None
    uses: int
    messages: int
    builder: str
    builder_version: int
    trouble: str | None
    version: int
    emptied: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode(EpisodeFields):
    """One episode.

    ``salience``, ``freshness`` and ``activation`` are those of now, each 0 to 1; ``base_salience`` what it
    weighed when it was made. ``happened_at`` is when it ended: it fades from then, or from its last use.
    ``intent``, ``context``, ``emotion`` and ``salience_factors`` have the fields of seed 003. ``emptied``: a
    message of it was forgotten and it is about to be rewritten. ``trouble``: why the language model
    that is configured did not write it.
    """

    id: str
    salience: float
    freshness: float
    activation: float


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeMessage:
    """A message that an episode is made of; ``id`` is the caller's."""

    id: str
    role: str
    speaker: str | None
    content: str
    happened_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeVersion:
    """Text of an episode until ``replaced_at``; ``said`` has all of its fields."""

    version: int
    gist: str
    said: Mapping[str, Any]
    salience: float
    builder: str
    builder_version: int
    replaced_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundEpisode:
    """An episode that answers a question; ``score`` is that of recall, 0 to 1, the sum of ``parts``.

    ``half_remembered``: it matches only in part and has not been thought of for long.
    """

    episode: Episode
    score: float
    parts: Mapping[str, float]
    half_remembered: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeCurve:
    """Curve of an episode: how it faded and was refreshed, and will fade unused; ``points`` in time order."""

    episode: Episode
    life: EpisodeLife
    now: datetime
    points: Sequence[CurvePoint]


@dataclass(frozen=True, slots=True, kw_only=True)
class Condensation:
    """Outcome of condensing or rebuilding: ids of episodes made or rewritten, and what failed.

    ``left`` are episodes that could not be rebuilt and read as before: none of their sources is left, or the
    language model failed at them. ``trouble`` is the reason of the last failure.
    """

    builder: str
    version: int
    episodes: Sequence[str] = ()
    left: Sequence[str] = ()
    trouble: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeStats:
    """Number of episodes, and their averages; ``waiting`` are exchanges without one."""

    episodes: int
    archived: int
    emptied: int
    troubled: int
    unresolved: int
    uses: int
    exchanges: int
    waiting: int
    salience: float
    freshness: float
    first_at: datetime | None
    last_at: datetime | None
