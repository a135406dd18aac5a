"""The clock is handed in, so that time can stand still in a test."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Protocol


class Clock(Protocol):
    """Anything that knows what time it is."""

    def now(self) -> datetime:
        """Return the present moment, aware, in UTC."""
        ...


class SystemClock:
    """The clock of this machine."""

    now = staticmethod(partial(datetime.now, UTC))
    """The present moment, aware, in UTC."""


class FrozenClock:
    """A clock that stands still until it is told to advance; for tests and replays."""

    def __init__(self, at: datetime) -> None:
        if at.tzinfo is None:
            raise ValueError(
                "A FrozenClock needs a time with a zone, such as datetime(2026, 1, 1, tzinfo=UTC)."
            )
        self._at = at.astimezone(UTC)

    def now(self) -> datetime:
        """Return the moment at which the clock was stopped, aware, in UTC."""
        return self._at

    def advance(self, by: timedelta) -> None:
        """Move on by that much; backwards if it is negative."""
        self._at += by
