import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.kernel.base.text import Cleaned, clean, content_hash, count_words, excerpt, size_bytes

ANY_CHARACTER = st.characters(exclude_categories=())  # surrogates too


@pytest.mark.parametrize(
    "ordinary", ["", "hello", "héllo wörld", "你好", "🙂", "tab\tnewline\n\x7f", "\ufffd"]
)
def test_an_ordinary_text_stays_as_it_is(ordinary: str):
    assert clean(ordinary) == Cleaned(ordinary, 0)


def test_nul_and_lone_surrogates_are_replaced_and_counted():
    assert clean("a\0b\ud800c\udc00d") == Cleaned("a\ufffdb\ufffdc\ufffdd", 3)


def test_a_split_character_is_joined_and_not_counted_as_damage():
    assert clean("\ud83d\ude42 ok") == Cleaned("🙂 ok", 0)


def test_of_a_pair_in_the_wrong_order_both_halves_are_replaced():
    assert clean("\ude42\ud83d") == Cleaned("\ufffd\ufffd", 2)


@given(st.text(ANY_CHARACTER))
def test_what_is_clean_can_be_stored_and_stays_clean(text: str):
    cleaned = clean(text)
    cleaned.text.encode("utf-8")
    assert "\0" not in cleaned.text
    assert clean(cleaned.text) == Cleaned(cleaned.text, 0)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 0),
        ("  ", 0),
        ("one", 1),
        ("don't stop", 2),
        ("a-b c", 3),
        ("¿qué tal?", 2),
        ("你好世界", 2),
        ("你好吗", 2),
        ("GPT 很好", 2),
    ],
)
def test_words_are_counted_in_scripts_with_and_without_spaces(text: str, words: int):
    assert count_words(text) == words


@given(st.text(), st.text())
def test_a_longer_text_never_has_fewer_words(left: str, right: str):
    assert count_words(f"{left} {right}") >= max(count_words(left), count_words(right))


def test_an_excerpt_that_fits_is_the_whole_text_on_one_line():
    assert excerpt("  two\n  lines ", 9) == "two lines"


def test_an_excerpt_is_cut_between_words_and_says_so():
    assert excerpt("the quick brown fox jumps", 14) == "the quick…"
    assert excerpt("the quick brown fox", 10) == "the quick…"


def test_an_excerpt_of_text_without_spaces_is_cut_where_it_must_be():
    assert excerpt("你好世界你好世界", 5) == "你好世界…"


def test_an_excerpt_of_a_text_with_a_long_gap_still_says_that_it_was_cut():
    assert excerpt("start" + " " * 1000 + "end", 10).endswith("…")


@given(st.text(), st.integers(1, 50))
def test_an_excerpt_never_exceeds_its_length_and_never_breaks_the_line(text: str, length: int):
    found = excerpt(text, length)
    assert len(found) <= length
    assert len(found.splitlines()) <= 1


def test_an_excerpt_of_nothing_is_refused():
    with pytest.raises(ValueError, match="at least one"):
        excerpt("text", 0)


def test_the_content_hash_is_sha256_of_utf8():
    assert content_hash("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert content_hash("é") != content_hash("e")


@given(st.text(ANY_CHARACTER))
def test_the_size_is_that_of_the_text_in_utf8(text: str):
    cleaned = clean(text).text
    assert size_bytes(cleaned) == len(cleaned.encode())


@pytest.mark.parametrize("unit", ["\0", "\ud800", "\ude42\ud83d", "word ", " ", "你", "don't'"])
def test_a_long_text_costs_no_more_than_its_length(unit: str):
    long = unit * (400_000 // len(unit))
    clean(long)
    count_words(long)
    excerpt(long, 200)
