"""What episodes tell."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from quipu.interfaces.rest.models import Told


class EpisodeTold(Told):
    """One episode.

    `salience`, `freshness` and `activation` are those of now, each 0 to 1; `base_salience` what it
    weighed when it was made. `happened_at` is when it ended: it fades from then, or from its last use.
    `intent`, `context`, `emotion` and `salience_factors` have the fields of seed 003. `emptied`: a
    message of it was forgotten and it is about to be written anew. `trouble`: why the language model
    that is configured did not write it.
    """

    id: str
    session: str | None
    user: str | None
    topic: str
    gist: str
    action: str
    outcome: str
    intent: dict[str, Any]
    context: dict[str, Any]
    emotion: dict[str, Any]
    salience_factors: dict[str, Any]
    open_loops: list[str]
    base_salience: float
    salience: float
    freshness: float
    activation: float
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


class PaceTold(Told):
    """How fast episodes fade.

    `boost`: how much of what is left to the ceiling a use takes; `uses_apart_minutes`: sooner is one use.
    """

    decay_per_hour: float
    boost: float
    uses_apart_minutes: float


class LifeTold(Told):
    """An episode from when it happened.

    `base`: its salience when it was made, 0 to 1. `uses`: how many counted in all; `recent`: the times
    of the latest of them, oldest first. `pace`: how fast it fades, as is set.
    """

    base: float
    happened_at: datetime
    uses: int
    recent: list[datetime]
    pace: PaceTold


class FadingStateTold(Told):
    """What an episode is at a moment; each 0 to 1."""

    salience: float
    freshness: float
    activation: float


class CurvePointTold(Told):
    """A place on the curve of an episode. `used`: just then. `forecast`: if nobody uses it."""

    at: datetime
    state: FadingStateTold
    used: bool
    forecast: bool


class EpisodeCurveTold(Told):
    """How an episode faded and was refreshed, and how it will fade unused: `points` in time order."""

    episode: EpisodeTold
    life: LifeTold
    now: datetime
    points: list[CurvePointTold]


class EpisodeMessageTold(Told):
    """A message that an episode is made of; `id` is the caller's."""

    id: str
    role: str
    speaker: str | None
    content: str
    happened_at: datetime


class EpisodeVersionTold(Told):
    """How an episode read until `replaced_at`; `said` has all of its fields."""

    version: int
    gist: str
    said: dict[str, Any]
    salience: float
    builder: str
    builder_version: int
    replaced_at: datetime


class FoundEpisodeTold(Told):
    """An episode that answers a question; `score` is that of recall, 0 to 1, the sum of `parts`.

    `half_remembered`: it matches only in part and has not been thought of for long.
    """

    episode: EpisodeTold
    score: float
    parts: dict[str, float]
    half_remembered: bool


class EpisodeStatsTold(Told):
    """How many episodes there are, and how they are on the average; `waiting` are exchanges without one."""

    episodes: int
    put_away: int
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


class CondensationTold(Told):
    """What came of condensing or rebuilding: ids of episodes that were made or written anew, and what failed.

    `left` are episodes that could not be rebuilt and read as before: nothing that they were made of is
    left, or the language model failed at them. `trouble` says why it failed, at the last of those.
    """

    builder: str
    version: int
    episodes: list[str]
    left: list[str]
    trouble: str | None
