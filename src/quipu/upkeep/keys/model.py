"""A key, what it allows, and its token.

A token is ``quipu_<12 hexadecimal digits: the id>_<43 characters: 256 random bits>``. The secret is random
and long, so one SHA-256 protects it; a slow hash is for passwords that people choose.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal

Level = Literal["read", "write", "admin"]
LEVELS: Final[tuple[Level, ...]] = ("read", "write", "admin")

_ID: Final = re.compile(r"[0-9a-f]{12}\Z", re.ASCII)
_TOKEN: Final = re.compile(r"quipu_([0-9a-f]{12})_[A-Za-z0-9_-]{43}\Z", re.ASCII)


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


def new_token() -> tuple[str, str]:
    """Make the id of a new key, and its token."""
    key = secrets.token_hex(6)
    return key, f"quipu_{key}_{secrets.token_urlsafe(32)}"


def is_id(text: object) -> bool:
    """Return True if the text has the form of a key's id."""
    return isinstance(text, str) and _ID.match(text) is not None


def id_in(token: str) -> str | None:
    """Return the id of the key that a token claims; None if it is no token of ours."""
    match = _TOKEN.match(token)
    return match[1] if match else None


def sha256(token: str) -> bytes:
    """Return the hash of a token, which is kept in its place."""
    return hashlib.sha256(token.encode()).digest()


def opens(token: str, token_sha256: bytes) -> bool:
    """Return True if it is the token that was hashed, in the same time wherever they differ."""
    return hmac.compare_digest(sha256(token), token_sha256)
