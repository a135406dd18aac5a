"""Peers that `serve` and `mcp` can stand in for: loaded by name at start, so that no door imports one."""

from __future__ import annotations

from collections.abc import Mapping
from pkgutil import resolve_name
from typing import Any, Final

ROUTES: Final[Mapping[str, str]] = {
    "mem0": "quipu.compat.mem0.routes:application",
    "memory-stores": "quipu.compat.memory_stores.routes:application",
}
"""Routes for `serve`: ``application(memory, enter)``, where ``await enter(request, level)`` is the space."""

TOOLS: Final[Mapping[str, str]] = {"server-memory": "quipu.compat.server_memory.server:server"}
"""Tools for `mcp`: ``server(opened, space=…, user=…, read_only=…)``; ``await opened()`` is the memory."""


def loaded(place: str) -> Any:
    """Return the object at a place such as ``package.module:name``."""
    return resolve_name(place)
