"""A key, and what it allows."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal

Level = Literal["read", "write", "admin"]
LEVELS: Final[tuple[Level, ...]] = ("read", "write", "admin")


@dataclass(frozen=True, slots=True)
class Key:
    """A key without its secret, which nobody has but the one it was shown to.

    ``space`` is the one space that it opens, None for all of them. ``user`` is the one person of the space
    whose rows it sees and writes, None for everybody. Each ``level`` includes those before it
    in ``LEVELS``. ``last_used_at`` is exact to a minute or so.
    """

    id: str
    name: str
    space: str | None
    user: str | None
    level: Level
    requests_per_minute: int
    created_at: datetime
    last_used_at: datetime | None
    revoked_at: datetime | None


@dataclass(frozen=True, slots=True)
class Issued:
    """A new key with its ``token``, which is shown this once: the database has only its hash."""

    key: Key
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Lock:
    """Lock that a token is checked against: the key, and the SHA-256 of its token."""

    key: Key
    token_sha256: bytes = field(repr=False)
