"""Vectors from hashed words: deterministic, instant, without a model. For tests and for speed runs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b

import numpy as np

from quipu.kernel.embedding.embedder import Vectors, unit
from quipu.kernel.embedding.prefixes import Role

_WORD = re.compile(r"\w+")
_RECIPE = 1


class HashEmbedder:
    """Texts that share words get near vectors; it knows nothing of what words mean.

    A text's vector is the sum of one fixed random direction per distinct lower-cased word among the first
    ``max_tokens``, the same on every machine. A text without a word has the zero vector.
    """

    def __init__(self, *, dimensions: int = 384, max_tokens: int = 256) -> None:
        self.name = "hashing"
        self.dimensions = dimensions
        self.max_tokens = max_tokens
        self.digest = f"hashing-{_RECIPE}-{dimensions}-{max_tokens}"

    async def embed(self, texts: Sequence[str], *, role: Role = "passage") -> Vectors:  # noqa: ARG002
        """Return the vectors of the texts, in their order: shape (n, dimensions). Any role is the same."""
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in zip(rows, texts, strict=True):
            row[:] = self.embed_now(text)
        return rows

    def embed_now(self, text: str) -> Vectors:
        """Return the vector of one text: shape (dimensions,)."""
        words = dict.fromkeys(self._words(text))
        total = np.zeros((1, self.dimensions), np.float32)
        for word in words:
            total[0] += _direction(word, self.dimensions)
        return unit(total)[0]

    async def aclose(self) -> None:
        """Do nothing: there is nothing to release."""

    def _words(self, text: str) -> list[str]:
        matches = _WORD.finditer(text[: 16 * self.max_tokens])
        return [match.group().lower() for match, _ in zip(matches, range(self.max_tokens), strict=False)]


@lru_cache(maxsize=65_536)
def _direction(word: str, dimensions: int) -> Vectors:
    """Return the fixed direction of a word: bits of its hash, read as -1 and +1."""
    size = -(-dimensions // 8)
    blocks = -(-size // 64)
    data = word.encode("utf-8", "surrogatepass")
    bits = b"".join(
        blake2b(data, digest_size=64, salt=block.to_bytes(2, "big")).digest() for block in range(blocks)
    )
    signs = np.unpackbits(np.frombuffer(bits[:size], np.uint8))[:dimensions]
    return signs.astype(np.float32) * 2 - 1
