"""Rows of ccrecall as records: times, answers, contents, and memories on our scales."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quipu.kinds.transcripts.sqlite import rules

AT = datetime(2026, 5, 4, 10, 0, tzinfo=UTC)
SESSION = {"id": "s", "cwd": "/src/boat", "git_branch": None}


def line(
    uuid: str, kind: str = "assistant", spent: tuple[int, int, int] = (0, 0, 0), **rest: Any
) -> dict[str, Any]:
    names = ("input_tokens", "cache_read_tokens", "cache_creation_tokens")
    row = {"uuid": uuid, "type": kind, "model": "m", "parent_uuid": None, "timestamp": 1_777_888_800_000}
    row |= {"content_text": None, "content_json": None, "thinking": None, "output_tokens": 0}
    return row | dict(zip(names, spent, strict=True)) | rest


def test_milliseconds_and_seconds_are_the_same_moment() -> None:
    assert rules.moment(1_777_888_800_000) == rules.moment(1_777_888_800) == AT


@pytest.mark.parametrize("none", [None, "yesterday", True, 10**30])
def test_what_is_no_time_is_none(none: object) -> None:
    assert rules.moment(none) is None


@settings(max_examples=50)
@given(st.integers(10**11, 4 * 10**12))
def test_a_time_that_is_read_is_written_as_it_was(told: int) -> None:
    assert rules.milliseconds(rules.moment(told)) == told


def test_neighbours_that_spent_the_same_are_one_answer() -> None:
    repaired: Counter[str] = Counter()
    rows = [
        line("a", spent=(9, 500, 70)),
        line("u", "user"),
        line("b", spent=(9, 500, 70)),
        line("c", spent=(3, 900, 0)),
        line("d"),
        line("e"),
    ]
    assert rules.responses(rows, repaired) == {"a": "a", "b": "a", "c": "c", "d": "d", "e": "e"}
    assert repaired == {rules.REPEATED_TOKENS: 1}


def test_calls_and_results_that_only_the_tables_know_are_put_behind_the_text() -> None:
    calls = [{"id": "t1", "tool_name": "Bash", "tool_input": '{"command": "ls"}'}]
    results = [{"tool_call_id": "t0", "content": "x", "is_error": 1}] * 2
    made = rules.record(line("a", content_text="Look."), SESSION, calls, results, "a", Counter())
    assert made["message"]["content"] == [
        {"type": "text", "text": "Look."},
        {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}},
        {"type": "tool_result", "tool_use_id": "t0", "content": "x", "is_error": True},
    ]


@pytest.mark.parametrize("broken", ["{", "7", "null", '"said"', '{"content": "said"}', "[1, 2]"])
def test_contents_in_any_form_are_read(broken: str) -> None:
    made = rules.record(
        line("a", "user", content_json=broken, content_text="said"), SESSION, [], [], None, Counter()
    )
    assert made["message"]["content"] in ("said", "{", [], [{"type": "text", "text": "said"}])


def test_a_continued_session_is_known_by_its_first_words() -> None:
    text = "This session is being continued from a previous conversation that ran out of context."
    made = rules.record(line("a", "user", content_text=text), SESSION, [], [], None, Counter())
    assert made["isCompactSummary"]


@settings(max_examples=50)
@given(st.one_of(st.none(), st.floats(), st.integers(), st.text()))
def test_a_confidence_is_from_0_to_1_or_unknown(told: object) -> None:
    made = rules.confidence(told, Counter())
    assert made is None or made == 0 or 1e-6 <= made <= 1


def test_percents_and_odd_words_are_converted_and_counted() -> None:
    repaired: Counter[str] = Counter()
    assert rules.confidence(80, repaired) == 0.8
    assert rules.category("  Knowledge ", repaired) == "knowledge"
    assert rules.category("ÜBER", repaired) is None
    assert rules.category("todo", repaired) == "todo"
    assert repaired[rules.ODD_MEMORIES] == 3


def test_an_id_that_is_no_uuid_has_always_the_same_made_of_it() -> None:
    given_id = "7c1f7a4e-6d56-4b3e-9d35-0d9e3e8f7a01"
    assert rules.memory_id(given_id, Counter()) == UUID(given_id)
    assert (
        rules.memory_id("m1", Counter())
        == rules.memory_id("m1", Counter())
        != rules.memory_id("m2", Counter())
    )
