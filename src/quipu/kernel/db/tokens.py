"""A text in SQL as PostgreSQL cuts it into words. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

Sort = Literal[
    "word", "quoted", "text", "escaped", "dollar", "parameter", "number", "comment", "space", "sign"
]

# What names are made of, by what of ASCII is not in them: the 1.1 million other characters are, and to list
# those takes 15 ms of each command that loads this. A dollar sign is in words, not in the tags of quotes.
_BEGINS: Final = r"[^\x00-@\[-^`{-\x7f]"
_GOES_ON: Final = r"[^\x00-#%-/:-@\[-^`{-\x7f]"
_IN_TAG: Final = r"[^\x00-/:-@\[-^`{-\x7f]"
_TOKEN: Final = re.compile(
    rf"""
      (?P<space>\s+)
    | (?P<comment>--[^\r\n]*)
    | (?P<slashed>/\*)
    | (?P<dollar>\$(?:{_BEGINS}{_IN_TAG}*)?\$)
    | (?P<escaped>[eE]')
    | (?P<text>(?:[bBxXnN]|[uU]&)?')
    | (?P<quoted>(?:[uU]&)?")
    | (?P<word>{_BEGINS}{_GOES_ON}*)
    | (?P<parameter>(?<!:):[A-Za-z_]\w*)
    | (?P<number>\d[\w.]*|\$\d+)
    | (?P<sign>::|:=|.)
    """,
    re.VERBOSE | re.DOTALL,
)
# What follows a beginning, to its end, which is the group, or as far as there is text.
_REST: Final = {
    "escaped": re.compile(r"(?:[^'\\]|\\.|''|\\\Z)*('|\Z)", re.DOTALL),
    "text": re.compile(r"[^']*(?:''[^']*)*('|\Z)"),
    "quoted": re.compile(r'[^"]*(?:""[^"]*)*("|\Z)'),
}
_LASTING: Final = frozenset({"slashed", "dollar", *_REST})
_SLASHED: Final = re.compile(r"/\*|\*/")


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a statement: what sort it is of, and where it stands."""

    sort: Sort
    text: str
    start: int

    @property
    def end(self) -> int:
        """Place where the next token begins."""
        return self.start + len(self.text)


class Cutter:
    """Cuts a text that comes line by line; what has no end in its line is kept until it has."""

    def __init__(self) -> None:
        self._before = 0
        self._open: _Open | None = None

    def cut(self, text: str) -> Iterator[Token]:
        """Yield the pieces that end in the next part of the text."""
        place = 0
        while place < len(text):
            begin = place
            if self._open is None:
                match = _TOKEN.match(text, place)
                assert match is not None  # the last alternative takes any character
                place = match.end()
                if match.lastgroup not in _LASTING:
                    sort: Sort = match.lastgroup  # type: ignore[assignment]
                    yield Token(sort, match[0], self._before + begin)
                    continue
                self._open = _Open(match.lastgroup, match[0], self._before + begin)
            place = self._open.go_on(text, begin, place)
            if self._open.ended:
                yield self._open.token()
                self._open = None
        self._before += len(text)

    def rest(self) -> Iterator[Token]:
        """Yield the last piece if it has no end."""
        if self._open is not None:
            yield self._open.token()

    @property
    def is_open(self) -> bool:
        """True while a piece has no end yet."""
        return self._open is not None


class _Open:
    """A literal or comment of which the end was not seen yet."""

    def __init__(self, kind: str, mark: str, start: int) -> None:
        self._kind, self._mark, self._start = kind, mark, start
        self._parts: list[str] = []
        self._depth = 1
        self.ended = False

    def go_on(self, text: str, begin: int, place: int) -> int:
        """Look for the end from ``place`` on; where it is, or the end of the text, which is taken so far."""
        end = self._end(text, place)
        self._parts.append(text[begin:end])
        return end

    def token(self) -> Token:
        """Return the open piece as one token."""
        sort: Sort = "comment" if self._kind == "slashed" else self._kind  # type: ignore[assignment]
        return Token(sort, "".join(self._parts), self._start)

    def _end(self, text: str, place: int) -> int:
        if self._kind == "dollar":
            found = text.find(self._mark, place)
            self.ended = found >= 0
            return found + len(self._mark) if self.ended else len(text)
        if self._kind == "slashed":  # such comments can hold others
            for mark in _SLASHED.finditer(text, place):
                self._depth += 1 if mark[0] == "/*" else -1
                if not self._depth:
                    self.ended = True
                    return mark.end()
            return len(text)
        match = _REST[self._kind].match(text, place)
        assert match is not None  # the end of the text is one
        self.ended = bool(match[1])
        return match.end()


def tokens(statement: str) -> Iterator[Token]:
    """Yield all pieces in order; together they are the statement. An unended piece goes to its end."""
    cutter = Cutter()
    yield from cutter.cut(statement)
    yield from cutter.rest()


def meaningful(statement: str) -> list[Token]:
    """Return the pieces without spaces and comments."""
    return [token for token in tokens(statement) if token.sort not in {"space", "comment"}]
