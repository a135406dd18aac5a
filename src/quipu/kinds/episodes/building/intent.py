"""Intent of a person, by words and by nearness to prototypes. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, get_args

import numpy as np

from quipu.kernel.embedding.model import Vectors
from quipu.kinds.episodes import cueing
from quipu.kinds.episodes.building.sentences import asks
from quipu.kinds.episodes.shapes import Direction, Intent, IntentType

TYPES: Final[tuple[IntentType, ...]] = get_args(IntentType)
WORDS, MEANING = 1.0, 2.0
"""A cue in every sentence weighs as much as half of the nearness that there can be."""

OPEN: Final = 0.3
"""From this share of questions on, what is not decided is open."""


def intent(spoken: Sequence[str], nearness: Mapping[str, float]) -> Intent:
    """Return the intent of the sentences; ``nearness`` is the mean cosine to each type's prototypes."""
    if not spoken:
        return Intent(type="recreational", direction="open-ended")
    found = cueing.counts(spoken, section="intent")
    weights = {
        name: WORDS * found[name] / len(spoken) + MEANING * max(0.0, nearness.get(name, 0.0))
        for name in TYPES
    }
    return Intent(type=max(TYPES, key=lambda name: weights[name]), direction=direction(spoken))


def direction(spoken: Sequence[str]) -> Direction:
    """Return the direction: a decision wins, then a narrowed choice, then asking or making sense."""
    found = cueing.counts(spoken, section="direction")
    if found["decision-making"]:
        return "decision-making"
    if found["narrowing"] > max(1, len(spoken) // 5):
        return "narrowing"
    questions = sum(map(asks, spoken)) / max(1, len(spoken))
    return "sense-making" if found["sense-making"] and questions < OPEN else "open-ended"


def nearness(vectors: Vectors, prototypes: Vectors, names: Sequence[str]) -> dict[str, float]:
    """Return, for each name, the sentences' mean cosine to its nearest prototype, less that of all names.

    ``vectors``: shape (n, d) of the sentences; ``prototypes``: shape (m, d), of the names (m of them).
    """
    if not len(vectors):
        return {}
    cosines = vectors @ prototypes.T
    of = np.array(names)
    means = {name: float(cosines[:, of == name].max(axis=1).mean()) for name in dict.fromkeys(names)}
    usual = sum(means.values()) / len(means)
    return {name: value - usual for name, value in means.items()}
