"""Telling languages apart by their smallest words."""

from __future__ import annotations

import pytest
import Stemmer
from hypothesis import given
from hypothesis import strategies as st

from quipu.recall.terms import DEFAULT, KNOWN, STOP, detect

SENTENCES = {
    "english": "where did you put the book that was on the table",
    "german": "wo hast du das buch das auf dem tisch war und nicht mehr da ist",
    "spanish": "dónde está el libro que estaba en la mesa y que no es de ella",
    "french": "où est le livre qui était sur la table et que je ne vois pas",
    "italian": "dove è il libro che era sul tavolo e non so di chi sia questo",
    "portuguese": "onde está o livro que eu não vi e que foi para a mesa do meu pai",
    "dutch": "waar is het boek dat op de tafel lag en van wie is het niet",
    "swedish": "var är boken som jag inte har sett och som ska vara på det bordet",
    "danish": "hvor er den bog som jeg ikke har set og hvad skal vi så gøre nu",
    "russian": "где та книга которую я не видел и что это было на столе у нас",
    "finnish": "missä se on ja kuka sen otti kun minä en ole nyt siellä ja hän ei ole",
    "turkish": "bu ne ve ben onu neden bir daha çok istiyorum ama o yok",
}


def test_every_known_language_has_a_sentence_here_and_a_stemmer() -> None:
    assert set(SENTENCES) == set(KNOWN)
    assert set(KNOWN) <= set(Stemmer.algorithms())
    assert DEFAULT in KNOWN


@pytest.mark.parametrize("language", KNOWN)
def test_a_sentence_tells_its_language(language: str) -> None:
    other = "german" if language != "german" else "english"
    assert detect(SENTENCES[language].split(), fallback=other) == language


@pytest.mark.parametrize("text", ["", "boat", "the boat", "der Hafen", "a e o", "no"])
def test_too_little_tells_nothing(text: str) -> None:
    assert detect(text.split(), fallback="finnish") == "finnish"


@given(st.lists(st.sampled_from([w for words in STOP.values() for w in words]), max_size=30))
def test_the_answer_is_a_known_language_whatever_the_order(words: list[str]) -> None:
    assert detect(words) in KNOWN
    assert detect(words) == detect(sorted(words))
