"""A request that may come again, and what was answered to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Asking:
    """One request: in which space, whose, under which ``Idempotency-Key``, the SHA-256 of what it asks."""

    space: str
    caller: str
    key: str
    sha256: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """Kept answer: the HTTP status, a few headers, the body."""

    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)
