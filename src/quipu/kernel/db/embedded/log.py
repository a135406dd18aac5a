"""The server's log, kept small: whoever joins or starts the server cuts it."""

from __future__ import annotations

import os
from pathlib import Path

LARGEST_BYTES = 1_000_000
_KEPT_BYTES = 200_000


def trim(log: Path) -> None:
    """Cut a log above 1 MB to its last 200 kB. The server appends, so it goes on behind the cut."""
    if not log.exists() or log.stat().st_size <= LARGEST_BYTES:
        return
    with log.open("r+b") as file:
        file.seek(-_KEPT_BYTES, os.SEEK_END)
        tail = file.read().partition(b"\n")[2]
        file.seek(0)
        file.write(tail)
        file.truncate()


def tail(log: Path, *, lines: int = 20) -> list[str]:
    """Return the last lines of the log, oldest first; none if there is no log."""
    if not log.exists():
        return []
    return log.read_text("utf-8", "replace").splitlines()[-lines:]
