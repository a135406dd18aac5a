"""What people read: bars, counts, and nothing that steers a terminal."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.interfaces.cli.screen import as_json
from quipu.interfaces.cli.views.text import bar, count, day_and_time, shortened, size, visible
from quipu.record.model import Refusal, Report


@given(st.floats(0, 1))
def test_a_bar_is_as_long_as_its_amount(amount: float) -> None:
    eighths = {"█": 8, "▏": 1, "▎": 2, "▍": 3, "▌": 4, "▋": 5, "▊": 6, "▉": 7}
    assert abs(sum(eighths[cell] for cell in bar(amount)) - amount * 80) <= 0.5


@pytest.mark.parametrize(("amount", "cells"), [(-1.0, 0), (0.0, 0), (2.0, 10)])
def test_a_bar_stays_within_its_frame(amount: float, cells: int) -> None:
    assert bar(amount) == "█" * cells


@given(st.text())
def test_nothing_that_is_shown_steers_a_terminal(text: str) -> None:
    shown = visible(text)
    assert len(shown) <= len(text)
    assert not {c for c in shown if (ord(c) < 32 and c not in "\t\n") or 127 <= ord(c) < 160}
    assert visible(shown) == shown


def test_what_nobody_sees_is_not_shown_and_what_joins_letters_is() -> None:
    assert visible("a\u200bb\U000e0041c") == "abc"
    assert visible("می\u200cخواهم") == "می\u200cخواهم"
    assert json.loads(as_json("a\x9b31m\u202e")) == "a\x9b31m\u202e"
    assert as_json("a\x9b31m\u202e\U000e0041").isascii()


def test_escapes_and_turned_writing_are_shown_as_replaced() -> None:
    assert visible("a\x1b[31mb\u202ec\rd") == "a\ufffd[31mb\ufffdc\ufffdd"


@given(st.text(min_size=1), st.integers(1, 50))
def test_a_shortened_text_is_one_line_of_at_most_its_length(text: str, length: int) -> None:
    shown = shortened(text, length)
    assert len(shown) <= length
    assert "\n" not in shown


def test_counts_and_sizes_read_well() -> None:
    assert count(1, "message") == "1 message"
    assert count(2_000, "message") == "2,000 messages"
    assert count(2, "memory", "memories") == "2 memories"
    assert [size(n) for n in (900, 12_345_678, 3_210_000_000)] == ["1 kB", "12.3 MB", "3.21 GB"]
    assert day_and_time(datetime(2025, 3, 4, 10, 3, tzinfo=UTC)) == "2025-03-04 10:03"
    assert day_and_time(None) == ""


def test_values_become_json_with_times_that_can_be_read_back() -> None:
    at = datetime(2025, 3, 4, 10, 3, tzinfo=UTC)
    report = Report(imported=1, refused=(Refusal(7, "time", "it has no year"),), redacted={"aws": 2})
    read = json.loads(as_json({"report": report, "at": at, "where": Path("a/b")}))
    assert read["report"]["refused"] == [
        {"line": 7, "field": "time", "reason": "it has no year", "file": None}
    ]
    assert read["report"]["redacted"] == {"aws": 2}
    assert datetime.fromisoformat(read["at"]) == at
    assert Path(read["where"]) == Path("a/b")


def test_a_value_without_a_form_in_json_is_refused() -> None:
    with pytest.raises(TypeError, match="object has no form"):
        as_json({"x": object()})
