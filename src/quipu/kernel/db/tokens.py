"""A text in SQL as PostgreSQL cuts it into words, and the words that readers' queries must not have. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from quipu.errors import BadInput

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
_TYPES: Final = (
    "reg(?:class|collation|config|database|dictionary|namespace|oper|operator|proc|procedure|role|type)"
)
_ROWS: Final = (
    "pg_(?:aggregate|am|amproc|conversion|operator|prepared_statements|proc|range|sequences|transform"
    "|ts_parser|ts_template|type)"
)
_READ: Final = "(?:array|domain|enum|multirange|range|record)_in"
_FUNCTIONS: Final = f"pg_typeof|get_current_ts_config|nextval|currval|setval|{_READ}"
_WORD: Final = rf"(?:_?{_TYPES}(?:in|out|recv|send)?|to_{_TYPES}|_?{_ROWS}|{_FUNCTIONS})"
_ANYWHERE: Final = re.compile(_WORD)
_WHOLE: Final = re.compile(rf'"?{_WORD}"?')
_BETWEEN: Final = ("space", "comment")
_ESCAPES: Final = re.compile(r'u&"')
_HINT: Final = "Ask by names: the tables and columns that a query reads are listed for it."


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


def tokens(statement: str) -> Iterator[Token]:
    """Yield all pieces in order; together they are the statement. An unended piece goes to its end."""
    cutter = Cutter()
    yield from cutter.cut(statement)
    yield from cutter.rest()


def meaningful(statement: str) -> list[Token]:
    """Return the pieces without spaces and comments."""
    return [token for token in tokens(statement) if token.sort not in {"space", "comment"}]


def names_numbers(word: str) -> bool:
    """Return True if a type shows names for the numbers of objects, as ``regclass`` does."""
    return _WHOLE.fullmatch(word.lower()) is not None


def refuse_numbered(statement: str) -> None:
    """Refuse a query that could tell the names of objects by their numbers.

    ``16500::regclass`` is the name of that table, whoever owns it: PostgreSQL asks for no right there, and
    none can be taken away. A select without functions of an agent gets at such a type only by its name, by a
    row of the catalogue that has a column of it, or by a function that returns it. Of the functions that take
    one, those of sequences, and those that read a type from text by its number, name what they refuse. All
    of these are words of the statement.

    Inside a literal such a word is harmless, unless the literal has escapes: then its end is hard to see.

    Raises:
        BadInput: it has a word that turns numbers into names, or runs code of its own.
    """
    first = next((one for one in tokens(statement) if one.sort not in _BETWEEN and one.text != ";"), None)
    if first is not None and first.text.lower() == "do":
        raise BadInput("a query runs no DO.", field="sql", hint="Ask with a select.")
    folded = statement.lower()
    if _ESCAPES.search(folded):
        raise BadInput("a query has no names with escapes (U&).", field="sql", hint="Write the name plainly.")
    if not _ANYWHERE.search(folded):
        return
    for token in tokens(statement):
        if token.sort in {"word", "quoted"} and names_numbers(token.text):
            raise BadInput(
                f"{token.text} is not for queries: it tells names by numbers, also of what others have.",
                field="sql",
                hint=_HINT,
            )
        if token.sort == "escaped":
            raise BadInput(
                "a query that names types such as regclass has no literals with escapes (E'…').",
                field="sql",
                hint="Write the literal without E in front.",
            )


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
            end = text.find(self._mark, place)
            self.ended = end >= 0
            return end + len(self._mark) if self.ended else len(text)
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
