"""Memory of the middleware: one that is open already, or one that it opens itself."""

from __future__ import annotations

import time
from threading import Lock
from typing import Final

from quipu.errors import DatabaseUnavailable, QuipuError
from quipu.kernel.config import Settings
from quipu.sync import Memory

_PAUSE_SECONDS: Final = 5.0


class MemoryProvider:
    """Hands out an open memory. What it opened it closes; what it was given stays open.

    Where opening fails, the error is raised for five seconds; after that it is tried again.
    """

    def __init__(self, memory: Memory | None, settings: Settings) -> None:
        self._settings = settings
        self._given = memory
        self._opened: Memory | None = None
        self._opening: Memory | None = None
        self._lock = Lock()
        self._failed: tuple[float, QuipuError | OSError] | None = None
        self._closed = False

    @property
    def is_given(self) -> bool:
        """True if it was open before."""
        return self._given is not None

    def memory(self) -> Memory:
        """Return the open memory. The first call may take seconds.

        Raises:
            QuipuError, OSError: it cannot be opened.
        """
        if self._given is not None:
            return self._given
        with self._lock:
            if self._opened is None:
                self._refuse()
                self._opened = self._open()
            return self._opened

    def close(self) -> None:
        """Close what was opened here, and end an opening that lasts; a second time nothing happens."""
        self._closed = True
        if self._opening is not None:
            self._opening.__exit__(None, None, None)

    def _open(self) -> Memory:
        opening = self._opening = Memory(settings=self._settings)
        try:
            if self._closed:  # in this moment, so that nobody else closes it
                opening.__exit__(None, None, None)
            return opening.__enter__()
        except (QuipuError, OSError) as error:
            self._failed = (time.monotonic(), error)
            raise

    def _refuse(self) -> None:
        if self._closed:
            raise DatabaseUnavailable("This middleware is closed.")
        if self._failed is not None and time.monotonic() - self._failed[0] < _PAUSE_SECONDS:
            raise self._failed[1]
