"""Of all processes that would serve a home, one does."""

from __future__ import annotations

import time
from pathlib import Path

from quipu.interfaces.hooks.client import Refused, converse, make_run_directory
from quipu.kernel.db.embedded.lock import FileLock

_WAIT_SECONDS = 10.0
_POLL_SECONDS = 0.05


def hold(home: str) -> FileLock | None:
    """Take the lock of a home's service, held until it is closed; None if another process serves.

    Wait for one that is about to end.
    """
    lock = FileLock(Path(make_run_directory(home)) / "service.lock")
    until = time.monotonic() + _WAIT_SECONDS
    while not lock.try_exclusive():
        if _is_served(home) or time.monotonic() > until:
            lock.close()
            return None
        time.sleep(_POLL_SECONDS)
    return lock


def _is_served(home: str) -> bool:
    try:
        return not converse(home, {"do": "status"}, _POLL_SECONDS * 10).get("leaving")
    except (OSError, EOFError, Refused):
        return False
