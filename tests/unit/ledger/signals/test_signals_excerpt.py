"""Short parts of reviews, never the whole of one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from quipu.kinds.ledger.signals.extract import LONGEST, excerpt
from quipu.kinds.ledger.signals.words import sentences


def of(text: str, focus: str) -> str:
    """The excerpt of the sentence in which the focus stands."""
    at = text.index(focus)
    one = next(one for one in sentences(text) if one.start <= at < one.end)
    return excerpt(text, one.start, one.end, focus=(at - one.start, at - one.start + len(focus)))


def test_a_short_sentence_of_a_longer_review_is_shown_as_it_is() -> None:
    assert of("Nice room. The  soup\nwas cold. We left.", "cold") == "was cold."
    assert of("Nice room. The  soup was cold. We left.", "cold") == "The soup was cold."


def test_a_review_of_one_sentence_loses_the_word_farthest_from_the_complaint() -> None:
    assert of("The soup was cold.", "cold") == "…soup was cold."
    assert of("Slow service again", "Slow") == "Slow service…"


def test_a_review_of_one_word_is_not_shown() -> None:
    assert of("Overpriced!", "Overpriced") == "…"


def test_a_long_sentence_is_cut_between_words_around_the_complaint() -> None:
    text = "word " * 60 + "tasteless " + "word " * 40 + "end."
    shown = of("First. " + text, "tasteless")
    assert len(shown) <= LONGEST
    assert "tasteless" in shown
    assert shown.startswith("…word")
    assert shown.endswith("word…")


def test_only_a_word_longer_than_an_excerpt_is_cut() -> None:
    shown = of("Bad. " + "o" * 400, "ooo")
    assert shown == "o" * (LONGEST - 1) + "…"


@given(st.text(min_size=1, max_size=1500), st.integers(0, 700), st.integers(0, 60))
def test_an_excerpt_is_short_and_never_the_review(text: str, start: int, length: int) -> None:
    for one in sentences(text):
        shown = excerpt(text, one.start, one.end, focus=(start, start + length))
        assert 0 < len(shown) <= LONGEST
        assert shown != text.strip()
        assert " ".join(shown.split()) != " ".join(text.split())


@given(st.lists(st.sampled_from(["slow", "bad", "soup", "a", "…"]), min_size=1, max_size=60).map(" ".join))
def test_an_excerpt_holds_whole_words_of_the_review(text: str) -> None:
    for one in sentences(text):
        shown = excerpt(text, one.start, one.end, focus=(0, 3))
        assert set(shown.replace("…", " ").split()) <= set(text.split())
