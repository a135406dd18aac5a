"""Sentences that stand for a category, and to which category's a text is nearest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np

from quipu.kernel.embedding.embedder import Embedder, Vectors
from quipu.kernel.prose.lexicon import beside

NEAREST: Final = 2
"""How near a text is to a category is the mean of its cosines to so many of its prototypes."""

_BATCH_TEXTS: Final = 256
_MOST: Final = 24


@dataclass(frozen=True, slots=True, eq=False)
class Prototypes:
    """Vectors of prototypes of one embedding model.

    ``rows``: (n, d). ``places``: the category of each, counted from 0; the last, ``none``, is that of what
    belongs to no category.
    """

    rows: Vectors
    places: tuple[int, ...]

    @property
    def none(self) -> int:
        """The place of what belongs to no category."""
        return max(self.places)

    def decide(
        self, vectors: Vectors, *, near_enough: float, margin: float, settled: Sequence[bool] = ()
    ) -> list[int | None]:
        """Return the place of each vector's category, for vectors (n, d); None if it seems to have none.

        A category must be ``near_enough``, and by ``margin`` nearer than ``none``; vectors marked ``settled``
        need no margin, and be only half as near.
        """
        if not len(vectors):
            return []
        cosines = vectors @ self.rows.T
        of = np.array(self.places)
        near = np.stack([_nearest(cosines[:, of == place]) for place in range(self.none + 1)], axis=1)
        best = near[:, :-1].argmax(axis=1)
        height = near[:, :-1].max(axis=1)
        apart = height - near[:, -1] >= margin
        sure = (height >= near_enough) & apart
        if len(settled):
            sure |= np.array(settled, bool) & (height >= near_enough / 2)
        return [int(place) if yes else None for place, yes in zip(best, sure, strict=True)]


def _nearest(cosines: Vectors) -> Vectors:
    return np.sort(cosines, axis=1)[:, -NEAREST:].mean(axis=1)


@cache
def listed(module: str, names: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Return the sentences of ``prototypes.toml`` beside a module, and the place of each in ``names``.

    Those of ``none`` come last.
    """
    data: dict[str, list[str]] = beside(module, "prototypes")
    pairs = [(text, place) for place, name in enumerate((*names, "none")) for text in data[name]]
    return tuple(text for text, _ in pairs), tuple(place for _, place in pairs)


_made: dict[tuple[str, str], Prototypes] = {}
"""By their name and the digest of the embedder: its vectors never change, and cost half a second."""


async def prototypes(
    name: str, embedder: Embedder, texts: Sequence[str], places: Sequence[int]
) -> Prototypes:
    """Return the prototypes of that name as the embedder sees them, made once. Raises ``EmbeddingError``."""
    known = _made.get((name, embedder.digest))
    if known is None:
        known = Prototypes(await embed(embedder, texts), tuple(places))
        while len(_made) >= _MOST:
            del _made[next(iter(_made))]
        _made[name, embedder.digest] = known
    return known


async def embed(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    """Embed the texts in batches; shape (n, d). Raises ``EmbeddingError``."""
    batches = [texts[start : start + _BATCH_TEXTS] for start in range(0, len(texts), _BATCH_TEXTS)]
    rows = [await embedder.embed(batch) for batch in batches]
    return np.concatenate(rows) if rows else np.empty((0, embedder.dimensions), np.float32)
