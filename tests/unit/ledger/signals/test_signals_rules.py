"""What the words of a sentence complain about."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.kinds.ledger.signals.complaints import judge
from quipu.kinds.ledger.signals.lexicon import lexicon
from quipu.kinds.ledger.signals.words import sentences


def themes(sentence: str) -> set[str]:
    return {complaint.theme for complaint in judge(sentence).complaints}


@pytest.mark.parametrize(
    ("sentence", "wanted"),
    [
        ("We waited forty minutes for a table.", {"wait_time"}),
        ("We waited forty minutes for our food.", {"kitchen_delay"}),
        ("We waited forty minutes for the bill.", {"service_speed"}),
        ("Service was painfully slow.", {"service_speed"}),
        ("The kitchen was painfully slow.", {"kitchen_delay"}),
        ("Check-in was painfully slow.", {"host_queue", "wait_time"}),
        ("The hostess was rude.", {"host_queue"}),
        ("The waitress was rude.", {"other"}),
        ("The food was terrible.", {"food_quality"}),
        ("The prices are terrible.", {"value"}),
        ("The queue was terrible.", {"wait_time"}),
    ],
)
def test_what_is_complained_of_decides_the_theme(sentence: str, wanted: set[str]) -> None:
    assert themes(sentence) == wanted


@pytest.mark.parametrize(
    "sentence",
    [
        "Our waiter was quick.",
        "The wait staff wore black.",
        "I ordered online.",
        "The headline act was good.",
        "Our server was kind.",
        "They hosted my birthday.",
        "I can't wait to come back!",
        "How long is the wait usually?",
    ],
)
def test_a_word_inside_another_or_of_another_meaning_is_no_complaint(sentence: str) -> None:
    assert themes(sentence) == set()


@pytest.mark.parametrize(
    "sentence",
    [
        "We didn't have to wait.",
        "No wait at all.",
        "The service is never slow.",
        "Nothing was overpriced.",
        "The chicken was not dry.",
        "I never had a bad meal here.",
        "There was nothing on the plate that I did not love.",
        "The wait is worth it.",
        "Worth the wait!",
        "You get a table within an hour.",
        "The line was long at first but it moved quickly.",
        "The burger is insanely good.",
    ],
)
def test_what_is_denied_or_taken_back_is_no_complaint(sentence: str) -> None:
    assert judge(sentence).settled
    assert themes(sentence) == set()


@pytest.mark.parametrize(
    ("sentence", "wanted"),
    [
        ("The food is not good.", {"food_quality"}),
        ("The service is never quick.", {"service_speed"}),
        ("Not worth the wait.", {"wait_time"}),
        ("Not worth the money.", {"value"}),
    ],
)
def test_praise_that_is_denied_is_a_complaint(sentence: str, wanted: set[str]) -> None:
    assert themes(sentence) == wanted


@pytest.mark.parametrize(
    ("sentence", "wanted"),
    [
        ("The food was great but took forever.", {"kitchen_delay"}),
        ("The waiter was quick, but the soup was cold.", {"food_quality"}),
        ("Tasteless food at outrageous prices.", {"food_quality", "value"}),
        ("Long line at the door and slow service inside.", {"wait_time", "service_speed"}),
    ],
)
def test_praise_and_several_complaints_stand_beside_each_other(sentence: str, wanted: set[str]) -> None:
    assert themes(sentence) == wanted


@pytest.mark.parametrize(
    "sentence",
    [
        "SERVICE WAS SLOW",
        "servce was sloooow",
        "The ｓｅｒｖｉｃｅ was slow",
        "Our maître d’ wasn’t friendly",
    ],
)
def test_case_emphasis_typos_and_other_characters_are_read(sentence: str) -> None:
    assert themes(sentence)


def test_a_complaint_points_to_the_words_that_show_it() -> None:
    sentence = "The room was fine and the soup was tasteless."
    (complaint,) = judge(sentence).complaints
    assert sentence[complaint.start : complaint.end] == "tasteless"


def test_a_sentence_without_a_known_word_is_left_to_the_embedding() -> None:
    verdict = judge("My sister came along that day.")
    assert not verdict.settled
    assert verdict.complaints == ()


@given(st.text(max_size=400))
def test_no_text_is_too_strange(text: str) -> None:
    for sentence in sentences(text):
        verdict = judge(sentence.text)
        for complaint in verdict.complaints:
            assert 0 <= complaint.start < complaint.end <= len(sentence.text)


_VOCABULARY = sorted(
    {key.lstrip("=") for key in lexicon().patterns.keys if not key.startswith("@")}
    | {"the", "45", "minutes", "an", "hour", "$", "20", ",", "but", "?", "-", "and a half"}
)


@given(st.lists(st.sampled_from(_VOCABULARY), max_size=30).map(" ".join))
def test_any_row_of_known_words_is_judged_the_same_twice(text: str) -> None:
    assert judge(text) == judge(text)
    assert len({complaint.theme for complaint in judge(text).complaints}) == len(judge(text).complaints)


@pytest.mark.parametrize(
    "unit", ["not slow wait ", "hundred ", "one hour and a half ", "the food was ", "a", "! "]
)
def test_a_long_text_is_judged(unit: str) -> None:
    for sentence in sentences(unit * (24_000 // len(unit))):
        judge(sentence.text)
