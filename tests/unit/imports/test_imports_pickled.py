"""Pickles of Qdrant's points are read as data: what they name is not made, and nothing in them runs."""

from __future__ import annotations

import builtins
import io
import math
import os
import pickle
import struct
import uuid
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.app.imports.fields import Unreadable
from quipu.app.imports.sources.pickled import read_point

_MODULE = "qdrant_client.http.models.models"


class PointStruct:
    """As qdrant-client's of pydantic 2, without it."""

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)

    def __getstate__(self) -> dict[str, Any]:
        return {
            "__dict__": dict(self.__dict__),
            "__pydantic_extra__": None,
            "__pydantic_fields_set__": {"id", "vector", "payload"},
            "__pydantic_private__": None,
        }


class SparseVector(PointStruct):
    """The other model that points have."""


for _model in (PointStruct, SparseVector):
    _model.__module__, _model.__qualname__ = _MODULE, _model.__name__


def packed(id_: Any, payload: Any, vector: Any = None, *, protocol: int = 4) -> bytes:
    """A point as its pickle, though there is no such module."""

    class Pickler(pickle._Pickler):  # type: ignore[name-defined]
        def save_global(self, obj: Any, name: Any = None) -> None:
            if obj not in (PointStruct, SparseVector):
                return super().save_global(obj, name)
            self.save(_MODULE)
            self.save(obj.__name__)
            self.write(pickle.STACK_GLOBAL)
            self.memoize(obj)
            return None

        dispatch: ClassVar[Any] = {**pickle._Pickler.dispatch, type: save_global}  # type: ignore[attr-defined]

    file = io.BytesIO()
    Pickler(file, protocol).dump(PointStruct(id=id_, vector=vector, payload=payload))
    return file.getvalue()


PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**500), 2**500)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@given(
    st.text(min_size=1) | st.integers(0, 2**64), st.dictionaries(st.text(), PLAIN), st.sampled_from([4, 5])
)
def test_a_point_is_read_as_pickle_would_read_it(id_: Any, payload: Any, protocol: int) -> None:
    vector = {"": [0.5, -1.0, 2.25] * 20, "bm25": SparseVector(indices=[1, 2], values=[0.5, 1.5])}
    assert read_point(packed(id_, payload, vector, protocol=protocol)) == (id_, payload)


def test_an_id_may_be_a_uuid() -> None:
    id_ = uuid.UUID("3043fb2c-87ce-4a5e-a78e-57349f2b2f9b")
    assert read_point(packed(id_, {}))[0] == str(id_)


def test_many_numbers_in_a_row_are_all_there() -> None:
    numbers = [float(one) for one in range(10_000)]
    assert read_point(packed("a", {"n": numbers, "m": 1.5}))[1] == {"n": numbers, "m": 1.5}


class _Calls:
    """Pickles as a call of something."""

    def __init__(self, what: Callable[..., Any], *args: Any) -> None:
        self._call = what, args

    def __reduce__(self) -> Any:
        return self._call


def _text(text: str) -> bytes:
    return b"\x8c" + bytes([len(text)]) + text.encode()


MARK = "quipu-was-here"
ATTACKS = {
    "os.system": lambda place: pickle.dumps(_Calls(os.system, f"touch {place}")),
    "eval": lambda place: pickle.dumps(_Calls(builtins.eval, f"open({str(place)!r}, 'w')")),
    "in a payload": lambda place: packed("a", {"x": _Calls(os.system, f"touch {place}")}),
    "by its line": lambda place: (
        b"cos\nsystem\n(X" + struct.pack("<I", 6 + len(str(place))) + f"touch {place}".encode() + b"tR."
    ),
    "an old object": lambda place: b"(ios\nsystem\n.",
    "another old object": lambda place: b"(cos\nsystem\no.",
    "a name of a name": lambda place: (
        b"\x80\x04" + _text(_MODULE) + _text("PointStruct.__init__.__globals__") + b"\x93."
    ),
    "a known name elsewhere": lambda place: b"\x80\x04" + _text("builtins") + _text("PointStruct") + b"\x93.",
    "a registered extension": lambda place: b"\x80\x04\x82\x01.",
    "a persistent id": lambda place: b"\x80\x04Pabc\n.",
    "a change of a name": lambda place: b"\x80\x04" + _text(_MODULE) + _text("PointStruct") + b"\x93}b.",
    "a call of a name": lambda place: b"\x80\x04" + _text(_MODULE) + _text("PointStruct") + b"\x93)R.",
    "a model with arguments": lambda place: (
        b"\x80\x04" + _text(_MODULE) + _text("PointStruct") + b"\x93N\x85\x81."
    ),
    "a far place in the memo": lambda place: b"\x80\x04Nr\xff\xff\xff\x7f.",
    "a number without end": lambda place: b"\x80\x04\x8b" + struct.pack("<i", 2**31 - 1) + b"1.",
    "a text without end": lambda place: b"\x80\x04\x8d" + struct.pack("<Q", 2**63) + b"x.",
    "nothing on the stack": lambda place: b"\x80\x04.",
    "no mark": lambda place: b"\x80\x04t.",
    "no end": lambda place: b"\x80\x04N",
    "no place in the memo": lambda place: b"\x80\x04h\x07.",
    "something plain": lambda place: pickle.dumps({"id": "a", "payload": {}}),
}


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS.keys())
def test_an_attack_is_refused_and_runs_nothing(attack: Callable[[Path], bytes], tmp_path: Path) -> None:
    place = tmp_path / MARK
    with pytest.raises(Unreadable):
        read_point(attack(place))
    assert not place.exists()


def test_what_is_not_made_is_named() -> None:
    with pytest.raises(Unreadable, match=r"posix\.system|nt\.system"):
        read_point(packed("a", {"x": _Calls(os.system, "true")}))


def test_a_payload_that_holds_itself_or_one_list_too_often_is_refused() -> None:
    payload: dict[str, Any] = {}
    payload["self"] = payload
    many: list[Any] = []
    for _ in range(60):
        many = [many, many]
    for one in (payload, {"x": many}, {"x": b"bytes"}, {"x": {1: 2}}, {"x": math.inf}):
        with pytest.raises(Unreadable):
            read_point(packed("a", one))


@given(st.data())
def test_damage_is_refused_and_nothing_else_raised(data: st.DataObject) -> None:
    whole = bytearray(packed("a", {"data": "Likes olives.", "n": [1, 2.5, None]}, [0.5] * 3))
    for _ in range(data.draw(st.integers(1, 3))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(whole)))
    with suppress(Unreadable):
        read_point(bytes(whole[:cut]))


@given(st.binary(max_size=300))
def test_any_bytes_are_refused_at_most(data: bytes) -> None:
    with suppress(Unreadable):
        read_point(b"\x80\x04" + data)
