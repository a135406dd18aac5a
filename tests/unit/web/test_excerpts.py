"""Excerpts fit their bytes, and the rest of a value is not even written."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import escape

from quipu.interfaces.web.excerpts import excerpt, readable

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=300)


@given(TEXTS, st.integers(1, 200))
def test_an_excerpt_is_a_beginning_that_fits(text: str, most: int) -> None:
    shown = excerpt(text, most_bytes=most)
    assert text.startswith(shown.text)
    assert len(escape(shown.text).encode()) <= most
    assert shown.is_cut == (shown.text != text)


@pytest.mark.parametrize("text", ["&" * 10_000, "\U0001f600" * 10_000, "a" + "<" * 9_999])
def test_an_excerpt_uses_most_of_its_room(text: str) -> None:
    assert len(escape(excerpt(text, most_bytes=1_000).text).encode()) > 900


@given(
    st.recursive(
        st.none() | st.integers() | TEXTS, lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner)
    )
)
def test_a_value_that_fits_is_written_in_full(value: object) -> None:
    shown = readable(value, most_bytes=10**7)
    assert not shown.is_cut
    assert json.loads(shown.text) == value


def test_of_a_large_or_deep_value_the_beginning_is_shown() -> None:
    shown = readable({"numbers": range_of(1_000_000)}, most_bytes=500)
    assert shown.is_cut
    assert shown.text.startswith('{\n  "numbers": [\n    0,\n    1,')
    deep: object = 1
    for _ in range(5_000):
        deep = [deep]
    assert readable(deep, most_bytes=10**9).is_cut


def range_of(count: int) -> list[int]:
    return list(range(count))
