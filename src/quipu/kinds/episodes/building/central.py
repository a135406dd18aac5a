"""The sentences in which most of a conversation lies. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from quipu.kernel.embedding.model import Vectors

DAMPING: Final = 0.85
STEPS: Final = 30
SAME: Final = 0.8
"""Sentences nearer to each other than that say the same."""


def ranks(vectors: Vectors, weights: Sequence[float]) -> list[float]:
    """Return the centrality of each sentence: LexRank (Erkan and Radev 2004) with cosines for edges, sum 1.

    ``vectors`` have unit length, shape (n, d). ``weights`` say how likely each is to be jumped to, above 0;
    sentences that somebody found worth keeping weigh more.
    """
    if not len(vectors):
        return []
    prior = np.asarray(weights, dtype=np.float64)
    prior = prior / prior.sum()
    edges = np.maximum(0.0, vectors.astype(np.float64) @ vectors.T.astype(np.float64))
    np.fill_diagonal(edges, 0.0)
    rows = edges.sum(axis=1, keepdims=True)
    flow = np.where(rows > 0, edges / np.where(rows > 0, rows, 1), prior)
    found = prior
    for _ in range(STEPS):
        found = (1 - DAMPING) * prior + DAMPING * (found @ flow)
    return [float(one) for one in found * prior / (found * prior).sum()]


def chosen(vectors: Vectors, ranked: Sequence[float], *, most: int) -> list[int]:
    """Return the places of the most central sentences that do not repeat each other, in order."""
    found: list[int] = []
    for place in sorted(range(len(ranked)), key=lambda place: (-ranked[place], place)):
        if len(found) == most:
            break
        if all(float(vectors[place] @ vectors[other]) < SAME for other in found):
            found.append(place)
    return sorted(found)
