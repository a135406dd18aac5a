"""Memories as a block for a prompt."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frames import MARKS
from hostile import texts
from quipu.recall.model import Hit, LinkedStatement, Source
from quipu.recall.render import PRESENT, Block, RuleLine, block, estimate_tokens, is_remote
from quipu.recall.terms import passage, question_terms

NOW = datetime(2026, 3, 14, 15, 9, tzinfo=UTC)


def hit(
    text: str,
    *,
    number: int = 1,
    speaker: str | None = "Ana",
    session: str | None = "s1",
    message: str | None = None,
    minute: int = 9,
) -> Hit:
    source = Source(message or f"m{number}", session, speaker, "user")
    return Hit("message", str(number), text, 0.5, {}, NOW.replace(minute=minute), NOW, source)


def lines_of(made: Block) -> list[str]:
    """The lines between the marks and their notice."""
    return made.text.splitlines()[3:-1]


def test_each_memory_is_one_line_with_time_speaker_and_source() -> None:
    found = block(
        [hit("The boat\nis green."), hit("x", number=2, speaker=None)],
        budget_tokens=1000,
        marks=MARKS,
    )
    assert lines_of(found) == [
        "2026-03-14, s1",
        "- 15:09 Ana: The boat is green. (m1)",
        "- 15:09 user: x (m2)",
    ]
    assert [h.id for h in found.hits] == ["1", "2"]


def test_what_is_replaced_is_told_in_the_line_of_the_newer() -> None:
    old, new = hit("I live in Hamburg."), hit("I moved to Rome.", number=2)
    old = replace(old, superseded_by=(LinkedStatement("2", new.text, NOW, new.source, "moved"),))
    new = replace(new, supersedes=(LinkedStatement("1", old.text, NOW, old.source, "moved"),))
    found = block([new, old], budget_tokens=1000, marks=MARKS, layout=PRESENT)
    assert lines_of(found) == [
        "2026-03-14, s1",
        "- 15:09 Ana: I moved to Rome. (m2; before: I live in Hamburg, until 2026-03-14)",
    ]
    assert [h.id for h in found.hits] == ["2", "1"]
    assert len(lines_of(block([new, old], budget_tokens=1000, marks=MARKS))) == 3
    assert len(lines_of(block([old], budget_tokens=1000, marks=MARKS, layout=PRESENT))) == 2


def test_days_and_sessions_follow_their_best_hits_and_lines_follow_the_time() -> None:
    later, earlier = hit("Later.", minute=20), hit("Earlier.", number=2, minute=10)
    other = hit("Elsewhere.", number=3, session="s2")
    found = block([later, other, earlier], budget_tokens=1000, marks=MARKS)
    assert lines_of(found) == [
        "2026-03-14, s1",
        "- 15:10 Ana: Earlier. (m2)",
        "- 15:20 Ana: Later. (m1)",
        "2026-03-14, s2",
        "- 15:09 Ana: Elsewhere. (m3)",
    ]
    assert list(found.hits) == [later, other, earlier]


def test_long_ids_are_cut_and_a_memory_without_a_session_stands_under_its_day() -> None:
    found = block([hit("x", message="0f3c9a7e5d2b4c61", session=None)], budget_tokens=1000, marks=MARKS)
    assert lines_of(found) == ["2026-03-14", "- 15:09 Ana: x (0f3c9a7e…)"]


def test_a_long_text_is_shown_by_the_passage_that_has_the_words_of_the_question() -> None:
    filler = "Nothing of interest happened on this day at all. " * 12
    said = f"{filler}The boat is called Anna. {filler}"
    found = block(
        [hit(said)], budget_tokens=1000, marks=MARKS, terms=question_terms("boat called", ["english"])
    )
    (_, line) = lines_of(found)
    assert "The boat is called Anna." in line
    assert line.count("…") == 2
    assert len(line) < 400


@given(texts, st.integers(2, 400))
def test_a_passage_is_part_of_the_text_and_no_longer_than_asked(text: str, most: int) -> None:
    shown = passage(text, {}, most=most)
    assert shown.removeprefix("… ").removesuffix(" …") in text
    assert len(shown) <= most + 4
    assert shown == text or len(text) > most


@given(st.lists(texts, max_size=6), st.integers(1, 400))
def test_a_block_keeps_within_its_budget_and_takes_the_best_first(said: list[str], budget: int) -> None:
    hits = [hit(text, number=n) for n, text in enumerate(said)]
    found = block(hits, budget_tokens=budget, marks=MARKS)
    assert found.tokens == estimate_tokens(found.text) <= budget
    assert list(found.hits) == hits[: len(found.hits)]
    assert bool(found.text) == bool(found.hits)


@pytest.mark.parametrize("budget", [1, 30, 40, 47, 60, 200])
def test_reminders_keep_within_the_budget_too(budget: int) -> None:
    assert block([], budget_tokens=budget, marks=MARKS, reminders=["Call", "Write to Dana"]).tokens <= budget


@given(st.lists(texts, min_size=1, max_size=6))
def test_what_was_recalled_is_an_echo_when_it_comes_back(said: list[str]) -> None:
    found = block([hit(text) for text in said], budget_tokens=10_000, marks=MARKS)
    assert MARKS.hear(found.text).text.strip() == ""
    stripped = MARKS.hear(f"Before. {found.text}\nAfter.").text
    assert "Before." in stripped
    assert "After." in stripped


def test_the_last_memory_is_cut_where_enough_of_it_is_left() -> None:
    found = block([hit("One sentence. " * 100)], budget_tokens=120, marks=MARKS)
    assert len(found.hits) == 1
    assert "…" in found.text
    assert found.tokens <= 120
    assert block([hit("One sentence. " * 100)], budget_tokens=30, marks=MARKS).text == ""


def test_nothing_known_is_an_empty_block() -> None:
    assert block([], budget_tokens=100, marks=MARKS).text == ""
    assert block([], budget_tokens=100, marks=MARKS).tokens == 0


@given(texts, texts)
def test_the_estimate_grows_with_the_text_and_is_never_above_its_characters(one: str, more: str) -> None:
    assert estimate_tokens(one) <= estimate_tokens(one + more)
    assert 0 <= estimate_tokens(one) <= len(one)
    assert estimate_tokens("中" * 10) == 10


@pytest.mark.parametrize(
    ("cosine", "coverage", "parts", "remote"),
    [
        (0.19, 0.0, {"meaning": 0.1}, True),
        (0.2, 0.0, {"meaning": 0.1}, False),
        (0.0, 0.1, {"words": 0.1}, False),
        (0.0, 0.0, {"date": 0.3}, False),  # it is of the time that the question names
    ],
)
def test_what_shares_nothing_with_the_question_is_remote(
    cosine: float, coverage: float, parts: dict[str, float], remote: bool
) -> None:
    one = replace(hit("The boat is green."), cosine=cosine, coverage=coverage, parts=parts)
    assert is_remote(one) is remote


RULES = [RuleLine("Answer in metric units. (2026-01-05)", "1"), RuleLine("Call me Sam. (2026-01-06)")]


def test_a_block_begins_with_the_rules_and_does_not_show_their_messages_again() -> None:
    hits = [hit("Answer in metric units."), hit("It is far.", number=2)]
    made = block(hits, budget_tokens=2_000, marks=MARKS, rules=RULES, reminders=["Write to Dana"])
    assert lines_of(made)[:6] == [
        "Rules:",
        "- Answer in metric units. (2026-01-05)",
        "- Call me Sam. (2026-01-06)",
        "",
        "Open:",
        "- Write to Dana",
    ]
    assert [one.id for one in made.hits] == ["2"]
    assert made.left_out == 0


def test_the_message_of_a_rule_for_which_there_is_no_room_is_shown() -> None:
    long = [RuleLine("Answer in metric units. " * 30, "1")]
    made = block([hit("Answer in metric units.")], budget_tokens=200, marks=MARKS, rules=long)
    assert "Rules:" not in made.text
    assert [one.id for one in made.hits] == ["1"]


@given(st.integers(1, 3_000), st.integers(0, 60), st.integers(0, 60))
def test_rules_and_reminders_take_two_fifths_at_most(budget: int, rules: int, reminders: int) -> None:
    made = block(
        [],
        budget_tokens=budget,
        marks=MARKS,
        rules=[RuleLine(f"Never say {n}.") for n in range(rules)],
        reminders=[f"Call {n}" for n in range(reminders)],
    )
    body = "\n".join(lines_of(made)) if made.text else ""
    assert estimate_tokens(body) <= max(0.4 * budget + 2, 0)
    assert made.tokens <= budget


def test_what_is_hardly_known_gets_a_quarter_of_the_budget_after_a_notice() -> None:
    many = [hit(f"The boat number {n} is green and leaks a little.", number=n) for n in range(50)]
    whole = block(many, budget_tokens=400, marks=MARKS, notice="Nothing.", known=0.1)
    short = block(many, budget_tokens=400, marks=MARKS, notice="Nothing.", known=0.01)
    assert lines_of(whole)[0] == lines_of(short)[0] == "Nothing."
    assert 0 < len(short.hits) < len(whole.hits) / 2
    assert block([], budget_tokens=400, marks=MARKS, notice="Nothing.", known=0.01).text == ""
