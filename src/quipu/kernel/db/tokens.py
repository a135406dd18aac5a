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
_DOLLAR: Final = re.compile(rf"\$(?:{_BEGINS}{_IN_TAG}*)?\$")
_TOKEN: Final = re.compile(
    rf"""
      (?P<space>\s+)
    | (?P<comment>--[^\r\n]*)
    | (?P<escaped>[eE]'(?:[^'\\]|\\.|'')*(?:'|\Z))
    | (?P<text>(?:[bBxXnN]|[uU]&)?'(?:[^']|'')*(?:'|\Z))
    | (?P<quoted>(?:[uU]&)?"(?:[^"]|"")*(?:"|\Z))
    | (?P<word>{_BEGINS}{_GOES_ON}*)
    | (?P<parameter>(?<!:):[A-Za-z_]\w*)
    | (?P<number>\d[\w.]*|\$\d+)
    | (?P<sign>::|:=|.)
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a statement: what sort it is of, and where it stands."""

    sort: Sort
    text: str
    start: int

    @property
    def end(self) -> int:
        """Where the next one begins."""
        return self.start + len(self.text)


def tokens(statement: str) -> Iterator[Token]:
    """All pieces in their order; together they are the statement. What has no end goes to the end of it."""
    place = 0
    while place < len(statement):
        token = _comment(statement, place) or _dollar(statement, place) or _plain(statement, place)
        yield token
        place = token.end


def _plain(statement: str, place: int) -> Token:
    match = _TOKEN.match(statement, place)
    assert match is not None  # the last alternative takes any character
    sort: Sort = match.lastgroup  # type: ignore[assignment]
    return Token(sort, match[0], place)


def _comment(statement: str, place: int) -> Token | None:
    """A comment between slashes; such comments can hold others."""
    if not statement.startswith("/*", place):
        return None
    depth, end = 1, place + 2
    while depth and end < len(statement):
        if statement.startswith(("/*", "*/"), end):
            depth += 1 if statement[end] == "/" else -1
            end += 2
        else:
            end += 1
    return Token("comment", statement[place:end], place)


def _dollar(statement: str, place: int) -> Token | None:
    """A literal between two equal marks (``$$``, ``$body$``)."""
    mark = _DOLLAR.match(statement, place)
    if mark is None:
        return None
    end = statement.find(mark[0], mark.end())
    return Token("dollar", statement[place : len(statement) if end < 0 else end + len(mark[0])], place)


def meaningful(statement: str) -> list[Token]:
    """The pieces without spaces and comments."""
    return [token for token in tokens(statement) if token.sort not in {"space", "comment"}]
