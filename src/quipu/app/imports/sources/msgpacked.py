"""MessagePack as LangGraph writes it, read as data: the classes that it names are not imported.

Its extensions 0 to 5 are objects of Python, each as the MessagePack of ``[module, class, arguments]`` and
sometimes a method; 6 is an array of numpy, which is passed over, and 7 a snapshot of a channel, which is its
value.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, cast

from quipu.app.imports.fields import Unreadable
from quipu.app.imports.found import JSON
from quipu.kernel.base.depth import DEEPEST, TOO_DEEP

_NAME: Final = "msgpack"
_CONSTANTS: Final[Mapping[int, JSON]] = {0xC0: None, 0xC2: False, 0xC3: True}
_NUMBERS: Final = {
    0xCA: ">f", 0xCB: ">d", 0xCC: ">B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q",
    0xD0: ">b", 0xD1: ">h", 0xD2: ">i", 0xD3: ">q",
}  # fmt: skip
_TEXTS: Final = {0xD9: ">B", 0xDA: ">H", 0xDB: ">I"}
_BYTES: Final = {0xC4: ">B", 0xC5: ">H", 0xC6: ">I"}
_LISTS: Final = {0xDC: ">H", 0xDD: ">I"}
_OBJECTS: Final = {0xDE: ">H", 0xDF: ">I"}
_SIZED: Final = {0xC7: ">B", 0xC8: ">H", 0xC9: ">I"}
_FIXED: Final = {0xD4: 1, 0xD5: 2, 0xD6: 4, 0xD7: 8, 0xD8: 16}
_OBJECT_OF_PYTHON: Final = range(6)
_SNAPSHOT: Final = 7


@dataclass(frozen=True, slots=True)
class Made:
    """An object of Python as it was packed: its class by name, and what it was made from."""

    module: str
    name: str
    value: object


def unpacked(data: bytes) -> object:
    """Return the value that MessagePack says: of plain values, and `Made` for objects of Python.

    Raises:
        Unreadable: it is damaged, or nested too deep.
    """
    reader = _Reader(data)
    try:
        value = reader.value(DEEPEST)
    except (struct.error, UnicodeDecodeError) as error:
        raise Unreadable(_NAME, "it is damaged") from error
    reader.end()
    return value


def as_json(value: object) -> JSON:
    """Return a value as JSON has it: of an object of Python what it was made from, of bytes how many."""
    if isinstance(value, Made):
        return as_json(value.value)
    if isinstance(value, bytes):
        return f"[{len(value):,} bytes]"
    if isinstance(value, list):
        return [as_json(one) for one in cast("list[object]", value)]
    if isinstance(value, dict):
        return {name: as_json(one) for name, one in cast("dict[str, object]", value).items()}
    return None if isinstance(value, float) and not math.isfinite(value) else value


class _Reader:
    """Reads one value after the other."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def value(self, depth: int) -> object:
        """Return the next value, of at most so many levels."""
        if depth < 0:
            raise Unreadable(_NAME, TOO_DEEP)
        code = self._take(1)[0]
        if code < 0x80 or code >= 0xE0:
            return code if code < 0x80 else code - 0x100
        if code < 0x90:
            return self._object(code & 0x0F, depth)
        if code < 0xA0:
            return self._list(code & 0x0F, depth)
        if code < 0xC0:
            return self._text(code & 0x1F)
        if code in _CONSTANTS:
            return _CONSTANTS[code]
        if code in _NUMBERS:
            return self._number(_NUMBERS[code])
        if code in _TEXTS:
            return self._text(self._number(_TEXTS[code]))
        if code in _BYTES:
            return self._take(self._number(_BYTES[code]))
        if code in _LISTS:
            return self._list(self._number(_LISTS[code]), depth)
        if code in _OBJECTS:
            return self._object(self._number(_OBJECTS[code]), depth)
        if code in _SIZED or code in _FIXED:
            size = self._number(_SIZED[code]) if code in _SIZED else _FIXED[code]
            return self._extension(self._take(1)[0], self._take(size), depth)
        raise Unreadable(_NAME, "it is damaged")

    def end(self) -> None:
        """Refuse what stands behind the value."""
        if self._at < len(self._data):
            raise Unreadable(_NAME, "it goes on behind its end")

    def _list(self, count: int, depth: int) -> list[object]:
        return [self.value(depth - 1) for _ in range(count)]

    def _object(self, count: int, depth: int) -> dict[str, object]:
        made: dict[str, object] = {}
        for _ in range(count):
            name = self.value(depth - 1)
            made[name if isinstance(name, str) else str(as_json(name))] = self.value(depth - 1)
        return made

    def _extension(self, code: int, data: bytes, depth: int) -> object:
        if code not in _OBJECT_OF_PYTHON and code != _SNAPSHOT:
            return None
        inner = _Reader(data)
        value = inner.value(depth - 1)
        inner.end()
        if code == _SNAPSHOT:
            return value
        parts = cast("list[object]", value) if isinstance(value, list) else []
        match parts:
            case [str(module), str(name), made, *_]:
                return Made(module, name, made)
            case _:
                raise Unreadable(_NAME, "an object of Python in it has no name")

    def _text(self, size: int) -> str:
        return self._take(size).decode("utf-8", "surrogatepass")

    def _number(self, form: str) -> int:
        return struct.unpack(form, self._take(struct.calcsize(form)))[0]

    def _take(self, size: int) -> bytes:
        taken = self._data[self._at : self._at + size]
        if len(taken) < size:
            raise Unreadable(_NAME, "it was cut off")
        self._at += size
        return taken
