"""Extra weights of an episode that answers a question: its state, and its subject. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from quipu.kinds.episodes import cues
from quipu.kinds.episodes.decay.life import EpisodeLife, state

# On the scale of recall, where all signals together are 1 (docs/decisions/episodes.md has the measurements).
ACTIVATION, FRESHNESS, TOPIC, INTENT, HALF = 0.03, 0.02, 0.02, 0.01, -0.02

KNOWN: Final = 0.5
"""With a smaller share of the question's words it is remembered in part, unless it is as active as that."""

HALF_REMEMBERED: Final = "half_remembered"


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """Subject of an episode: its topic's terms, its intent, and the terms that it is filed under."""

    topic: Collection[int]
    intent: str
    terms: Collection[int]


def intents(question: str) -> frozenset[str]:
    """Return the intents in the words of a question: planning in "what did we plan?", for example."""
    return frozenset(name for name, count in cues.counts([question], section="intent").items() if count)


def weigh(
    life: EpisodeLife,
    about: About,
    *,
    terms: Mapping[str, tuple[int, ...]],
    intents: Collection[str],
    now: datetime,
) -> dict[str, float]:
    """Return the parts of the score by name; those that add nothing are left out.

    ``terms`` are the words of the question, each with the hashes that it may be filed under.
    """
    living = state(life, now)
    wanted = {one for hashes in terms.values() for one in hashes}
    parts = {
        "activation": ACTIVATION * living.activation,
        "freshness": FRESHNESS * living.freshness,
        "topic": TOPIC * _share(about.topic, wanted),
        "intent": INTENT * (about.intent in intents),
        HALF_REMEMBERED: HALF * is_half(about.terms, terms=terms, activation=living.activation),
    }
    return {name: round(value, 6) for name, value in parts.items() if abs(value) >= 5e-7}


def is_half(held: Collection[int], *, terms: Mapping[str, tuple[int, ...]], activation: float) -> bool:
    """Return True if it matches in part only: it has under half of the words, and does not come to mind."""
    if not terms or activation >= KNOWN:
        return False
    return sum(any(one in held for one in hashes) for hashes in terms.values()) < KNOWN * len(terms)


def _share(topic: Collection[int], wanted: Collection[int]) -> float:
    return sum(one in wanted for one in topic) / len(topic) if topic else 0.0
