"""The statements of a dump, and the rows between them, read as a stream.

pg_dump writes SQL with the rows of ``COPY … FROM stdin`` in it, for psql. Only psql's own commands that
pg_dump itself writes (``\\restrict``, ``\\unrestrict``) are passed over; any other is refused, as psql would
run it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from quipu.errors import BadInput
from quipu.kernel.base.lines import Line, Readable, compression, next_line, rest_of_line
from quipu.kernel.db.tokens import Cutter, Token

_FENCE: Final = re.compile(rb"\\(?:un)?restrict [0-9A-Za-z]+\r?\n?")
_END: Final = b"\\.\n"
_LONGEST: Final = 1_000_000  # bytes of one statement; rows are not in it
RIGHT: Final = b"-- quipu right: "
"""How a comment begins that tells of a right."""
SPACES: Final = frozenset({"space", "comment"})


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement: its text without the semicolon, and its words. ``line`` is where it begins, from 1."""

    text: str
    words: tuple[Token, ...]
    line: int

    def lower(self, place: int) -> str:
        """Return the word at a place in small letters; empty if there is none."""
        return self.words[place].text.lower() if place < len(self.words) else ""

    def starts(self, *words: str) -> bool:
        """Return True if it begins with these words."""
        return all(self.lower(place) == word for place, word in enumerate(words))


class Dump:
    """The statements of a dump in their order. After a COPY its rows must be taken before the next one.

    ``notes`` are the comments so far that tell of rights, each with the number of its line.
    """

    def __init__(self, file: Readable) -> None:
        self._file = file
        self._line = 0
        self.bytes = 0
        self.notes: list[tuple[int, bytes]] = []

    def statements(self) -> Iterator[Statement]:
        """Yield the statements, one after the other.

        Raises:
            BadInput: the file is no dump: a command of psql, a statement without an end, no UTF-8.
        """
        while (statement := self._statement()) is not None:
            yield statement

    def rows(self) -> Iterator[bytes]:
        """Yield the lines of rows after a COPY, a long one in pieces, without the line that ends them.

        Raises:
            BadInput: that line is missing.
        """
        while line := self._next():
            if line.data == _END:
                return
            yield line.data
            if not line.whole:
                for piece in rest_of_line(self._file):
                    self.bytes += len(piece)
                    yield piece
        raise BadInput("the rows of a table have no end; the file is cut off.", field="file")

    def _next(self) -> Line | None:
        line = next_line(self._file, _LONGEST)
        if line is not None:
            self._line += 1
            self.bytes += len(line.data)
        return line

    def _check(self, data: bytes) -> None:
        """Raise BadInput for a file whose first line is that of a compressed one."""
        packed = compression(data) if self._line == 1 else None
        if packed is not None:
            raise BadInput(f"the file is compressed ({packed}).", field="file", hint="Unpack it first.")

    def _statement(self) -> Statement | None:
        begun: _Unfinished | None = None
        while (read := self._next()) is not None:
            line = read.data
            self._check(line)
            if begun is None:
                begun = _Unfinished(self._line)
                if read.whole and (not line.strip() or line.startswith(b"--") or _FENCE.fullmatch(line)):
                    begun = None
                    if line.startswith(RIGHT):
                        self.notes.append((self._line, line))
                    continue
            if not read.whole:  # a comment too: its rest would be taken for a line of its own
                raise begun.too_long()
            if begun.take(line):
                return begun.statement()
        if begun is not None:
            raise BadInput(f"line {begun.line}: the statement has no end.", field="file")
        return None


class _Unfinished:
    """A statement whose end was not read yet."""

    def __init__(self, line: int) -> None:
        self.line = line
        self._bytes = self._depth = 0
        self._lines: list[str] = []
        self._words: list[Token] = []
        self._cutter = Cutter()

    def take(self, data: bytes) -> bool:
        """Add a line and return True if the statement ends with it.

        Raises:
            BadInput: there is more than one, a command of psql, too much, or no UTF-8.
        """
        self._bytes += len(data)
        if self._bytes > _LONGEST:
            raise self.too_long()
        try:
            line = data.decode()
        except UnicodeDecodeError:
            raise BadInput(f"line {self.line}: this is no UTF-8.", field="file") from None
        self._lines.append(line)
        for token in self._cutter.cut(line):
            if token.sort not in SPACES:
                self._add(token)
        return self._is_whole and not self._cutter.is_open

    def statement(self) -> Statement:
        """Return the whole statement."""
        text = "".join(self._lines)
        return Statement(text[: self._words[-1].start].strip(), tuple(self._words[:-1]), self.line)

    def too_long(self) -> BadInput:
        """Return the error for a statement that is too long."""
        return BadInput(
            f"line {self.line}: the statement is too long; {_LONGEST:,} bytes are the most.", field="file"
        )

    @property
    def _is_whole(self) -> bool:
        return bool(self._words) and self._words[-1].text == ";" and not self._depth

    def _add(self, token: Token) -> None:
        if self._is_whole:
            raise BadInput(f"line {self.line}: more than one statement stands on a line.", field="file")
        if token.text == "\\":
            raise BadInput(f"line {self.line}: commands of psql are not taken.", field="file")
        self._words.append(token)
        self._depth += _deeper(self._words, self._depth)


def _deeper(words: list[Token], depth: int) -> int:
    """Return the change of depth by the last word: bodies of functions in SQL have their own semicolons."""
    word = words[-1].text.lower() if words[-1].sort == "word" else ""
    if word == "atomic" and len(words) > 1 and words[-2].text.lower() == "begin":
        return 1
    if depth and word == "case":
        return 1
    return -1 if depth and word == "end" else 0
