"""What a text is found by."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from hostile import read_through, texts
from quipu.recall.terms import KNOWN, Bag, bag, fold, question_terms, term_hash


def finds(question: str, text: str, *, languages: tuple[str, ...] = ("english",)) -> bool:
    held = set(bag(text).hashes.tolist())
    return any(not held.isdisjoint(hashes) for hashes in question_terms(question, languages).values())


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("painting", "She painted the fence."),
        ("CAFE", "Wir trafen uns im Café."),
        ("cafe\u0301", "the café"),
        ("dont panic", "Don't panic"),
        ("well-known", "a well known song"),
        ("user_id", "set user_id to 5"),
        ("src/app.py", "it is in src/app.py, line 3"),
        ("HTTP header", "parseHTTPHeader failed"),
        ("parseHTTPHeader", "see parseHTTPHeader()"),
        ("玫瑰", "我们昨天在花园里种了玫瑰"),
        ("ボート", "ボートは緑色に塗られた"),
        ("เรือ", "เราซ่อมเรือเมื่อวาน"),
        ("fi", "the ﬁ ligature is folded"),
        ("２０２４", "in 2024"),
        ("лодка", "Мы починили лодку вчера, и она была как новая для нас"),
    ],
)
def test_a_question_finds_the_text(question: str, text: str) -> None:
    languages = ("english", "russian", bag(text).language)
    assert finds(question, text, languages=languages)


@pytest.mark.parametrize(
    ("question", "text"),
    [("what is it", "what is it"), ("boat", "goat"), ("玫瑰", "百合"), ("", "x"), ("😀", "😀")],
)
def test_a_question_does_not_find_by_what_says_nothing(question: str, text: str) -> None:
    assert not finds(question, text)


@pytest.mark.parametrize(
    ("language", "text", "question"),
    [
        (
            "german",
            "Wir haben das Boot im Hafen nicht mehr gesehen und sind dann nach Hause gegangen",
            "Häfen gesehen",
        ),
        ("spanish", "Los gatos no están en la casa y nosotros no los hemos visto", "gato"),
        ("french", "Les chevaux que nous avons vus dans le jardin ne sont pas à nous", "cheval jardins"),
    ],
)
def test_the_language_of_a_text_is_told_and_its_words_stemmed(
    language: str, text: str, question: str
) -> None:
    assert bag(text).language == language
    assert finds(question, text, languages=(language,))


def check(found: Bag) -> None:
    assert len(found.hashes) == len(found.occurrences) <= 4096
    assert found.hashes.dtype == np.int32
    assert found.occurrences.dtype == np.int16
    assert bool((np.diff(found.hashes.astype(np.int64)) > 0).all())
    assert bool((found.occurrences > 0).all())
    assert found.tokens >= int(found.occurrences.sum())
    assert (found.tokens > 0) == (len(found.hashes) > 0)
    assert found.words >= 0
    assert found.language in KNOWN


@given(texts)
def test_every_text_has_a_bag_within_its_bounds(text: str) -> None:
    check(bag(text))
    for language in KNOWN:
        assert bag(text, language=language).language == language


@given(texts)
def test_a_text_asked_for_by_itself_is_found_by_all_its_terms(text: str) -> None:
    found = bag(text)
    asked = {h for hashes in question_terms(text, (found.language,)).values() for h in hashes}
    assert set(found.hashes.tolist()) <= asked


@given(texts, texts)
def test_saying_more_adds_terms_and_takes_none(one: str, more: str) -> None:
    alone, both = (bag(text, language="english") for text in (one, f"{one}\n{more}"))
    assert set(alone.hashes.tolist()) <= set(both.hashes.tolist())
    assert alone.tokens <= both.tokens


def test_a_text_of_many_megabytes_is_read_at_its_beginning_only() -> None:
    check(bag("word " * 2_000_000))
    check(bag("x" * 10_000_000))
    many = bag(" ".join(f"w{n}" for n in range(50_000)))
    assert len(many.hashes) == 4096
    frequent = bag("boat " * 40_000)
    assert frequent.occurrences.tolist() == [32_000]


@given(texts)
def test_folding_twice_is_folding_once(text: str) -> None:
    for word in text.split():
        assert fold(fold(word)) == fold(word)


def test_the_number_of_a_term_is_the_same_everywhere() -> None:
    assert term_hash("123456789") == 0xCBF43926 - 2**32  # the check value of CRC-32
    assert all(-(2**31) <= term_hash(f"t{n}") < 2**31 for n in range(1000))


@given(texts)
def test_every_question_has_terms_with_one_number_for_each_language_at_most(text: str) -> None:
    asked = question_terms(text, KNOWN[:3])
    assert all(1 <= len(hashes) <= 3 for hashes in asked.values())
    assert len(set(asked.values())) == len(asked)


def test_terms_are_found_in_any_text() -> None:
    read_through(bag)
    read_through(lambda text: question_terms(text, ("english", "german")), characters=20_000)
