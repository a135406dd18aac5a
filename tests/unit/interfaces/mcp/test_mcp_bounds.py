"""Answers stay within their budget, and say what they left out."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from quipu.interfaces.mcp.bounds import compact, fitting, more, shortened, tokens

CELLS = st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=300))
VALUES = st.recursive(
    CELLS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner, max_size=4)
)


@settings(max_examples=15)
@given(st.lists(VALUES, max_size=12), st.integers(1, 500))
def test_what_fits_is_the_beginning_and_costs_no_more_than_the_budget(items: list[Any], budget: int) -> None:
    kept, left = fitting(items, most_tokens=budget)
    assert kept == items[: len(kept)]
    assert len(kept) + left == len(items)
    assert bool(kept) == bool(items)
    assert sum(tokens(compact(item)) for item in kept) <= budget or len(kept) == 1


@settings(max_examples=15)
@given(VALUES, st.integers(5, 100))
def test_no_text_stays_longer_than_it_may_and_short_ones_stay_as_they_are(value: Any, longest: int) -> None:
    def texts(of: Any) -> list[str]:
        match of:
            case str():
                return [of]
            case dict():
                return [text for cell in of.values() for text in texts(cell)]
            case list():
                return [text for cell in of for text in texts(cell)]
            case _:
                return []

    cut = shortened(value, longest=longest)
    assert len(texts(cut)) == len(texts(value))
    for before, after in zip(texts(value), texts(cut), strict=True):
        assert len(after) <= longest
        assert after == before if len(before) <= longest else after.endswith("…")


def test_only_what_was_left_out_is_told() -> None:
    assert more(0, "ask for less") == ""
    assert more(3, "ask for less.") == "\n(3 more did not fit; ask for less.)"
