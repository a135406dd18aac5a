"""The file of phrases, and words that are misspelled."""

from __future__ import annotations

import pytest

from quipu.kinds.ledger.signals.lexicon import Patterns, lexicon, parse, read
from quipu.kinds.ledger.signals.model import THEMES
from quipu.kinds.ledger.signals.words import keys_of, words


def find(phrase: str, text: str) -> list[str]:
    pattern = parse("family", phrase, lambda word: frozenset((word,)) if word[0] == "=" else keys_of(word))
    read_words = words(text)
    found = Patterns([pattern]).find(read_words)
    return [" ".join(word.text for word in read_words[span.first : span.last + 1]) for span in found]


def test_a_word_of_a_phrase_stands_for_its_inflections() -> None:
    assert find("wait table", "we waited tables") == ["waited tables"]


def test_an_exact_word_stands_for_itself_alone() -> None:
    assert find("=host", "hosted by a host") == ["host"]


def test_a_gap_is_at_most_four_words_of_one_breath() -> None:
    assert find("wait .. table", "wait one two three four table") == ["wait one two three four table"]
    assert find("wait .. table", "wait one two three four five table") == []
    assert find("wait .. table", "wait, table") == []


@pytest.mark.parametrize("phrase", ["", "..", "wait ..", ".. wait", "a| b"])
def test_a_phrase_that_cannot_be_meant_is_refused(phrase: str) -> None:
    with pytest.raises(ValueError, match="family"):
        parse("family", phrase, keys_of)


def test_every_theme_has_phrases_of_its_own() -> None:
    families = {span.family for theme in THEMES for span in lexicon().patterns.find(read(_SHOWN[theme]))}
    assert {f"themes.{theme}" for theme in THEMES} <= families


_SHOWN = {
    "wait_time": "not worth the wait",
    "service_speed": "understaffed",
    "host_queue": "double booked",
    "kitchen_delay": "order was not ready",
    "food_quality": "bland",
    "value": "overpriced",
    "other": "filthy",
}


@pytest.mark.parametrize(
    ("written", "meant"), [("overprced", "overpriced"), ("resturant", "restaurant"), ("kichen", "kitchen")]
)
def test_a_misspelled_word_is_read_as_what_was_meant(written: str, meant: str) -> None:
    assert read(written)[0].keys == read(meant)[0].keys


@pytest.mark.parametrize("word", ["super", "started", "stuffed", "appealing", "garage", "salon", "leaking"])
def test_a_word_that_is_right_is_not_taken_for_another(word: str) -> None:
    assert f"={word}" in read(word)[0].keys


def test_a_shortened_not_is_a_denial() -> None:
    assert read("wasn’t")[0].keys & lexicon().denying
    assert not read("was")[0].keys & lexicon().denying
