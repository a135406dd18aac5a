"""Long JSON in pieces: an array or an object of lists, one element at a time, however long it is."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from typing import IO, Any, Final

from quipu.errors import BadInput
from quipu.kernel.base.depth import TOO_DEEP, is_too_deep

_PIECE: Final = 1 << 20
_MOST_ELEMENT: Final = 256 << 20
_BOM: Final = b"\xef\xbb\xbf"
_BLANK: Final = re.compile(rb"[ \t\r\n]*")
# Bytes that matter: the rest of a string is passed over in one step.
_MARK: Final = re.compile(rb'"(?:[^"\\]|\\.)*+"|[\[\]{},"]', re.DOTALL)
_COLON: Final = re.compile(rb'"(?:[^"\\]|\\.)*+"|[:"]', re.DOTALL)
_STEPS: Final = {b"[": 1, b"{": 1, b"]": -1, b"}": -1}


def elements(file: IO[bytes], name: str) -> Iterator[Any]:
    """Yield the elements of a file that is one array of JSON in UTF-8; ``name`` is for errors.

    It holds one element at a time, and up to a megabyte beyond.

    Raises:
        BadInput: it is no array, an element is no JSON or nested too deep, or one is larger than 256 MB.
    """
    text = _Text(file, name)
    if text.next() != b"[":
        raise BadInput(f"{name} is no array of JSON.", field="path")
    for number, one in enumerate(text.items(), start=1):
        yield _parsed(one, f"{name}, element {number:,}")
    text.refuse_more("array")


def members(file: IO[bytes], name: str, keys: Collection[str] | None = None) -> Iterator[tuple[str, Any]]:
    """Yield members of a file that is one object of JSON; of one that is a list, each element by itself.

    Only those of ``keys``, if given. It holds one element at a time, and up to a megabyte beyond.

    Raises:
        BadInput: it is no object, an element is no JSON or nested too deep, or one is larger than 256 MB.
    """
    text = _Text(file, name)
    if text.next() != b"{":
        raise BadInput(f"{name} is no object of JSON.", field="path")
    text.skip()
    while (mark := text.next()) != b"}":
        if mark == b",":
            text.skip()
            continue
        key = _parsed(text.until(b":"), f"{name}, a name in it")
        text.skip()
        is_list = text.next() == b"["
        for one in text.items() if is_list else (text.until(b",}"),):
            if keys is None or key in keys:
                yield key, _parsed(one, f"{name}, {key}")
    text.skip()
    text.refuse_more("object")


def _parsed(text: bytes, where: str) -> Any:
    if is_too_deep(text):
        raise BadInput(f"{where}: {TOO_DEEP}.", field="path")
    try:
        return json.loads(text)
    except ValueError as error:
        raise BadInput(f"{where} is no JSON: {error}.", field="path") from error


class _Text:
    """Text of JSON in a file, of which a piece is held from where it is read."""

    def __init__(self, file: IO[bytes], name: str) -> None:
        self._file = file
        self._name = name
        self._held = file.read(_PIECE).removeprefix(_BOM)
        self._at = 0

    def next(self) -> bytes:
        """Return the next byte that is not blank."""
        while True:
            if (found := _BLANK.match(self._held, self._at)) is not None:
                self._at = found.end()
            if self._at < len(self._held):
                return self._held[self._at : self._at + 1]
            self._load()

    def skip(self) -> None:
        """Pass over a byte."""
        self._at += 1

    def items(self) -> Iterator[bytes]:
        """Yield the texts between the brackets of an array, one at a time, from the first bracket on."""
        self.skip()
        while (mark := self.next()) != b"]":
            if mark == b",":
                self.skip()
            else:
                yield self.until(b",]")
        self.skip()

    def until(self, ends: bytes) -> bytes:
        """Return the text up to one of some bytes that stands in no brackets and in no string."""
        marks = _COLON if ends == b":" else _MARK
        level, at = 0, self._at
        while True:
            end = len(self._held)
            for mark in marks.finditer(self._held, at):
                found = mark[0]
                if found == b'"':  # a string that goes on in the next piece
                    end = mark.start()
                    break
                if level == 0 and found in ends:
                    text = self._held[self._at : mark.start()]
                    self._at = mark.start()
                    return text.strip()
                level += _STEPS.get(found, 0)
            at = end - self._at
            self._load()

    def refuse_more(self, what: str) -> None:
        """Refuse a file that goes on.

        Raises:
            BadInput: it does.
        """
        if (self._held[self._at :] or self._file.read(_PIECE)).strip():
            raise BadInput(f"{self._name} goes on behind the end of its {what}.", field="path")

    def _load(self) -> None:
        """Hold a piece more; what was read is let go."""
        held = self._held[self._at :]
        if len(held) > _MOST_ELEMENT:
            raise BadInput(f"{self._name}: an element has more than {_MOST_ELEMENT >> 20} MB.", field="path")
        piece = self._file.read(max(_PIECE, len(held) // 2))
        if not piece:
            raise BadInput(f"{self._name} ends in the middle; is it a part of the file?", field="path")
        self._held, self._at = held + piece, 0
