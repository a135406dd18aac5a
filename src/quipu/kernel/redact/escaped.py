"""Texts in which signs are written as escapes: of URLs, JSON, HTML, mails. They are searched as they read."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import unescape
from typing import Final

from quipu.kernel.redact.model import Secret

_SIGNS: Final = {
    "%": ("%3D", "%3d", "%3A", "%3a", "%22"),
    "\\u00": ("\\u0022", "\\u0027", "\\u003d", "\\u003D", "\\u003a", "\\u003A"),
    "&": ("&quot;", "&#34;", "&#39;", "&#x27;", "&apos;"),
    "=3D": ("=3D",),
}
SIGNS: Final = tuple(sign for signs in _SIGNS.values() for sign in signs)
"""Escapes of the signs that give a name its value: without one of them no text is read in another way."""
_ESCAPE = re.compile(
    r"%(?P<url>[2-7][0-9A-Fa-f])|\\u00(?P<json>[2-7][0-9A-Fa-f])|(?P<html>&(?:[a-z]{2,4}|#\d{2,3}|#x[0-9A-Fa-f]{2});)"
    r"|=(?P<mail>3D|22|27|3A|40)|(?P<soft>=\r?\n)"
)


@dataclass(frozen=True, slots=True)
class Reading:
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


def reading(text: str) -> Reading | None:
    """Return the text as it reads without escapes; None if it has no escape that matters."""
    if not any(sign in text for first, signs in _SIGNS.items() if first in text for sign in signs):
        return None
    mails = "=3D" in text
    parts: list[str] = []
    starts, written, length, position = [0], [0], 0, 0
    for match in _ESCAPE.finditer(text):
        plain = _plain(match, mails=mails)
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
    return Reading("".join(parts), starts, written)


def _plain(match: re.Match[str], *, mails: bool) -> str | None:
    """Return the one sign behind an escape; None if it is none."""
    code = match["url"] or match["json"] or (match["mail"] if mails else None)
    if code is not None:
        return chr(int(code, 16))
    if match["html"] is not None:
        plain = unescape(match["html"])
        return plain if len(plain) == 1 else None
    return "" if mails and match["soft"] is not None else None
