"""The part of a long text that answers."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hostile import read_through, texts
from quipu.recall.terms import LONG_CHARACTERS, best_passage, passages, question_terms

long_texts = st.lists(texts, max_size=8).map(lambda parts: " ".join(parts * 40)) | texts.map(lambda t: t * 90)


@given(long_texts)
def test_passages_cover_the_text_without_gaps_and_none_is_too_long(text: str) -> None:
    found = list(passages(text))
    assert "".join(text[start:end] for start, end in found) == text
    assert all(0 < end - start <= 2_000 for start, end in found)


@given(long_texts, texts)
def test_the_best_passage_lies_within_a_long_text_and_a_short_one_is_whole(text: str, question: str) -> None:
    span = best_passage(text, question_terms(question, ("english",)))
    if len(text) <= LONG_CHARACTERS:
        assert span is None
    else:
        assert span is not None
        assert 0 <= span[0] < span[1] <= len(text)


def test_the_passage_with_most_of_the_words_is_shown_and_the_first_wins_a_tie() -> None:
    filler = "Nothing of interest happens here. " * 60
    answers = ("The green boat. ", "The green boat was painted. ", "The green boat was painted again.")
    text = "".join(filler + answer for answer in answers)
    span = best_passage(text, question_terms("Who painted the boat green?", ("english",)))
    assert span is not None
    assert "The green boat was painted. " in text[slice(*span)]
    assert best_passage(text, {}) == next(passages(text))


def test_what_lies_far_down_in_a_long_text_is_found() -> None:
    text = "Some words of no use at all.\n" * 10_000 + "The xylophone is in the attic.\n"
    span = best_passage(text, question_terms("xylophone", ("english",)))
    assert span is not None
    assert "xylophone" in text[slice(*span)]


def test_passages_of_any_text_are_found() -> None:
    terms = question_terms("the boat", ("english",))
    read_through(lambda text: best_passage(text, terms))
