"""Search of a text for secrets, as it stands and as it reads without escapes; what is in base64 too."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from binascii import Error
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import unescape
from typing import Final

from quipu.errors import QuipuError
from quipu.kernel.redact import assignments, tokens
from quipu.kernel.redact.forms import FORMS
from quipu.kernel.redact.tokens import MARK, SearchedText, Secret

_SHORTEST_NAME: Final = 12
_ASSIGNS: Final = ("=", "://", " ", "\n")


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text with ``[redacted:KIND]`` in place of every secret, and how many there were of each kind."""

    text: str
    counts: Mapping[str, int]


def redact(text: str) -> Redacted:
    """Replace every secret of a text by ``[redacted:KIND]`` and count the secrets of each kind.

    Nothing else changes, and redacting again finds nothing. Linear time; a message of ordinary prose costs a
    few microseconds.
    """
    if len(text) < tokens.SHORTEST_TOKEN and text.isalpha():
        return Redacted(text, {})  # one word, as most names of fields are
    secrets = _found(text)
    read = unescaped(text)
    if read is not None:
        secrets += read.back(_found(read.text))
    if not secrets:
        return Redacted(text, {})
    counts: Counter[str] = Counter()
    parts: list[str] = []
    position = 0
    for secret in _apart(secrets):
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
    source = SearchedText(name)
    first = next((secret for find in _FINDERS_IN_NAMES for secret in find(source)), None)
    return first.kind if first else None


def token_kind(text: str) -> str | None:
    """Return the kind of a token in the text that nothing else is written like; None without one."""
    if len(text) < tokens.SHORTEST_TOKEN:
        return None
    source = SearchedText(text)
    if source.runs:
        for anchor, token in tokens.begun_tokens(source):
            if not token.ambiguous and anchor in source.runs and next(tokens.tokens_of(token, text), None):
                return token.kind
    return None


def _found(text: str) -> list[Secret]:
    source = SearchedText(text)
    return [secret for find in _FINDERS for secret in find(source)]


def _apart(secrets: list[Secret]) -> list[Secret]:
    """Return the secrets in order of the text; overlapping ones are merged under the most telling kind."""
    rank = {secret: index for index, secret in reversed(list(enumerate(secrets)))}
    apart: list[Secret] = []
    for secret in sorted(secrets, key=lambda secret: (secret.start, -secret.end)):
        if apart and secret.start < apart[-1].end:
            last = apart[-1]
            kind = min(last, secret, key=lambda each: rank.get(each, len(secrets))).kind
            apart[-1] = Secret(last.start, max(last.end, secret.end), kind)
            rank[apart[-1]] = min(rank.get(last, len(secrets)), rank[secret])
        else:
            apart.append(secret)
    return apart


def _clean(text: str) -> str:
    """Return the text without its secrets."""
    return redact(text).text


QuipuError.clean = _clean


_ESCAPES_BY_HEAD: Final = {
    "%": ("%3D", "%3d", "%3A", "%3a", "%22"),
    "\\u00": ("\\u0022", "\\u0027", "\\u003d", "\\u003D", "\\u003a", "\\u003A"),
    "&": ("&quot;", "&#34;", "&#39;", "&#x27;", "&apos;"),
    "=3D": ("=3D",),
}
ESCAPES: Final = tuple(sign for signs in _ESCAPES_BY_HEAD.values() for sign in signs)
"""Escapes of the signs that give a name its value: without one of them no text is read in another way."""

_ESCAPE = re.compile(
    r"%(?P<url>[2-7][0-9A-Fa-f])|\\u00(?P<json>[2-7][0-9A-Fa-f])|(?P<html>&(?:[a-z]{2,4}|#\d{2,3}|#x[0-9A-Fa-f]{2});)"
    r"|=(?P<mail>3D|22|27|3A|40)|(?P<soft>=\r?\n)"
)


def unescaped(text: str) -> Unescaped | None:
    """Return the text as it reads without escapes; None if it has no escape that matters."""
    if not any(sign in text for first, signs in _ESCAPES_BY_HEAD.items() if first in text for sign in signs):
        return None
    mails = "=3D" in text
    parts: list[str] = []
    starts, written, length, position = [0], [0], 0, 0
    for match in _ESCAPE.finditer(text):
        plain = _plain_sign(match, mails=mails)
        if plain is None:
            continue
        parts += (text[position : match.start()], plain)
        length += match.start() - position
        if plain:
            starts.append(length)
            written.append(match.start())
        length += len(plain)
        position = match.end()
        starts.append(length)
        written.append(position)
    parts.append(text[position:])
    return Unescaped("".join(parts), starts, written)


