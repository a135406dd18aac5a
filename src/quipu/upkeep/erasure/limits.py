"""Limits of a search, in time and bytes."""

from __future__ import annotations

import time
from collections.abc import Callable

OnRead = Callable[[int], None]
"""Told how many bytes more were read."""


class Reached(Exception):
    """A limit was reached, or the search was given up; says which."""


class Limit:
    """Budget of a search, counted down while it runs."""

    def __init__(
        self, *, seconds: float | None = None, most_bytes: int | None = None, progress: OnRead | None = None
    ) -> None:
        self._seconds = seconds
        self._until = None if seconds is None else time.monotonic() + seconds
        self._most_bytes = most_bytes
        self._left = most_bytes
        self._progress = progress
        self._given_up = False

    @property
    def seconds_left(self) -> float | None:
        """Seconds that are left; None for no limit."""
        return None if self._until is None else max(0.0, self._until - time.monotonic())

    def spend(self, count: int) -> None:
        """Count bytes that were read.

        Raises:
            Reached: that was too much, or too long.
        """
        if self._progress is not None and count:
            self._progress(count)
        if self._left is not None:
            self._left -= count
        if self._given_up:
            raise Reached("the search was given up")
        if self._left is not None and self._left < 0:
            raise Reached(f"the limit of {self._most_bytes:,} bytes")
        if self._until is not None and time.monotonic() > self._until:
            raise Reached(f"the limit of {self._seconds:g} seconds")

    def give_up(self) -> None:
        """Stop the search at its next read."""
        self._given_up = True
