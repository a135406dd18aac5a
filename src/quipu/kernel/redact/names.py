"""Secrets in names and ids, where none is cut out: a name without a part of it would be another name."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from quipu.kernel.redact import assignments, headers, keys, tokens, urls
from quipu.kernel.redact.model import Source

_SHORTEST: Final = 12
_FINDERS = (keys.find, urls.find, headers.find, assignments.find)
_GIVES: Final = ("=", "://", " ", "\n")


@lru_cache(maxsize=4_096)
def secret_kind(name: str) -> str | None:
    """Return the kind of a secret that the name holds for certain; None where it holds none.

    Only what shows by its form what it is, or is given to a password, counts: an id that a machine drew, a
    checksum or a path is never one.
    """
    if len(name) < _SHORTEST:
        return None
    kind = token_kind(name)
    if kind is not None or not any(sign in name for sign in _GIVES):
        return kind
    source = Source(name)
    found = next((secret for find in _FINDERS for secret in find(source)), None)
    return found.kind if found else None


def token_kind(text: str) -> str | None:
    """Return the kind of a token in the text that nothing else is written like; None without one."""
    source = Source(text)
    if source.runs:
        for anchor, token in tokens.begun(source):
            if not token.ambiguous and anchor in source.runs and next(tokens.found(token, text), None):
                return token.kind
    return None
