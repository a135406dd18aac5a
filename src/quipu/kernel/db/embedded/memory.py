"""Memory limit of one process of the embedded server."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

from quipu.kernel.config import Settings

_LEAST_MB: Final = 1_024
_MOST_MB: Final = 4_096
_SHARE: Final = 8
_OF_CONTAINER: Final = Path("/sys/fs/cgroup/memory.max")


def most_memory_mb(settings: Settings) -> int:
    """Return the largest address space of one process of the server, MB; 0 is no limit.

    The page cache counts in every process, though it is there once.
    """
    if sys.platform != "linux":
        return 0
    if settings.backend_memory_mb is not None:
        return settings.backend_memory_mb
    return settings.shared_buffers_mb + default_share_mb(_machine_mb())


def default_share_mb(machine_mb: int) -> int:
    """Return the memory that one process may have of its own: an eighth of the machine's, 1 to 4 GB."""
    return min(_MOST_MB, max(_LEAST_MB, machine_mb // _SHARE))


def _machine_mb() -> int:
    whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if _OF_CONTAINER.exists():
        told = _OF_CONTAINER.read_text("ascii").strip()
        if told.isdecimal():
            whole = min(whole, int(told))
    return whole // 2**20