@dataclass(frozen=True, slots=True)
class Unescaped:
    """A text as it reads, and where its parts stand in what was written."""

    text: str
    starts: Sequence[int]
    written: Sequence[int]

    def back(self, secrets: Iterable[Secret]) -> Iterator[Secret]:
        """Yield the secrets at the places where they were written."""
        for secret in secrets:
            yield Secret(self._at(secret.start), self._at(secret.end - 1, end=True), secret.kind)

    def _at(self, place: int, *, end: bool = False) -> int:
        part = bisect_right(self.starts, place) - 1
        inside = place - self.starts[part]
        if end and part + 1 < len(self.starts) and self.starts[part + 1] == place + 1:
            return self.written[part + 1]
        return self.written[part] + inside + end


def _plain_sign(match: re.Match[str], *, mails: bool) -> str | None:
    """Return the one sign behind an escape; None if it is none."""
    code = match["url"] or match["json"] or (match["mail"] if mails else None)
    if code is not None:
        return chr(int(code, 16))
    if match["html"] is not None:
        plain = unescape(match["html"])
        return plain if len(plain) == 1 else None
    return "" if mails and match["soft"] is not None else None


_RUN = re.compile(r"[A-Za-z0-9+/_-]{20,}+={0,2}")
_LONG_RUN = re.compile(r"[A-Za-z0-9+/_-]{20,}+")
_LONGEST: Final = 64 * 1024
_READABLE: Final = 0.9


def _stems(word: str) -> Iterator[str]:
    """Yield the constant part of the base64 of a word, for each of its three offsets."""
    for before in range(3):
        stem = b64encode(b"\0" * before + word.encode() + b"\0" * 3).decode()
        yield stem[-(-8 * before // 6) : 8 * (before + len(word)) // 6]


STEMS: Final = tuple(sorted({stem for word in FORMS.encoded for stem in _stems(word)}))
"""Without one of these, no base64 is decoded."""


def find_encoded(source: SearchedText) -> Iterator[Secret]:
    """Yield every run of base64 that holds a secret, as a whole, and every login of a registry."""
    if source.runs:
        yield from _runs(source)
    for word in (LOGIN, LOGIN_ESCAPED):
        for position in source.hits(word):
            secret = login_at(source.text, position + len(word))
            if secret is not None:
                yield secret


def _runs(source: SearchedText) -> Iterator[Secret]:
    long = "\n".join(_LONG_RUN.findall(source.runs))
    stems = [stem for stem in STEMS if stem in long]
    if not stems:
        return
    for run in _RUN.finditer(source.text):
        if len(run[0]) <= _LONGEST and any(stem in run[0] for stem in stems) and _holds_secret(run[0]):
            yield Secret(*run.span(), "encoded-secret")


def _holds_secret(run: str) -> bool:
    text = _decoded(run)
    return bool(text) and any(next(find(SearchedText(text)), None) is not None for find in _INNER_FINDERS)


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


LOGIN: Final = 'auth"'
LOGIN_ESCAPED: Final = 'auth\\"'
_LOGIN = re.compile(r"\s{0,4}:\s{0,4}\\?\"(?P<secret>[A-Za-z0-9+/]{8,2048}={0,2})\\?\"")
_LOGIN_PAIR = re.compile(r"[\w.@+$|-]{1,255}:\S{4,}")


def login_at(text: str, position: int) -> Secret | None:
    """Return the base64 of ``user:password`` that follows a name ``auth``."""
    match = _LOGIN.match(text, position)
    if match is None or not _LOGIN_PAIR.fullmatch(_decoded(match["secret"])):
        return None
    return Secret(*match.span("secret"), "password")


_INNER_FINDERS = (
    tokens.find_private_keys,
    tokens.find_tokens,
    assignments.find_url_passwords,
    assignments.find_assignments,
)
_FINDERS_IN_NAMES = (
    tokens.find_private_keys,
    assignments.find_url_passwords,
    assignments.find_headers,
    assignments.find_assignments,
)

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
    find_encoded,
)
