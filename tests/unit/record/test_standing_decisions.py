"""What a new rule takes the place of, and which rule an end is about."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

from quipu.record.standing.decisions import NEAR, ended, replaced
from quipu.record.standing.model import Known


def known(text: str, scope: str = "", *, message: int | None = None) -> Known:
    return Known(uuid4(), None, text, scope, message, datetime(2026, 1, 1, tzinfo=UTC))


METRIC, EMOJIS = known("Always answer in metric units.", message=1), known("Never use emojis.", message=2)
SHORT = known("When I ask for recipes, keep it short.", "recipes", message=3)
RULES = [METRIC, EMOJIS, SHORT]


def test_a_rule_takes_the_place_of_one_on_its_matter_for_the_same_requests() -> None:
    assert replaced("From now on use imperial units.", "", RULES) == [METRIC]
    assert replaced("When I ask for recipes, give me long ones.", "recipes", RULES) == [SHORT]
    assert replaced("Long answers please.", "", RULES) == []


def test_a_rule_that_is_said_again_takes_the_place_of_the_older() -> None:
    assert replaced("Please never ever use emojis.", "", RULES) == [EMOJIS]


def test_what_not_to_do_leaves_open_what_else() -> None:
    assert replaced("Never use imperial units.", "", RULES) == []
    assert replaced("Answer in German.", "", [known("Never answer in French.")]) == []


def test_an_end_is_about_the_rule_with_which_it_has_most_in_common() -> None:
    assert ended("Forget the rule about emojis.", RULES, {}) == [EMOJIS]
    assert ended("You can use imperial again.", RULES, {}) == [METRIC]
    assert ended("No need to shorten recipes any more.", RULES, {}) == [SHORT]


def test_an_end_without_a_word_in_common_is_about_what_is_near_or_about_nothing() -> None:
    said = "A smiley is fine again."
    rules = [known("Round all sums.", message=7), known("Never mention football.", message=8)]
    assert ended(said, rules, {7: NEAR - 0.01, 8: NEAR + 0.01}) == [rules[1]]
    assert ended(said, rules, {7: NEAR - 0.01}) == []
    assert ended(said, [], {}) == []
