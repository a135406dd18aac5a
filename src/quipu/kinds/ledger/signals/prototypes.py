"""Themes by meaning, if words do not decide: those of the nearest prototype sentences.

The prototypes are ``prototypes.toml``. The three limits were tuned with all-MiniLM-L6-v2 on the tuning half
(docs/decisions/review-signals.md); a model that spreads its cosines otherwise answers more or less often.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np

from quipu.kernel.embedding.embedder import Embedder, Vectors
from quipu.kinds.ledger.signals.model import THEMES, Theme

NEAREST: Final = 2
"""How near a sentence is to a theme is the mean of its cosines to so many of the theme's prototypes."""

NEAR_ENOUGH: Final = 0.35
MARGIN: Final = 0.0
"""A theme must be so much nearer than what complains of nothing."""

TONE: Final = 0.04
"""A sentence must lean so far from the mean of what complains of nothing to the mean of what complains."""

_FILE: Final = Path(__file__).with_name("prototypes.toml")
_BATCH_TEXTS: Final = 256
_MOST_MODELS: Final = 4


@dataclass(frozen=True, slots=True, eq=False)
class Prototypes:
    """Vectors of the prototypes of one embedding model: ``rows`` (n, d), ``places`` which theme each is of.

    ``places``: index into ``THEMES``; ``len(THEMES)`` for what complains of nothing. ``tone``: (d,).
    """

    rows: Vectors
    places: tuple[int, ...]
    tone: Vectors

    def decide(self, vectors: Vectors) -> list[Theme | None]:
        """Return the theme of each vector, for vectors (n, d); None if it seems to complain of nothing."""
        if not len(vectors):
            return []
        cosines = vectors @ self.rows.T
        of = np.array(self.places)
        near = np.stack([_nearest(cosines[:, of == place]) for place in range(len(THEMES) + 1)], axis=1)
        best = near[:, :-1].argmax(axis=1)
        height = near[:, :-1].max(axis=1)
        chosen = (height >= NEAR_ENOUGH) & (height - near[:, -1] >= MARGIN) & (vectors @ self.tone >= TONE)
        return [THEMES[place] if yes else None for place, yes in zip(best, chosen, strict=True)]


def _nearest(cosines: Vectors) -> Vectors:
    return np.sort(cosines, axis=1)[:, -NEAREST:].mean(axis=1)


_made: dict[str, Prototypes] = {}
"""By the digest of the embedder: its vectors never change, and cost half a second."""


async def prototypes(embedder: Embedder) -> Prototypes:
    """Return the prototypes as the embedder sees them. Raises ``EmbeddingError``."""
    known = _made.get(embedder.digest)
    if known is None:
        texts, places = _listed()
        rows = await embed(embedder, texts)
        complains = np.array(places) < len(THEMES)
        tone = rows[complains].mean(axis=0) - rows[~complains].mean(axis=0)
        known = Prototypes(rows, places, tone)
        while len(_made) >= _MOST_MODELS:
            del _made[next(iter(_made))]
        _made[embedder.digest] = known
    return known


async def embed(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    """Embed the texts in batches; shape (n, d)."""
    batches = [texts[start : start + _BATCH_TEXTS] for start in range(0, len(texts), _BATCH_TEXTS)]
    rows = [await embedder.embed(batch) for batch in batches]
    return np.concatenate(rows) if rows else np.empty((0, embedder.dimensions), np.float32)


@cache
def _listed() -> tuple[tuple[str, ...], tuple[int, ...]]:
    data: dict[str, list[str]] = tomllib.loads(_FILE.read_text("utf-8"))
    pairs = [(text, place) for place, name in enumerate((*THEMES, "none")) for text in data[name]]
    return tuple(text for text, _ in pairs), tuple(place for _, place in pairs)
