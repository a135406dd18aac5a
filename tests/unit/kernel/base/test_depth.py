"""How deep a JSON text is, found without reading it level by level."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.kernel.base.depth import DEEPEST, is_too_deep

VALUES = st.recursive(
    st.none() | st.integers() | st.text(alphabet='a"\\[]{}'),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(alphabet='"\\[{'), inner, max_size=3),
)


@pytest.mark.parametrize(
    ("text", "deep"),
    [
        (b"[" * DEEPEST + b"]" * DEEPEST, False),
        (b"[" * (DEEPEST + 1), True),
        (b'{"a":' * 100_000, True),
        (b"[]," * 500, False),
        (b'["' + b"[" * 500 + b'"]', False),
        (b'["\\"' + b"[" * 500 + b'"]', False),
        (b'["\\\\",' + b"[" * 500, True),
        (b"", False),
    ],
)
def test_levels_are_counted_outside_of_strings(text: bytes, deep: bool) -> None:
    assert is_too_deep(text) is deep


@given(VALUES, st.integers(0, 2 * DEEPEST))
def test_a_value_is_too_deep_exactly_beyond_the_limit(value: object, levels: int) -> None:
    depth = _depth(value) + levels
    for _ in range(levels):
        value = [value]
    assert is_too_deep(json.dumps(value).encode()) is (depth > DEEPEST)


def _depth(value: object) -> int:
    if isinstance(value, list):
        return 1 + max(map(_depth, value), default=0)
    if isinstance(value, dict):
        return 1 + max(map(_depth, value.values()), default=0)
    return 0
