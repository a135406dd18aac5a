"""How well boundaries that were found match the true ones. A boundary is the place of the turn after it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

TOLERANCE = 2


def precision(true: Sequence[int], found: Sequence[int], *, tolerance: int = TOLERANCE) -> float:
    """Which share of those found is right: each true one makes one right."""
    return _matches(true, found, tolerance) / len(found) if found else 0.0


def recall(true: Sequence[int], found: Sequence[int], *, tolerance: int = TOLERANCE) -> float:
    """Which share of the true ones was found."""
    return _matches(true, found, tolerance) / len(true) if true else 0.0


def f1(true: Sequence[int], found: Sequence[int], *, tolerance: int = TOLERANCE) -> float:
    """The harmonic mean of both; 1 where there was nothing to find and nothing was found."""
    if not true and not found:
        return 1.0
    return 2 * _matches(true, found, tolerance) / (len(true) + len(found))


def window_diff(true: Sequence[int], found: Sequence[int], *, length: int) -> float:
    """WindowDiff (Pevzner and Hearst 2002): the share of windows with another number of boundaries in them.

    Windows are half a mean segment of the true ones long.
    """
    width = max(2, round(length / (len(true) + 1) / 2))
    one, other = _sums(true, length), _sums(found, length)
    windows = range(length - width)
    if not windows:
        return 0.0
    return sum(one[at + width] - one[at] != other[at + width] - other[at] for at in windows) / len(windows)


def _sums(places: Sequence[int], length: int) -> list[int]:
    held = set(places)
    return list(accumulate(int(place in held) for place in range(length + 1)))


def _matches(true: Sequence[int], found: Sequence[int], tolerance: int) -> int:
    """How many can be matched, each to one; in order, so that no other matching has more."""
    matched, place = 0, 0
    held = sorted(true)
    for at in sorted(found):
        while place < len(held) and held[place] < at - tolerance:
            place += 1
        if place < len(held) and held[place] <= at + tolerance:
            matched, place = matched + 1, place + 1
    return matched
