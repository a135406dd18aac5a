"""A dump taken apart: its statements, and the rows between them. It is read as a stream.

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
from quipu.kernel.db.tokens import Token, tokens

_FENCE: Final = re.compile(rb"\\(?:un)?restrict [0-9A-Za-z]+\r?\n?")
_END: Final = b"\\.\n"
_LONGEST: Final = 1_000_000  # bytes of one statement; rows are not in it
_MOST_LOOKS: Final = 5_000  # at a statement as it grows: lines that end in a semicolon
SPACES: Final = frozenset({"space", "comment"})


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement: its text without the semicolon, and its words. ``line`` is where it begins, from 1."""

    text: str
    words: tuple[Token, ...]
    line: int

    def lower(self, place: int) -> str:
        """The word at a place in small letters; empty where there is none."""
        return self.words[place].text.lower() if place < len(self.words) else ""

    def starts(self, *words: str) -> bool:
        """Whether it begins with these words."""
        return all(self.lower(place) == word for place, word in enumerate(words))


class Dump:
    """The statements of a dump in their order. After a COPY its rows must be taken before the next one."""

    def __init__(self, file: Readable) -> None:
        self._file = file
        self._line = 0
        self.bytes = 0

    def statements(self) -> Iterator[Statement]:
        """One after the other.

        Raises:
            BadInput: the file is no dump: a command of psql, a statement without an end, no UTF-8.
        """
        while (found := self._statement()) is not None:
            yield found

    def rows(self) -> Iterator[bytes]:
        """The lines of rows after a COPY, a long one in pieces, without the line that ends them.

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
        buffer, began, looks = bytearray(), self._line + 1, 0
        while (read := self._next()) is not None:
            line = read.data
            self._check(line)
            if not read.whole:  # a comment too: its rest would be taken for a line of its own
                raise self._too_long(began)
            if not buffer and (not line.strip() or line.startswith(b"--") or _FENCE.fullmatch(line)):
                began = self._line + 1
                continue
            buffer += line
            if line.rstrip().endswith(b";"):  # a statement of a dump ends at the end of a line
                looks += 1
                found = _cut(_decoded(buffer, began), began)
                if found is not None:
                    return found
            if len(buffer) > _LONGEST or looks > _MOST_LOOKS:
                raise self._too_long(began)
        return self._rest(buffer, began)

    def _too_long(self, line: int) -> BadInput:
        return BadInput(
            f"line {line}: the statement is too long; {_LONGEST:,} bytes are the most.", field="file"
        )

    def _rest(self, buffer: bytearray, began: int) -> Statement | None:
        if not buffer.strip():
            return None
        found = _cut(_decoded(buffer, began), began)
        if found is None:
            raise BadInput(f"line {began}: the statement has no end.", field="file")
        return found


def _decoded(buffer: bytearray, line: int) -> str:
    try:
        return buffer.decode()
    except UnicodeDecodeError:
        raise BadInput(f"line {line}: this is no UTF-8.", field="file") from None


def _cut(text: str, line: int) -> Statement | None:
    """The statement that the text is; None where it has no end yet.

    Raises:
        BadInput: there is more than one, or a command of psql.
    """
    words: list[Token] = []
    depth = 0
    for token in tokens(text):
        if token.sort in SPACES:
            continue
        if words and words[-1].text == ";" and depth == 0:
            raise BadInput(f"line {line}: more than one statement stands on a line.", field="file")
        if token.text == "\\":
            raise BadInput(f"line {line}: commands of psql are not taken.", field="file")
        words.append(token)
        depth += _deeper(words, depth)
    if not words or words[-1].text != ";" or depth:
        return None
    return Statement(text[: words[-1].start].strip(), tuple(words[:-1]), line)


def _deeper(words: list[Token], depth: int) -> int:
    """What the last word does to the depth: bodies of functions in SQL have semicolons of their own."""
    word = words[-1].text.lower() if words[-1].sort == "word" else ""
    if word == "atomic" and len(words) > 1 and words[-2].text.lower() == "begin":
        return 1
    if depth and word == "case":
        return 1
    return -1 if depth and word == "end" else 0
