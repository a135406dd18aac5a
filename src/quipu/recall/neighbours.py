"""Inheritance of an entry from the entries around it, and its context vector.

A turn such as "Yes, in June" means nothing by itself; with the question before it, it does. So an entry
takes over a share of its neighbours' words and of their direction: less the longer it is itself (a long
message explains itself), no more than a short message's worth from a long neighbour, nothing across a
pause of more than an hour, and most from a question that it answers. (Rule and constants: measured on
five kinds of conversation; docs/decisions/recall.md.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np
from numpy.typing import NDArray

THREAD_SHIFT = 24
MOST_ENTRIES_OF_A_THREAD = 1 << THREAD_SHIFT
PAUSE = timedelta(hours=1)
ANSWER, PREVIOUS, NEXT, BEFORE = 0.9, 0.5, 0.3, 0.25
_SHORT_WORDS = 30
_DONOR_WORDS = 60


def entry_id(thread: int, position: int) -> int:
    """Return the id of the entry at ``position`` (0 …) of ``thread``; its neighbours are id - 1, id + 1."""
    return thread << THREAD_SHIFT | position


@dataclass(frozen=True, slots=True)
class Turn:
    """Values of an entry that the rule needs.

    ``speaker`` tells voices apart; ``words`` counts all its words.
    """

    position: int
    speaker: str
    words: int
    asks: bool
    happened_at: datetime


@dataclass(frozen=True, slots=True)
class Shares:
    """Shares (0 to 1) inherited from the entries at position - 1, position - 2 and position + 1."""

    previous: float = 0.0
    before: float = 0.0
    next: float = 0.0


def shares(turn: Turn, *, previous: Turn | None, before: Turn | None, next: Turn | None) -> Shares:
    """Return the shares that ``turn`` inherits from its neighbours; a missing neighbour gives nothing."""
    answers = previous is not None and previous.asks and previous.speaker != turn.speaker
    return Shares(
        previous=_share(turn, previous, ANSWER if answers else PREVIOUS),
        before=_share(turn, before, BEFORE),
        next=_share(turn, next, NEXT),
    )


def _share(turn: Turn, donor: Turn | None, base: float) -> float:
    if donor is None or abs(turn.happened_at - donor.happened_at) > PAUSE:
        return 0.0
    return base / (1 + turn.words / _SHORT_WORDS) * min(1.0, _DONOR_WORDS / max(1, donor.words))


def context(
    own: NDArray[np.float32], donors: Sequence[tuple[float, NDArray[np.float32]]]
) -> NDArray[np.float32]:
    """Mix the neighbours' shares into an entry's direction: unit length, or zero where all are."""
    mixed = own.astype(np.float32, copy=True)
    for share, direction in donors:
        mixed += np.float32(share) * direction
    length = float(np.linalg.norm(mixed))
    return mixed / np.float32(length) if length > 0 else mixed
