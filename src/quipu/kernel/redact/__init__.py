"""Secrets leave a text before it is stored: ``redact(text)``.

What is taken for a secret, what is not, and why: ``docs/decisions/redaction.md``.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import Final

from quipu.errors import QuipuError
from quipu.kernel.redact import assignments, encoded, tokens
from quipu.kernel.redact.model import MARK, Redacted, Secret, Source

__all__ = ["Redacted", "redact", "secret_kind", "token_kind"]

# From the most telling to the least: where two find the same secret, the first gives it its kind.
_FINDERS = (
    tokens.find_private_keys,
    tokens.find_tokens,
    tokens.find_broken_tokens,
    assignments.find_url_passwords,
    assignments.find_headers,
    assignments.find_cookies,
    assignments.find_cookie_rows,
    assignments.find_commands,
    assignments.find_assignments,
    tokens.find_phrases,
    encoded.find_encoded,
)
_SHORTEST_NAME: Final = 12
_FINDERS_IN_NAMES = (
    tokens.find_private_keys,
    assignments.find_url_passwords,
    assignments.find_headers,
    assignments.find_assignments,
)
_ASSIGNS: Final = ("=", "://", " ", "\n")


def redact(text: str) -> Redacted:
    """Replace every secret of a text by ``[redacted:KIND]`` and count the secrets of each kind.

    Nothing else changes, and redacting again finds nothing. Linear time; a message of ordinary prose costs a
    few microseconds.
    """
    found = _found(text)
    read = encoded.unescaped(text)
    if read is not None:
        found += read.back(_found(read.text))
    if not found:
        return Redacted(text, {})
    counts: Counter[str] = Counter()
    parts: list[str] = []
    position = 0
    for secret in _apart(found):
        parts.append(text[position : secret.start])
        parts.append(f"{MARK}{secret.kind}]")
        counts[secret.kind] += 1
        position = secret.end
    parts.append(text[position:])
    return Redacted("".join(parts), dict(counts))


@lru_cache(maxsize=4_096)
def secret_kind(name: str) -> str | None:
    """Return the kind of a secret that the name holds for certain; None where it holds none.

    Only what shows by its form what it is, or is given to a password, counts: an id that a machine drew, a
    checksum or a path is never one.
    """
    if len(name) < _SHORTEST_NAME:
        return None
    kind = token_kind(name)
    if kind is not None or not any(sign in name for sign in _ASSIGNS):
        return kind
    source = Source(name)
    found = next((secret for find in _FINDERS_IN_NAMES for secret in find(source)), None)
    return found.kind if found else None


def token_kind(text: str) -> str | None:
    """Return the kind of a token in the text that nothing else is written like; None without one."""
    source = Source(text)
    if source.runs:
        for anchor, token in tokens.begun_tokens(source):
            if not token.ambiguous and anchor in source.runs and next(tokens.tokens_of(token, text), None):
                return token.kind
    return None


def _found(text: str) -> list[Secret]:
    source = Source(text)
    return [secret for find in _FINDERS for secret in find(source)]


def _apart(found: list[Secret]) -> list[Secret]:
    """Return the secrets in order of the text; overlapping ones are merged under the most telling kind."""
    rank = {secret: index for index, secret in reversed(list(enumerate(found)))}
    apart: list[Secret] = []
    for secret in sorted(found, key=lambda secret: (secret.start, -secret.end)):
        if apart and secret.start < apart[-1].end:
            last = apart[-1]
            kind = min(last, secret, key=lambda each: rank.get(each, len(found))).kind
            apart[-1] = Secret(last.start, max(last.end, secret.end), kind)
            rank[apart[-1]] = min(rank.get(last, len(found)), rank[secret])
        else:
            apart.append(secret)
    return apart


def _clean(text: str) -> str:
    """Return the text without its secrets."""
    return redact(text).text


QuipuError.clean = _clean
