"""The interface of every embedder, and what all of them do to texts and vectors. It costs numpy alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Vectors: TypeAlias = NDArray[np.float32]
_CHARACTERS_PER_TOKEN = 8
"""More than any language has on average (English 4.5), so that the cut rarely costs a token."""


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into vectors that lie near each other when the texts mean nearly the same."""

    @property
    def name(self) -> str:
        """The name under which settings choose it, e.g. ``all-MiniLM-L6-v2``."""
        ...

    @property
    def digest(self) -> str:
        """Identifies weights and recipe: vectors of different digests must not be compared."""
        ...

    @property
    def dimensions(self) -> int:
        """The length of every vector."""
        ...

    @property
    def max_tokens(self) -> int:
        """Number of tokens of a text that are read: what lies beyond does not change its vector."""
        ...

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of the texts: shape (n, dimensions), float32, in their order.

        Rows have unit length, so their inner product is their cosine. A text in which the model knows
        no word at all (empty, blank, emoji only) has the zero vector, which means "no direction": its inner
        product with everything is 0. Compare by inner product: a cosine distance to it is not a number.
        A text's vector never depends on its neighbours. Raises ``EmbeddingError``.
        """
        ...

    async def aclose(self) -> None:
        """Give back threads, connections and weights; calling it again does nothing."""
        ...


def unit(rows: Vectors) -> Vectors:
    """Return the rows scaled to length 1; rows of length 0 (or without a finite length) become zero."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    usable = np.isfinite(lengths) & (lengths > 1e-12)
    return np.where(usable, rows / np.where(usable, lengths, 1), 0).astype(np.float32)


def prepare(text: str, *, max_tokens: int) -> str:
    """Return the beginning of the text with single spaces, without characters that UTF-8 cannot carry.

    At most 8 characters a token of what the model reads; a run of white space counts once.
    """
    most = max_tokens * _CHARACTERS_PER_TOKEN
    start = text if len(text) <= most else text.lstrip()[: 2 * most]
    clean = start.encode("utf-8", "ignore").decode("utf-8")
    return " ".join(clean.split())[:most]
