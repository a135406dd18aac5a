from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from quipu.kernel.embedding.embedder import prepare

ANY_TEXT = st.text(st.characters(codec=None))


def test_runs_of_white_space_become_one_space() -> None:
    assert prepare("  a\n\n\tb  c ", max_tokens=256) == "a b c"


def test_lone_surrogates_are_left_out() -> None:
    assert prepare("ab\ud800c", max_tokens=256) == "abc"


def test_a_long_margin_does_not_hide_the_text() -> None:
    assert prepare(" " * 1_000_000 + "words", max_tokens=256) == "words"


@given(ANY_TEXT, st.integers(1, 64))
def test_what_comes_out_is_short_and_can_be_written_as_utf8(text: str, max_tokens: int) -> None:
    prepared = prepare(text, max_tokens=max_tokens)
    assert len(prepared) <= 8 * max_tokens
    prepared.encode("utf-8")


@given(ANY_TEXT, st.integers(1, 64))
def test_preparing_twice_changes_nothing(text: str, max_tokens: int) -> None:
    once = prepare(text, max_tokens=max_tokens)
    assert prepare(once, max_tokens=max_tokens).split() == once.split()
