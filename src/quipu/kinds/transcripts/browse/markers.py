"""Markers in the place of old bulky tool output. Pure.

The rules are those of the origin: what ``Read`` showed is in the file, of ``Bash`` the beginning tells
most, what ``Grep``, ``Glob``, ``Edit`` and ``Write`` answer can be had again.
"""

from __future__ import annotations

from typing import Final

KEPT: Final = 200
"""Characters of a command's output that stay."""

LEAST_BYTES: Final = {
    "Read": 200,
    "Bash": 200,
    "Grep": 100,
    "Glob": 100,
    "Edit": 100,
    "MultiEdit": 100,
    "Write": 100,
}
"""Tools whose output is replaced where it is longer than so many bytes."""


def marker(tool: str, *, size_bytes: int, path: str | None, beginning: str) -> str | None:
    """Return what stands for an output of ``size_bytes`` that begins so; None if it stays as it is.

    It also stays if the marker would be no shorter.
    """
    if size_bytes <= LEAST_BYTES.get(tool, size_bytes):
        return None
    where = f" of {path}" if path else ""
    match tool:
        case "Bash":
            made = f"{beginning[:KEPT]}\n[compacted: {size_bytes:,} bytes of output]"
        case "Read":
            made = f"[compacted: {size_bytes:,} bytes{where}; the file or its history has them]"
        case "Edit" | "MultiEdit" | "Write":
            made = f"[compacted: {size_bytes:,} bytes about a change{where}]"
        case _:
            made = f"[compacted: {size_bytes:,} bytes of {tool} results]"
    return made if len(made.encode()) < size_bytes else None
