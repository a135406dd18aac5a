"""Signs that something new begins with a turn. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import numpy as np
from numpy.typing import NDArray

from quipu.kinds.episodes.building import cues

Floats = NDArray[np.float32]

# Tuned on the first five dialogues of LoCoMo, reported on the others (docs/decisions/episodes.md).
GREETING, BEGINNING = 1.5, 1.0
ANSWERED: Final = 0.5
"""A greeting or a beginning in the next turn counts half: one greets back."""

LEAVING, SUBJECT = 1.0, 1.0
PAUSE: Final = 2.0
"""What a pause counts that is as long as a thread may rest before it is another one; shorter ones less."""

WINDOW: Final = 4
"""Turns on either side whose meaning is compared."""

REACH: Final = 6
"""Turns on either side among which a fall of meaning must stand out."""

RESTED: Final = timedelta(hours=4)


@dataclass(frozen=True, slots=True)
class Turn:
    """Turn of a conversation: its text, and its time ``at`` and ``vector``, shape (d,), if known."""

    text: str
    at: datetime | None = None
    vector: Floats | None = None


def signs(turns: Sequence[Turn]) -> list[float]:
    """Return how strongly each turn speaks for a beginning, 0 or more; 0 for the first.

    The sum of: it greets (1.5), it speaks as after a while apart or names another subject (1), the next turn
    does one or the other (half), the turn before takes leave (1), how far the meaning falls between before
    and after (TextTiling's depth, Hearst 1997, over sentence vectors), and the pause before it (2 for four
    hours or more).
    """
    if not turns:
        return []
    opening = [GREETING * cues.greets(one.text) + BEGINNING * cues.begins(one.text) for one in turns]
    leaving = [LEAVING * cues.leaves(one.text) for one in turns]
    answered = [ANSWERED * (one > 0) for one in [*opening[1:], 0.0]]
    depth = depths([one.vector for one in turns])
    sums = [
        opening[place]
        + answered[place]
        + leaving[place - 1]
        + SUBJECT * depth[place]
        + pause(turns[place - 1], one)
        for place, one in enumerate(turns)
    ]
    return [0.0, *sums[1:]]


def pause(before: Turn, after: Turn) -> float:
    """Return the weight of a pause between two turns: 2 from four hours on, less if shorter or unknown."""
    if before.at is None or after.at is None:
        return 0.0
    return PAUSE * min(1.0, max(after.at - before.at, timedelta()) / RESTED)


def depths(vectors: Sequence[Floats | None]) -> list[float]:
    """Return how far the likeness across each place lies below the heights beside it."""
    known = [vector for vector in vectors if vector is not None]
    if len(known) < len(vectors) or not known:
        return [0.0] * len(vectors)
    like = _likeness(np.stack(known))
    found = [0.0]
    for place in range(1, len(like)):
        left = like[max(1, place - REACH) : place + 1].max()
        right = like[place : place + REACH + 1].max()
        found.append(float(left + right - 2 * like[place]))
    return found


def _likeness(rows: Floats) -> Floats:
    """Return the cosine between the means of the turns before each place and from it on; 0 for the first."""
    sums = np.concatenate([np.zeros((1, rows.shape[1]), np.float32), np.cumsum(rows, axis=0)])
    places = np.arange(1, len(rows))
    before = sums[places] - sums[np.maximum(0, places - WINDOW)]
    after = sums[np.minimum(len(rows), places + WINDOW)] - sums[places]
    lengths = np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
    return np.concatenate([[0.0], (before * after).sum(axis=1) / np.maximum(lengths, 1e-9)]).astype(
        np.float32
    )
