"""Points of Qdrant's local store, which are pickles, read as data: nothing that they name is imported or run.

A pickle is a program for a machine with a stack. Of its instructions those are known here that build texts,
numbers, lists, sets, objects, and the three models below out of their state; any other, and any other name,
is refused. A point is ``PointStruct`` with ``id``, ``vector`` and ``payload``, of pydantic 1 or 2, in the
protocols 4 and 5 of pickle, which Python has taken since 3.8.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast
from uuid import UUID

from quipu.app.imports.fields import Unreadable
from quipu.app.imports.found import JSON
from quipu.kernel.base.text import excerpt
from quipu.record.items import plain

_MODELS: Final = frozenset(
    {
        ("qdrant_client.http.models.models", "PointStruct"),
        ("qdrant_client.http.models.models", "SparseVector"),
        ("uuid", "UUID"),
    }
)
_MOST_BYTES: Final = 2 << 20
_FLOAT: Final = 9  # bytes of a number with its instruction
_MOST_FLOATS: Final = 4_096
_CONSTANTS: Final = {b"N": None, b"\x88": True, b"\x89": False}
_EMPTY: Final[Mapping[bytes, Callable[[], Any]]] = {b"}": dict, b"]": list, b"\x8f": list, b")": tuple}
_WHOLE: Final = {b"K": "<B", b"M": "<H", b"J": "<i"}
_TEXTS: Final = {b"\x8c": "<B", b"X": "<I", b"\x8d": "<Q"}
_TUPLES: Final = {b"\x85": 1, b"\x86": 2, b"\x87": 3}
_GET: Final = {b"h": "<B", b"j": "<I"}
_PASSED_OVER: Final = {b"\x80": 1, b"\x95": 8}  # the protocol, the length of a frame


@dataclass(slots=True)
class _Model:
    """A model that a pickle names, and the state that it gives it."""

    kind: tuple[str, str]
    state: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class _Name:
    """A name of a model on the stack."""

    kind: tuple[str, str]


def read_point(data: bytes) -> tuple[JSON, JSON]:
    """Return the id and the payload of a point, as JSON has them.

    Raises:
        Unreadable: it is no point, or names anything that a point has not.
    """
    try:
        made = _Machine(data).run()
    except (struct.error, LookupError, TypeError, ValueError) as error:
        raise Unreadable("point", "it is a damaged pickle") from error
    if not isinstance(made, _Model) or made.kind[1] != "PointStruct":
        raise Unreadable("point", "it is a pickle of something else")
    inner = made.state.get("__dict__")
    if not isinstance(inner, dict):
        raise Unreadable("point", "it is a pickle of something else")
    fields = cast("dict[str, Any]", inner)
    try:
        point = plain({"payload": fields.get("payload")}, most_bytes=_MOST_BYTES)
    except ValueError as error:  # it may hold itself, or one list a thousand times
        raise Unreadable("payload", str(error)) from error
    return _id(fields.get("id")), point["payload"]


def _id(value: object) -> JSON:
    if isinstance(value, _Model) and isinstance(number := value.state.get("int"), int):
        return str(UUID(int=number & (1 << 128) - 1))
    return value


class _Machine:
    """Runs the instructions of one pickle that are known."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0
        self._stack: list[Any] = []
        self._marks: list[int] = []
        self._memo: dict[int, Any] = {}

    def run(self) -> object:
        """Return the value that the pickle builds."""
        while (code := self._take(1)) != b".":
            self._step(code)
        return self._stack.pop()

    def _step(self, code: bytes) -> None:
        stack = self._stack
        if code == b"G":
            self._floats()
        elif code in _PASSED_OVER:
            self._take(_PASSED_OVER[code])
        elif code in _CONSTANTS:
            stack.append(_CONSTANTS[code])
        elif code in _EMPTY:
            stack.append(_EMPTY[code]())
        elif code in _WHOLE:
            stack.append(self._number(_WHOLE[code]))
        elif code == b"\x8a":
            stack.append(int.from_bytes(self._take(self._number("<B")), "little", signed=True))
        elif code in _TEXTS:
            stack.append(self._take(self._number(_TEXTS[code])).decode("utf-8", "surrogatepass"))
        elif code == b"(":
            self._marks.append(len(stack))
        elif code == b"t":
            stack.append(tuple(self._above()))
        elif code in _TUPLES:
            count = _TUPLES[code]
            stack[-count:] = [tuple(stack[-count:])]
        elif code == b"\x94":
            self._memo[len(self._memo)] = stack[-1]
        elif code in _GET:
            stack.append(self._memo[self._number(_GET[code])])
        else:
            self._build(code)

    def _build(self, code: bytes) -> None:
        """Put what is on the stack together."""
        stack = self._stack
        if code in (b"u", b"s"):
            given = self._above() if code == b"u" else [stack.pop(-2), stack.pop()]
            _object(stack[-1]).update(zip(map(_text, given[::2]), given[1::2], strict=True))
        elif code in (b"e", b"\x90", b"a"):
            given = [stack.pop()] if code == b"a" else self._above()
            _list(stack[-1]).extend(given)
        elif code == b"\x93":
            name, module = stack.pop(), stack.pop()
            stack.append(_Name(_known(_text(module), _text(name))))
        elif code == b"\x81":
            given, named = stack.pop(), stack.pop()
            if not isinstance(named, _Name) or given != ():
                raise Unreadable("point", "it makes something else than a model")
            stack.append(_Model(named.kind))
        elif code == b"b":
            state, model = stack.pop(), stack[-1]
            if not isinstance(model, _Model):
                raise Unreadable("point", "it changes something else than a model")
            model.state = _object(state)
        else:
            raise Unreadable("point", f"it is a pickle with the instruction {code!r}, which no point has")

    def _floats(self) -> None:
        """Put a number on the stack, and those that follow it at once, as in a vector."""
        begin = self._at - 1
        codes = self._data[begin : begin + _FLOAT * _MOST_FLOATS : _FLOAT]
        count = len(codes) - len(codes.lstrip(b"G"))
        self._at = begin
        self._stack += struct.unpack(">" + "xd" * count, self._take(_FLOAT * count))

    def _above(self) -> list[Any]:
        """Take what was put on the stack since the last mark."""
        begin = self._marks.pop()
        given = self._stack[begin:]
        del self._stack[begin:]
        return given

    def _number(self, form: str) -> int:
        return struct.unpack(form, self._take(struct.calcsize(form)))[0]

    def _take(self, count: int) -> bytes:
        taken = self._data[self._at : self._at + count]
        if len(taken) < count:
            raise Unreadable("point", "it is a pickle that was cut off")
        self._at += count
        return taken


def _known(module: str, name: str) -> tuple[str, str]:
    if (module, name) not in _MODELS:
        raise Unreadable("point", f"it names {excerpt(f'{module}.{name}', 80)!r}, which is not made")
    return module, name


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise Unreadable("point", "a name in it is no text")
    return value


def _object(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Unreadable("point", "it fills something else than an object")
    return cast("dict[str, Any]", value)


def _list(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise Unreadable("point", "it fills something else than a list")
    return cast("list[Any]", value)
