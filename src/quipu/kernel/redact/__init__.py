"""Secrets leave a text before it is stored: ``redact(text)``.

What is taken for a secret, what is not, and why: ``docs/decisions/redaction.md``.
"""

from __future__ import annotations

from collections import Counter

from quipu.errors import QuipuError
from quipu.kernel.redact import (
    assignments,
    broken,
    commands,
    cookies,
    encoded,
    escaped,
    headers,
    keys,
    phrases,
    tokens,
    urls,
)
from quipu.kernel.redact.model import MARK, Redacted, Secret, Source

__all__ = ["Redacted", "redact"]

# From the most telling to the least: where two find the same secret, the first gives it its kind.
_FINDERS = (
    keys.find,
    tokens.find,
    broken.find,
    urls.find,
    headers.find,
    cookies.find,
    cookies.find_rows,
    commands.find,
    assignments.find,
    phrases.find,
    encoded.find,
)


def redact(text: str) -> Redacted:
    """Replace every secret of a text by ``[redacted:KIND]`` and count the secrets of each kind.

    Nothing else changes, and redacting again finds nothing. Linear time; a message of ordinary prose costs a
    few microseconds.
    """
    found = _found(text)
    read = escaped.reading(text)
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
