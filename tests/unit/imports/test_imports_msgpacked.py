"""MessagePack of LangGraph is read as data: the classes that it names are not imported."""

from __future__ import annotations

import math
import sys
from contextlib import suppress
from typing import Any

import ormsgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.app.imports.fields import Unreadable
from quipu.app.imports.sources.msgpacked import Made, as_json, unpacked

PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False)
    | st.text(max_size=40)
    | st.binary(max_size=40),
    lambda inner: st.lists(inner, max_size=20) | st.dictionaries(st.text(max_size=5), inner, max_size=20),
    max_leaves=40,
)


def packed(code: int, *parts: Any) -> bytes:
    """An extension of LangGraph."""
    return ormsgpack.packb(ormsgpack.Ext(code, ormsgpack.packb(list(parts))))


@given(PLAIN)
def test_plain_values_are_read_as_the_library_reads_them(value: Any) -> None:
    assert unpacked(ormsgpack.packb(value)) == ormsgpack.unpackb(ormsgpack.packb(value))


@pytest.mark.parametrize("size", [0, 15, 16, 31, 32, 255, 256, 65_535, 65_536])
def test_every_size_has_its_form(size: int) -> None:
    for value in ("x" * size, b"x" * size, [0] * size, {str(one): one for one in range(size)}):
        assert unpacked(ormsgpack.packb(value)) == value


@pytest.mark.parametrize("code", range(6))
def test_an_object_of_python_is_its_name_and_what_it_was_made_from(code: int) -> None:
    value = unpacked(packed(code, "a_module_that_is_not_there", "Thing", {"x": 1}, "method"))
    assert value == Made("a_module_that_is_not_there", "Thing", {"x": 1})
    assert as_json([value]) == [{"x": 1}]


def test_a_class_that_is_named_is_not_imported() -> None:
    """``antigravity`` opens a browser when it is imported."""
    for module, name in (("antigravity", "fly"), ("os", "system")):
        sys.modules.pop("antigravity", None)
        assert unpacked(packed(0, module, name, "true")) == Made(module, name, "true")
    assert "antigravity" not in sys.modules


def test_a_snapshot_is_its_value_and_an_array_is_passed_over() -> None:
    assert unpacked(ormsgpack.packb(ormsgpack.Ext(7, ormsgpack.packb([1, 2])))) == [1, 2]
    assert unpacked(ormsgpack.packb([ormsgpack.Ext(6, b"\xff"), ormsgpack.Ext(99, b"")])) == [None, None]


def test_what_json_has_no_form_for_is_told_in_words() -> None:
    names = ormsgpack.packb({1: "a", None: "b"}, option=ormsgpack.OPT_NON_STR_KEYS)
    assert unpacked(names) == {"1": "a", "None": "b"}
    assert as_json({"b": b"12", "n": math.nan, "i": math.inf}) == {"b": "[2 bytes]", "n": None, "i": None}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xc1",
        b"\x01\x02",
        b"\xa5ab",
        b"\xa1\xff",
        b"\xdd\xff\xff\xff\xff",
        b"\xdf\xff\xff\xff\xff",
        b"\xdb\xff\xff\xff\xffx",
        b"\x91" * 5_000 + b"\x01",
        b"\xc7\x00\x05",
        packed(5, "module", "Thing"),
        packed(5, 1, 2, 3),
        ormsgpack.packb(ormsgpack.Ext(5, b"\x01\x02")),
    ],
)
def test_damage_is_refused(data: bytes) -> None:
    with pytest.raises(Unreadable):
        unpacked(data)


def test_extensions_in_one_another_are_refused_before_they_are_too_many() -> None:
    data = b"\x01"
    for _ in range(300):
        data = ormsgpack.packb(ormsgpack.Ext(7, data))
    with pytest.raises(Unreadable, match="deep"):
        unpacked(data)


@given(st.binary(max_size=300))
def test_any_bytes_are_refused_at_most(data: bytes) -> None:
    with suppress(Unreadable):
        as_json(unpacked(data))
