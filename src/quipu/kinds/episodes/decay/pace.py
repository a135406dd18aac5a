"""Pace at which episodes fade, and the value of a use, as they are set."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from quipu.kernel.config import Settings
from quipu.kinds.episodes.decay.freshness import DECAY_PER_HOUR
from quipu.kinds.episodes.decay.salience import BOOST, USES_APART
from quipu.kinds.episodes.settings import EPISODE_BOOST, EPISODE_DECAY, USES_APART_MINUTES


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
