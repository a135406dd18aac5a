"""Context vectors of a new model, mixed in the shares that the index worked out for the old one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from quipu.recall.neighbours import context
from quipu.upkeep.reembed.model import Entry

Directions = Mapping[int, NDArray[np.float32]]


def donors(entries: Sequence[Entry]) -> set[int]:
    """Return the ids whose directions are needed beside those of the entries themselves."""
    return {donor for entry in entries for donor, _ in _shares(entry)} - {entry.id for entry in entries}


def contexts(entries: Sequence[Entry], own: Directions) -> NDArray[np.float32]:
    """Return the context vectors of entries: shape (n, dimensions), unit length or zero.

    ``own`` has the direction of each entry itself and of those that it inherits from, as far as they exist.
    """
    return np.stack([_context(entry, own) for entry in entries])


def _context(entry: Entry, own: Directions) -> NDArray[np.float32]:
    return context(own[entry.id], [(share, own[donor]) for donor, share in _shares(entry) if donor in own])


def _shares(entry: Entry) -> Iterator[tuple[int, float]]:
    shares = entry.shares
    for step, share in ((-1, shares.previous), (-2, shares.before), (1, shares.next)):
        if share > 0:
            yield entry.id + step, share
