"""History of an episode, the pace at which it fades, and its state at a moment. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Final

from quipu.kernel.config import Settings
from quipu.kinds.episodes.decay.formulas import (
    BOOST,
    DECAY_PER_HOUR,
    KEPT,
    USES_APART,
    activation,
    freshness,
    hours,
    raised,
)
from quipu.kinds.episodes.settings import EPISODE_BOOST, EPISODE_DECAY, USES_APART_MINUTES

_LAST: Final = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)
"""A curve goes no further: there are no later dates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """``boost``: how much of what is left to the ceiling a use takes; ``uses_apart_minutes``: sooner
    is one use.
    """

    decay_per_hour: float = DECAY_PER_HOUR
    boost: float = BOOST
    uses_apart_minutes: float = USES_APART / timedelta(minutes=1)


USUAL: Final = Pace()


def pace(settings: Settings) -> Pace:
    """Return the pace that is set."""
    return Pace(
        decay_per_hour=settings.of(EPISODE_DECAY),
        boost=settings.of(EPISODE_BOOST),
        uses_apart_minutes=settings.of(USES_APART_MINUTES),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeLife:
    """An episode from when it happened.

    ``base``: its salience when it was made, 0 to 1. ``uses``: how many counted in all; ``recent``: the times
    of the latest of them, oldest first. ``pace``: how fast it fades, as is set.
    """

    base: float
    happened_at: datetime
    uses: int = 0
    recent: Sequence[datetime] = ()
    pace: Pace = USUAL


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeState:
    """State of an episode at a moment; each value is 0 to 1."""

    salience: float
    freshness: float
    activation: float


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """A place on the curve of an episode. ``used``: just then. ``forecast``: if nobody uses it."""

    at: datetime
    state: EpisodeState
    used: bool = False
    forecast: bool = False


def state(life: EpisodeLife, now: datetime) -> EpisodeState:
    """Return salience, freshness and activation at a moment. They are never stored and built upon."""
    weight = raised(life.base, life.uses, boost=life.pace.boost)
    last = max([life.happened_at, *life.recent])
    first = hours(life.happened_at, now)
    known = [hours(at, now) for at in life.recent]
    older = life.uses - len(known)
    return EpisodeState(
        salience=weight,
        freshness=freshness(weight, hours=hours(last, now), decay_per_hour=life.pace.decay_per_hour),
        # That it happened is its first access. Where some are known no more, it is counted among these.
        activation=activation(
            [*known, *([] if older else [first])], older=older + bool(older), life_hours=first
        ),
    )


def as_of(life: EpisodeLife, moment: datetime) -> EpisodeLife:
    """Return the life up to a moment.

    Uses whose times are no longer kept count as evenly spread before the first that is, as in ``activation``.
    """
    known = [at for at in life.recent if at <= moment]
    uses = life.uses - len(life.recent) + len(known)
    if uses and not known:
        before, parts = min(life.recent) - life.happened_at, uses + 1
        uses = max(0, min(uses, int((moment - life.happened_at) / before * parts))) if before else 0
        known = [life.happened_at + before * (place / parts) for place in range(1, uses + 1)[-KEPT:]]
    return replace(life, uses=uses, recent=known)


def curve(
    life: EpisodeLife, now: datetime, *, points: int = 60, ahead: timedelta | None = None
) -> list[CurvePoint]:
    """Return the points at which an episode faded and was refreshed, and will fade unused, oldest first.

    There are ``points`` moments at equal distances, and one just before and one at each use. ``ahead`` is how
    far to look; without it as far as there is behind, but one to sixty days.
    """
    past = max(now - life.happened_at, timedelta(hours=1))
    ahead = min(max(past, timedelta(days=1)), timedelta(days=60)) if ahead is None else ahead
    step = min(past + ahead, max(_LAST - life.happened_at, timedelta())) / max(1, points - 1)
    moments = {life.happened_at + place * step: False for place in range(points)}
    for at in life.recent:
        since = max(at - life.happened_at, timedelta())
        moments |= {max(life.happened_at, at - min(timedelta(minutes=1), since)): False, at: True}
    moments.setdefault(now, False)
    return [
        CurvePoint(at, state(as_of(life, at), at), used, at > now) for at, used in sorted(moments.items())
    ]
