"""Where words do not decide: the category whose prototype sentences a sentence is nearest to.

The prototypes are ``prototypes.toml``; the limits were tuned with all-MiniLM-L6-v2 on the tuning sets
(docs/decisions/extraction.md). A model that spreads its cosines otherwise answers more or less often.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np

from quipu.kernel.embedding.model import Embedder, Vectors
from quipu.kinds.transcripts.extract.model import CATEGORIES, Category

NEAREST: Final = 2
"""How near a sentence is to a category is the mean of its cosines to so many of its prototypes."""

NEAR_ENOUGH: Final = 0.4
MARGIN: Final = 0.12
"""A category must be so much nearer than what lasts in no way."""

FEWEST_WORDS: Final = 4

_FILE: Final = Path(__file__).with_name("prototypes.toml")
_BATCH_TEXTS: Final = 256
_MOST_MODELS: Final = 4


@dataclass(frozen=True, slots=True, eq=False)
class Prototypes:
    """Vectors of the prototypes of one embedding model.

    ``rows``: (n, d). ``places``: of which category each is: index into ``CATEGORIES``;
    ``len(CATEGORIES)`` for what does not last.
    """

    rows: Vectors
    places: tuple[int, ...]

    def decide(self, vectors: Vectors) -> list[Category | None]:
        """The category of each of the vectors, shape (n, d); None for what does not seem to last."""
        if not len(vectors):
            return []
        cosines = vectors @ self.rows.T
        of = np.array(self.places)
        near = np.stack([_nearest(cosines[:, of == place]) for place in range(len(CATEGORIES) + 1)], axis=1)
        best = near[:, :-1].argmax(axis=1)
        height = near[:, :-1].max(axis=1)
        chosen = (height >= NEAR_ENOUGH) & (height - near[:, -1] >= MARGIN)
        return [CATEGORIES[place] if yes else None for place, yes in zip(best, chosen, strict=True)]


def _nearest(cosines: Vectors) -> Vectors:
    return np.sort(cosines, axis=1)[:, -NEAREST:].mean(axis=1)


_made: dict[str, Prototypes] = {}
"""By the digest of the embedder: its vectors never change, and cost half a second."""


async def prototypes(embedder: Embedder) -> Prototypes:
    """The prototypes as the embedder sees them. Raises ``EmbeddingError``."""
    known = _made.get(embedder.digest)
    if known is None:
        texts, places = _listed()
        known = Prototypes(await embed(embedder, texts), places)
        while len(_made) >= _MOST_MODELS:
            del _made[next(iter(_made))]
        _made[embedder.digest] = known
    return known


async def embed(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    """The vectors of the texts, shape (n, d), asked for in batches."""
    batches = [texts[start : start + _BATCH_TEXTS] for start in range(0, len(texts), _BATCH_TEXTS)]
    rows = [await embedder.embed(batch) for batch in batches]
    return np.concatenate(rows) if rows else np.empty((0, embedder.dimensions), np.float32)


@cache
def _listed() -> tuple[tuple[str, ...], tuple[int, ...]]:
    data: dict[str, list[str]] = tomllib.loads(_FILE.read_text("utf-8"))
    pairs = [(text, place) for place, name in enumerate((*CATEGORIES, "none")) for text in data[name]]
    return tuple(text for text, _ in pairs), tuple(place for _, place in pairs)
