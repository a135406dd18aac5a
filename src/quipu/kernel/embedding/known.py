"""Vectors of texts that were embedded before, by the SHA-256 of each text."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Final

import numpy as np
from numpy.typing import NDArray

from quipu.kernel.embedding.embedder import Embedder, Vector, Vectors

_DIGEST: Final = "S32"


def digest_of(text: str) -> bytes:
    """Return the name of a text, its SHA-256: 32 bytes."""
    return sha256(text.encode("utf-8", "surrogatepass")).digest()


class KnownVectors:
    """Vectors of one model by their texts. ``digest`` is that of the model."""

    def __init__(self, digest: str, names: Sequence[bytes], rows: NDArray[np.float16]) -> None:
        """Take the names of texts and, in the same order, their vectors, which may lie on disk."""
        self.digest = digest
        given = np.array(names, dtype=_DIGEST)
        self._order = np.argsort(given, kind="stable")
        self._names = given[self._order]
        self._rows = rows

    async def embed(self, embedder: Embedder, texts: Sequence[str]) -> Vectors:
        """Return the vectors of passages: those that are known, and of the other texts those of the model."""
        vectors = self._find(texts) if embedder.digest == self.digest else dict[int, Vector]()
        others = [place for place in range(len(texts)) if place not in vectors]
        if others:
            made = await embedder.embed([texts[place] for place in others])
            vectors.update(zip(others, made, strict=True))
        return np.stack([vectors[place] for place in range(len(texts))])

    def _find(self, texts: Sequence[str]) -> dict[int, Vector]:
        """Return vectors by the place of their text."""
        names = np.array([digest_of(text) for text in texts], dtype=_DIGEST)
        places = np.searchsorted(self._names, names)
        return {
            number: self._rows[self._order[place]].astype(np.float32)
            for number, place in enumerate(places)
            if place < len(self._names) and self._names[place] == names[number]
        }
