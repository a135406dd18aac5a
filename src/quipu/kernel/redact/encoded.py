"""Secrets in base64: a whole ``.env`` or key file, or the ``auth`` of a registry."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from binascii import Error
from collections.abc import Iterator
from typing import Final

from quipu.kernel.redact import assignments, keys, tokens, urls
from quipu.kernel.redact.forms import FORMS
from quipu.kernel.redact.model import Secret, Source

_FINDERS = (keys.find, tokens.find, urls.find, assignments.find)
_RUN = re.compile(r"[A-Za-z0-9+/_-]{20,}+={0,2}")
_LONGEST: Final = 64 * 1024
_READABLE: Final = 0.9
LOGIN: Final = 'auth"'
LOGIN_ESCAPED: Final = 'auth\\"'
_LOGIN = re.compile(r"\s{0,4}:\s{0,4}\\?\"(?P<secret>[A-Za-z0-9+/]{8,2048}={0,2})\\?\"")
_PAIR = re.compile(r"[\w.@+$|-]{1,255}:\S{4,}")


def _stems(word: str) -> Iterator[str]:
    """Yield the constant part of the base64 of a word, for each of its three offsets."""
    for before in range(3):
        stem = b64encode(b"\0" * before + word.encode() + b"\0" * 3).decode()
        yield stem[-(-8 * before // 6) : 8 * (before + len(word)) // 6]


STEMS: Final = tuple(sorted({stem for word in FORMS.encoded for stem in _stems(word)}))
"""Without one of these, no base64 is decoded."""
_LONG_RUN = re.compile(r"[A-Za-z0-9+/_-]{20,}+")


def find(source: Source) -> Iterator[Secret]:
    """Yield every run of base64 that holds a secret, as a whole, and every login of a registry."""
    if source.runs:
        yield from _runs(source)
    for word in (LOGIN, LOGIN_ESCAPED):
        for position in source.hits(word):
            secret = login(source.text, position + len(word))
            if secret is not None:
                yield secret


def _runs(source: Source) -> Iterator[Secret]:
    long = "\n".join(_LONG_RUN.findall(source.runs))
    stems = [stem for stem in STEMS if stem in long]
    if not stems:
        return
    for run in _RUN.finditer(source.text):
        if len(run[0]) <= _LONGEST and any(stem in run[0] for stem in stems) and _holds_secret(run[0]):
            yield Secret(*run.span(), "encoded-secret")


def login(text: str, position: int) -> Secret | None:
    """Return the base64 of ``user:password`` that follows a name ``auth``."""
    match = _LOGIN.match(text, position)
    if match is None or not _PAIR.fullmatch(_decoded(match["secret"])):
        return None
    return Secret(*match.span("secret"), "password")


def _holds_secret(run: str) -> bool:
    text = _decoded(run)
    return bool(text) and any(next(find(Source(text)), None) is not None for find in _FINDERS)


def _decoded(run: str) -> str:
    """Return the text behind the base64; "" if it is no text."""
    plain = run.rstrip("=").replace("-", "+").replace("_", "/")
    plain = plain[: len(plain) - (len(plain) % 4 == 1)]
    try:
        text = b64decode(plain + "=" * (-len(plain) % 4)).decode("utf-8", "replace")
    except Error:
        return ""
    readable = sum(character.isprintable() or character in "\r\n\t" for character in text)
    return text if readable >= _READABLE * len(text) else ""
