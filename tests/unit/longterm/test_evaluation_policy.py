"""What is never kept is refused by code, whoever evaluated it and whatever the category."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quipu.errors import ConfigError
from quipu.kinds.longterm.model import CATEGORIES
from quipu.kinds.longterm.policy import Policy, forbidden, policy, refused

NEVER = (
    "my PIN is 4821", "card 4111 1111 1111 1111", "IBAN DE89 3704 0044 0532 0130 00",
    "social security number 078-05-1120", "passport number C01X00T47", "the password is Tulip!99",
    "api key sk-proj-a8Fh3kLm9QpXz7Rt2Vw5Yb1Nc4Dg6Hj0",
)  # fmt: skip
HEALTH = (
    "The user has asthma.", "The user is allergic to nuts.", "The user takes antidepressants.",
    "The user is pregnant.",
)  # fmt: skip
MONEY = ("The user earns 62,000 euros a year.", "The user is in debt.", "The user's rent is 900 euros.")
FINE = (
    "The user lives in Lisbon.", "The user works as a nurse in a cancer clinic.", "The user is vegan.",
    "The user is building a budgeting app.", "The user has a dog called Rex.", "The user can drive.",
)  # fmt: skip
WORDS = st.text(alphabet="abcdefgh ij,.", max_size=40)


@settings(max_examples=50)
@given(WORDS, st.sampled_from(NEVER), WORDS, st.sampled_from(CATEGORIES), st.booleans())
def test_a_secret_is_refused_wherever_it_stands(
    before: str, secret: str, after: str, category: str, asked: bool
) -> None:
    everything = Policy({"health": "always", "money": "always"})
    assert everything.refused(f"{before} {secret} {after}", category, asked=asked) is not None


@settings(max_examples=50)
@given(st.text(max_size=80), st.sampled_from(CATEGORIES), st.booleans())
def test_a_milder_policy_and_being_asked_never_refuse_more(text: str, category: str, asked: bool) -> None:
    mild, strict = (
        Policy({"health": "always", "money": "always"}),
        Policy({"health": "never", "money": "never"}),
    )
    assert (mild.refused(text, category, asked=asked) is None) or strict.refused(text, category, asked=asked)
    if refused(text, category, asked=True):
        assert refused(text, category, asked=False)
    assert refused(text.upper(), category, asked=asked) or not refused(text.upper(), category, asked=True)


@pytest.mark.parametrize("text", HEALTH)
def test_health_is_kept_if_the_user_asked_for_it(text: str) -> None:
    assert refused(text, "personal_data", asked=False)
    assert refused(text, "personal_data", asked=True) is None
    assert policy("health=never").refused(text, "personal_data", asked=True)
    assert policy("health=always").refused(text, "personal_data", asked=False) is None


@pytest.mark.parametrize("text", MONEY)
def test_money_is_not_kept_even_if_asked(text: str) -> None:
    assert refused(text, "context", asked=True)
    assert policy("money=asked").refused(text, "context", asked=True) is None


@pytest.mark.parametrize("text", FINE)
def test_what_is_neither_is_kept(text: str) -> None:
    category = "project" if "app" in text else "professional_profile"
    assert refused(text, category, asked=False) is None


def test_the_reason_does_not_repeat_the_text() -> None:
    for text in (*NEVER, *HEALTH, *MONEY):
        reason = refused(text, "context", asked=False)
        assert reason is not None
        assert not set(reason.split()) & {"4821", "asthma", "euros", "Tulip!99"}


def test_numbers_that_are_no_cards_are_not_taken_for_one() -> None:
    assert forbidden("order 4111 1111 1111 1112 has shipped") is None


@pytest.mark.parametrize("setting", ["health", "health=often", "weather=never", "money=never=asked"])
def test_a_rule_that_there_is_not_is_refused(setting: str) -> None:
    with pytest.raises(ConfigError):
        policy(setting)
