"""Life of the service: when it ends."""

from __future__ import annotations

import os
import resource
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Life:
    """Limits of a service at rest: for how long, and with how much memory."""

    idle_seconds: float
    most_mb: float

    def over(self, *, rested_seconds: float, resident_mb: float, same_code: bool) -> str | None:
        """Return why a service that answers nobody now is over; None if it is not."""
        if not same_code:
            return "another version was installed"
        if rested_seconds >= self.idle_seconds:
            return f"nobody asked for {self.idle_seconds:.0f} s"
        if resident_mb > self.most_mb:
            return f"it held {resident_mb:.0f} MB"
        return None


def resident_mb() -> float:
    """Return the memory that this process holds now; the most it ever held if the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
    except (OSError, ValueError):
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most / (2**20 if sys.platform == "darwin" else 2**10)
