"""The same is the same in other letters; the opposite is found whichever comes first."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quipu.kinds.transcripts.extract.extractor import explicit
from quipu.kinds.transcripts.extract.sameness import contradicts, normal_form, normal_hash
from quipu.kinds.transcripts.lessons.decay import MOST, repeated

WORDS = st.lists(
    st.sampled_from(
        [
            "the",
            "user",
            "team",
            "prefers",
            "uses",
            "never",
            "always",
            "tabs",
            "spaces",
            "over",
            "not",
            "npm",
            "pnpm",
            "port",
            "80",
            "90",
            "on",
        ]
    ),
    max_size=9,
).map(" ".join)


def test_case_articles_and_punctuation_make_no_difference() -> None:
    assert normal_hash("The user prefers tabs.") == normal_hash("user prefers the tabs!")
    assert normal_hash("Use C++.") != normal_hash("Use C#.")
    assert normal_form("...") == ""
    assert normal_hash("...") != normal_hash("!!!")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The user prefers tabs over spaces.", "The user prefers spaces over tabs."),
        ("The user prefers tabs.", "The user does not like tabs."),
        ("Use pnpm, not npm.", "Use npm instead of pnpm."),
        ("Never use mocks.", "Always use mocks."),
        ("The API runs on port 8080.", "The API runs on port 9090."),
        ("Prod is on postgres 14.", "Prod is on postgres 16."),
    ],
)
def test_opposites_contradict_each_other(one: str, other: str) -> None:
    assert contradicts(one, other)
    assert contradicts(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The user prefers tabs.", "The user prefers dark themes."),
        ("The user prefers tabs over spaces.", "The user prefers tabs."),
        ("Never use mocks.", "Never use sleep."),
        ("The user likes it when errors say what to do.", "The user does not like it when you apologize."),
        ("Service 1 runs on this machine.", "Service 2 runs on this machine."),
        ("The API runs on port 8080.", "The proxy runs on port 9090."),
    ],
)
def test_other_things_do_not(one: str, other: str) -> None:
    assert not contradicts(one, other)


@settings(max_examples=50)
@given(WORDS, WORDS)
def test_contradiction_is_mutual_and_never_of_itself(one: str, other: str) -> None:
    assert contradicts(one, other) == contradicts(other, one)
    assert not contradicts(one, one)


@settings(max_examples=50)
@given(st.floats(0, 1), st.integers(1, 20))
def test_repetition_never_lowers_and_never_makes_certain(confidence: float, sessions: int) -> None:
    surer = repeated(confidence, sessions)
    assert confidence <= surer <= max(MOST, confidence)
    assert repeated(confidence, sessions + 1) >= surer
    assert repeated(confidence, 1) == pytest.approx(confidence)


def test_a_hedge_lowers() -> None:
    assert explicit(0.9, hedged=True) == pytest.approx(0.72)
