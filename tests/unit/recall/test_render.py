"""Memories as a block for a prompt."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frames import MARKS
from hostile import texts
from quipu.recall.model import Hit, Source
from quipu.recall.render import block, estimate_tokens

NOW = datetime(2026, 3, 14, 15, 9, tzinfo=UTC)


def hit(text: str, *, number: int = 1, speaker: str | None = "Ana") -> Hit:
    return Hit("message", str(number), text, 0.5, {}, NOW, NOW, Source(f"m{number}", "s1", speaker, "user"))


def test_each_memory_is_one_line_with_time_speaker_and_source() -> None:
    found = block(
        [hit("The boat\nis green."), hit("x", number=2, speaker=None)], budget_tokens=1000, marks=MARKS
    )
    lines = found.text.splitlines()
    assert "- 2026-03-14 15:09 Ana: The boat is green. (s1/m1)" in lines
    assert "- 2026-03-14 15:09 user: x (s1/m2)" in lines
    assert [h.id for h in found.hits] == ["1", "2"]


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
