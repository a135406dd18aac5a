"""Themes by meaning, if words do not decide: those of the nearest prototype sentences.

The prototypes are ``prototypes.toml``. The three limits were tuned with all-MiniLM-L6-v2 on the tuning half
(docs/decisions/review-signals.md); a model that spreads its cosines otherwise answers more or less often.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from quipu.kernel.embedding import prototypes as kernel
from quipu.kernel.embedding.embedder import Embedder, Vectors
from quipu.kernel.embedding.prototypes import Prototypes, listed
from quipu.kinds.ledger.signals.model import THEMES, Theme

NEAR_ENOUGH: Final = 0.35
MARGIN: Final = 0.0
"""A theme must be so much nearer than what complains of nothing."""

TONE: Final = 0.04
"""A sentence must lean so far from the mean of what complains of nothing to the mean of what complains."""


async def prototypes(embedder: Embedder) -> Prototypes:
    """Return the prototypes as the embedder sees them, made once. Raises ``EmbeddingError``."""
    return await kernel.prototypes("ledger", embedder, *listed(__file__, THEMES))


def decide(known: Prototypes, vectors: Vectors) -> list[Theme | None]:
    """Return the theme of each vector, for vectors (n, d); None if it seems to complain of nothing."""
    complains = np.array(known.places) < known.none
    tone = known.rows[complains].mean(axis=0) - known.rows[~complains].mean(axis=0)
    places = known.decide(vectors, near_enough=NEAR_ENOUGH, margin=MARGIN)
    leans = vectors @ tone >= TONE
    return [THEMES[p] if p is not None and yes else None for p, yes in zip(places, leans, strict=True)]
