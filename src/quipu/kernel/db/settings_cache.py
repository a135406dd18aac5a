"""Settings of the process over the stored ones, as they were read a moment ago."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Final

from quipu.kernel.config import Settings, Stored

FRESH_SECONDS: Final = 1.0
"""How long settings that were read are used again: a change by another process takes effect after that."""

_MOST_SPACES: Final = 10_000


class SettingsCache:
    """Settings of the process over the stored ones, by space; None is the database without a space."""

    def __init__(self, own: Settings) -> None:
        self._own = own
        self._known: dict[str | None, tuple[float, Settings]] = {}

    def fresh(self, space: str | None) -> Settings | None:
        """Return the settings of a space if they were read a moment ago."""
        read_at, settings = self._known.get(space, (-FRESH_SECONDS, None))
        return settings if time.monotonic() - read_at < FRESH_SECONDS else None

    def take(self, space: str | None, rows: Iterable[Stored]) -> Settings:
        """Keep what is stored, those of the space after those of the database; the settings that hold now."""
        settings = self._own.over(rows)
        if len(self._known) >= _MOST_SPACES:
            self._known.clear()
        self._known[space] = time.monotonic(), settings
        return settings

    def drop(self) -> None:
        """Forget what is known: something was set just now."""
        self._known.clear()
