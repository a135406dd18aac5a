"""The words of a statement in SQL as PostgreSQL cuts them. Pure.

Nothing is allowed or refused by what this finds: that is PostgreSQL's to say. It finds the place of a
parameter, the literals in which a secret could stand, and what a statement begins with, for its message.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, Literal

Sort = Literal[
    "word", "quoted", "text", "escaped", "dollar", "parameter", "number", "comment", "space", "sign"
]

_DOLLAR = re.compile(r"\$(?:[A-Za-z_\x80-\U0010ffff][\w\x80-\U0010ffff]*)?\$")
_TOKEN: Final = re.compile(
    r"""
      (?P<space>\s+)
    | (?P<comment>--[^\r\n]*)
    | (?P<escaped>[eE]'(?:[^'\\]|\\.|'')*(?:'|\Z))
    | (?P<text>(?:[bBxXnN]|[uU]&)?'(?:[^']|'')*(?:'|\Z))
    | (?P<quoted>(?:[uU]&)?"(?:[^"]|"")*(?:"|\Z))
    | (?P<word>[A-Za-z_\x80-\U0010ffff][\w$\x80-\U0010ffff]*)
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


def first_words(statement: str, count: int = 2) -> tuple[str, ...]:
    """What the statement begins with, in small letters."""
    words: list[str] = []
    for token in meaningful(statement):
        if token.sort != "word" or len(words) == count:
            break
        words.append(token.text.lower())
    return tuple(words)


def name_after(statement: str, *words: str) -> tuple[str | None, str] | None:
    """The schema and the name that follow these words, ``if [not] exists`` and ``only`` apart.

    None where something else stands there.
    """
    found = meaningful(statement)
    heads = [token.text.lower() for token in found[: len(words)]]
    if heads != list(words):
        return None
    rest = found[len(words) :]
    while rest and rest[0].sort == "word" and rest[0].text.lower() in {"if", "not", "exists", "only"}:
        rest = rest[1:]
    names: list[str] = []
    while rest and rest[0].sort in {"word", "quoted"}:
        names.append(_folded(rest[0]))
        if len(rest) < 2 or rest[1].text != ".":
            break
        rest = rest[2:]
    if not names:
        return None
    return (names[-2] if len(names) > 1 else None), names[-1]


def _folded(token: Token) -> str:
    return token.text.lower() if token.sort == "word" else token.text[1:-1].replace('""', '"')


def bind(statement: str, name: str, number: int) -> tuple[str, int]:
    """The statement with ``:name`` as PostgreSQL numbers parameters, and how often it stood there.

    In literals, quoted names and comments nothing is replaced.
    """
    found = [token for token in tokens(statement) if token.sort == "parameter" and token.text == f":{name}"]
    for token in reversed(found):
        statement = f"{statement[: token.start]}${number}{statement[token.end :]}"
    return statement, len(found)


def change_literals(statement: str, change: Callable[[str], str]) -> str:
    """The statement with each literal changed; one that is not written plainly is changed as it stands."""
    parts: list[str] = []
    for token in tokens(statement):
        if token.sort == "text" and token.text.startswith("'"):
            said = token.text[1:-1].replace("''", "'")
            changed = change(said)
            parts.append(token.text if changed == said else "'" + changed.replace("'", "''") + "'")
        elif token.sort in {"escaped", "dollar", "comment"}:
            parts.append(change(token.text))
        else:
            parts.append(token.text)
    return "".join(parts)
