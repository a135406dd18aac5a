"""Cookies that let in whoever holds them, in ``Cookie`` and ``Set-Cookie`` headers and tables of browsers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from quipu.kernel.redact import values
from quipu.kernel.redact.forms import FORMS
from quipu.kernel.redact.model import Secret, Source

WORD: Final = "cookie"
ROW: Final = "\t/\t"
"""The path of a cookie, in a table that was copied out of a browser: name, value, domain, path."""
_LONGEST: Final = 1_200
_LONGEST_ROW: Final = 1_600
_SHORTEST_VALUE: Final = 8
_HEADER = re.compile(r"(?:\\?[\"'`]|\]){0,3}\s{0,4}[:=]\s{0,4}(?:\\?[\"'`])?")
_PAIR = re.compile(r"(?P<name>[\w!#$%&'*+.^`|~-]{1,128})=\"?(?P<secret>[^\s;,\"'\\]{0,1200})\"?(?:;\s{0,4})?")
_ROW = re.compile(r"(?P<name>[^\s]{1,128})\t(?P<secret>[^\t\n]{8,1200})\t[\w.-]{1,253}\t/\t")
_TELLING = re.compile(FORMS.cookies, re.IGNORECASE)


def find(source: Source) -> Iterator[Secret]:
    """Yield the value of every cookie that is a session, a login or a token by name; the name stays."""
    resume = 0
    for position in source.hits(WORD):
        if position < resume:
            continue
        header = _HEADER.match(source.text, position + len(WORD))
        if header is None:
            continue
        end = position + _LONGEST
        match = _PAIR.match(source.text, header.end(), end)
        while match is not None:
            if _is_session(match["name"], match["secret"]):
                yield Secret(*match.span("secret"), "session-cookie")
            resume = match.end()
            match = _PAIR.match(source.text, match.end(), end) if match[0].rstrip().endswith(";") else None


def find_rows(source: Source) -> Iterator[Secret]:
    """Yield the values of session cookies in the rows of a table."""
    if ROW in source.text:
        for position in source.hits(ROW):
            start = source.text.rfind("\n", max(0, position - _LONGEST_ROW), position) + 1
            match = _ROW.match(source.text, start)
            if match is not None and _is_session(match["name"], match["secret"]):
                yield Secret(*match.span("secret"), "session-cookie")


def _is_session(name: str, value: str) -> bool:
    drawn = any(map(str.isdigit, value)) or len(value) >= 2 * _SHORTEST_VALUE
    telling = _TELLING.search(name) is not None
    return telling and drawn and len(value) >= _SHORTEST_VALUE and not values.is_placeholder(value)
