"""Inheritance of entries from their neighbours, computed again to compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from quipu.recall.neighbours import MOST_ENTRIES_OF_A_THREAD, Turn, context, shares

# Vectors are kept in 16 bits: each component is right to the third digit.
_ROUNDING = 2e-3
_SMALL = 1e-4


@dataclass(frozen=True, slots=True)
class Kept:
    """An entry as the index keeps it. ``bits`` are the signs of ``context``, one for each dimension."""

    id: int
    speaker: int
    by_user: bool
    words: int
    tokens: int
    asks: bool
    happened_at: datetime
    mixed_tokens: float
    from_previous: float
    from_before: float
    from_next: float
    own: NDArray[np.float32]
    context: NDArray[np.float32]
    bits: NDArray[np.bool_]


def misfits(entries: Sequence[Kept], known: Mapping[int, Kept]) -> list[int]:
    """Return the ids of entries whose shares, length, vector or signs do not follow from their neighbours.

    ``known`` holds the neighbours, by id: up to two before and one after each entry.
    """
    return [entry.id for entry in entries if not _fits(entry, known)]


def _fits(entry: Kept, known: Mapping[int, Kept]) -> bool:
    around = [known.get(entry.id + step) if entry.id > 0 else None for step in (-1, -2, 1)]
    previous, before, following = (_turn(kept) if kept else None for kept in around)
    due = shares(_turn(entry), previous=previous, before=before, next=following)
    taken = (due.previous, due.before, due.next)
    held = (entry.from_previous, entry.from_before, entry.from_next)
    donors = [(share, kept) for share, kept in zip(taken, around, strict=True) if kept and share]
    length = entry.tokens + sum(share * kept.tokens for share, kept in donors)
    direction = context(entry.own, [(share, kept.own) for share, kept in donors])
    told = np.abs(direction) > _ROUNDING
    return bool(
        np.allclose(held, taken, atol=_SMALL)
        and np.isclose(entry.mixed_tokens, length, rtol=_SMALL, atol=_SMALL)
        and np.allclose(entry.context, direction, atol=_ROUNDING)
        and np.array_equal(entry.bits[: len(direction)][told], direction[told] > 0)
    )


def _turn(kept: Kept) -> Turn:
    voice = str(kept.speaker) if kept.speaker else "user" if kept.by_user else "other"
    position = kept.id & (MOST_ENTRIES_OF_A_THREAD - 1)
    return Turn(position, voice, kept.words, kept.asks, kept.happened_at)
