"""Texts as sentences and words, measures as one word."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.kinds.ledger.signals.words import merge, sentences, words


def split(text: str) -> list[str]:
    return [sentence.text for sentence in sentences(text)]


def test_sentences_end_at_signs_and_lines_but_not_at_abbreviations() -> None:
    assert split("Slow! Dr. No waited 4.5 hrs. for it...  Really?\nYes") == [
        "Slow!",
        "Dr. No waited 4.5 hrs. for it...",
        "Really?",
        "Yes",
    ]


def test_a_text_without_a_letter_or_digit_has_no_sentence() -> None:
    assert split("!!! ... \n 🙂") == []


def test_a_very_long_sentence_is_parted_between_words() -> None:
    parts = split("slow " * 500)
    assert len(parts) > 1
    assert all(part == " ".join(["slow"] * len(part.split())) for part in parts)


@given(st.text(max_size=3000))
def test_every_letter_is_in_the_sentence_that_says_where_it_stands(text: str) -> None:
    found = list(sentences(text))
    assert all(text[one.start : one.end] == one.text == one.text.strip() for one in found)
    assert all(first.end <= second.start for first, second in pairwise(found))
    inside = sum(character.isalnum() for one in found for character in one.text)
    assert inside == sum(character.isalnum() for character in text)


def test_a_breath_ends_at_a_comma_and_a_dash_not_at_a_hyphen() -> None:
    assert [word.breath for word in words("well-made, fast - yes -- no")] == [0, 0, 1, 2, 3]


def test_a_clause_ends_at_a_word_of_contrast() -> None:
    assert [word.clause for word in words("good but slow")] == [0, 1, 1]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("an hour", "@long"),
        ("45 minutes", "@long"),
        ("2hrs", "@long"),
        ("forty-five min", "@long"),
        ("an hour and a half", "@long"),
        ("an hour and twenty", "@long"),
        ("three quarters of an hour", "@long"),
        ("half an hour", "@long"),
        ("a good hour", "@long"),
        ("a couple of hours", "@long"),
        ("three weeks", "@long"),
        ("five minutes", "@short"),
        ("ten seconds", "@short"),
        ("$20", "@money"),
        ("20 dollars", "@money"),
        ("30 €", "@money"),
    ],
)
def test_a_span_of_time_or_a_sum_is_one_word(text: str, key: str) -> None:
    (word,) = merge(words(text))
    assert word.keys == {key}
    assert (word.start, word.end) == (0, len(text))


@pytest.mark.parametrize(("text", "key"), [("within an hour", "@short"), ("$10 a day", "@rate")])
def test_what_stands_before_a_measure_can_change_it(text: str, key: str) -> None:
    assert merge(words(text))[-1].keys == {key}


@pytest.mark.parametrize("text", ["hour of need", "a table", "the second floor", "4 5"])
def test_what_is_no_measure_stays_as_it_is(text: str) -> None:
    assert len(merge(words(text))) == len(words(text))
