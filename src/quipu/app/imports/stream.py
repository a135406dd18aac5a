"""An array of JSON, one element at a time, however long the array is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import IO, Any, Final

from quipu.errors import BadInput
from quipu.kernel.base.depth import TOO_DEEP, is_too_deep

_PIECE: Final = 1 << 20
_MOST_ELEMENT: Final = 256 << 20
_BOM: Final = b"\xef\xbb\xbf"
# Bytes that matter: the rest of a string is passed over in one step.
_MARK: Final = re.compile(rb'"(?:[^"\\]|\\.)*+"|[\[\]{},"]', re.DOTALL)
_STEPS: Final = {b"[": 1, b"{": 1, b"]": -1, b"}": -1}


def elements(file: IO[bytes], name: str) -> Iterator[Any]:
    """Yield the elements of a file that is one array of JSON in UTF-8; ``name`` is for errors.

    It holds one element at a time, and up to a megabyte beyond.

    Raises:
        BadInput: it is no array, an element is no JSON or nested too deep, or one is larger than 256 MB.
    """
    for number, text in enumerate(_texts(file, name), start=1):
        if is_too_deep(text):
            raise BadInput(f"{name}, element {number:,}: {TOO_DEEP}.", field="path")
        try:
            yield json.loads(text)
        except ValueError as error:
            raise BadInput(f"{name}, element {number:,} is no JSON: {error}.", field="path") from error


def _texts(file: IO[bytes], name: str) -> Iterator[bytes]:
    held = _first(file, name)
    level, begun, at = 0, 0, 0
    while True:
        end = len(held)
        for mark in _MARK.finditer(held, at):
            found = mark[0]
            if found == b'"':  # a string that goes on in the next piece
                end = mark.start()
                break
            if level == 0 and found in (b",", b"]"):
                text = held[begun : mark.start()].strip()
                begun = mark.end()
                if text:
                    yield text
                if found == b"]":
                    _refuse_more(held[begun:], file, name)
                    return
            else:
                level += _STEPS.get(found, 0)
        held, begun, at = held[begun:], 0, end - begun
        if len(held) > _MOST_ELEMENT:
            raise BadInput(f"{name}: an element has more than {_MOST_ELEMENT >> 20} MB.", field="path")
        piece = file.read(max(_PIECE, len(held) // 2))
        if not piece:
            raise BadInput(f"{name} ends in the middle of its array; is it a part of the file?", field="path")
        held += piece


def _first(file: IO[bytes], name: str) -> bytes:
    held = file.read(_PIECE).removeprefix(_BOM).lstrip()
    if not held.startswith(b"["):
        raise BadInput(f"{name} is no array of JSON.", field="path")
    return held[1:]


def _refuse_more(rest: bytes, file: IO[bytes], name: str) -> None:
    if (rest or file.read(_PIECE)).strip():
        raise BadInput(f"{name} goes on behind the end of its array.", field="path")
