"""The times that a question names."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hostile import read_through, texts
from quipu.kernel.prose.signs import asks_when
from quipu.recall.question import windows
from quipu.recall.terms import tells_time

NOW = datetime(2026, 3, 14, 15, 9, tzinfo=UTC)
FIRST = datetime(2023, 6, 1, tzinfo=UTC)


def starts(question: str) -> list[str]:
    return [f"{w.since:%Y-%m-%d}" for w in windows(question, now=NOW, first=FIRST, last=NOW)]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What happened on 2024-02-29?", ["2024-02-29"]),
        ("What happened on 29 Feb 2024?", ["2024-02-29"]),
        ("What happened on February 29th, 2024?", ["2024-02-29"]),
        ("Was geschah am 29.2.2024?", ["2024-02-29"]),
        ("Was geschah am 3. März 2024?", ["2024-03-03"]),
        ("¿Qué pasó el 3 de mayo de 2024?", ["2024-05-03"]),
        ("2024年5月3日发生了什么", ["2024-05-03"]),
        ("What happened on 5 May?", ["2023-05-05", "2024-05-05", "2025-05-05", "2026-05-05"]),
        ("What was said in May 2024?", ["2024-05-01"]),
        ("What was said in December 2024?", ["2024-12-01"]),
        ("2024年5月", ["2024-05-01"]),
        ("What was said in 2024?", ["2024-01-01"]),
        ("What did we do yesterday?", ["2026-03-13"]),
        ("What did we do today?", ["2026-03-14"]),
        ("What did we do two days ago?", ["2026-03-12"]),
        ("What did we do last week?", ["2026-02-28"]),
        ("3 May 2024 or 2025-01-01", ["2025-01-01", "2024-05-03"]),
        # none of these is a time
        ("May I have some tea?", []),
        ("What happened on 2024-02-30?", []),
        ("What happened on 31 February 2024?", ["2024-02-01"]),
        ("9999年12月31日", []),
        ("0000年5月1日", []),
        ("version 1.2024.5", []),
        ("Is 192.168.2024.1 an address?", []),
        ("5 ſeptember", []),
        ("fıve days ago", ["2026-03-14"]),
    ],
)
def test_a_question_names_these_times(question: str, expected: list[str]) -> None:
    assert starts(question) == expected


def test_a_day_counts_fully_on_itself_and_the_next_and_then_ever_less() -> None:
    (day,) = windows("on 3 May 2024", now=NOW, first=FIRST, last=NOW)
    assert (day.since, day.until) == (datetime(2024, 5, 3, tzinfo=UTC), datetime(2024, 5, 5, tzinfo=UTC))
    assert (day.score, day.after, day.fade) == (1.0, 1.0, timedelta(days=4))


@given(
    texts,
    st.datetimes(datetime(1971, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)),
    st.datetimes(datetime(1971, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)),
)
def test_every_window_is_a_time_of_some_length_and_no_text_is_too_strange(
    text: str, one: datetime, other: datetime
) -> None:
    found = windows(text, now=NOW, first=min(one, other), last=max(one, other))
    assert len(found) <= 100
    for w in found:
        assert w.since < w.until <= w.ends
        assert 0 < w.score <= 1
        assert 0 <= w.after <= 1
        assert w.fade > timedelta(0)
    assert isinstance(asks_when(text), bool)
    assert isinstance(tells_time(text), bool)


@pytest.mark.parametrize(
    "question",
    [
        "When did she come?",
        "  wann kam sie?",
        "Since when?",
        "什么时候来",
        "いつ来た",
        "What year was it?",
        "¿Cuándo?",
    ],
)
def test_these_ask_for_a_time(question: str) -> None:
    assert asks_when(question)


@pytest.mark.parametrize("question", ["Whenever you like", "Who came when it rained?", "What happened?", ""])
def test_these_do_not(question: str) -> None:
    assert not asks_when(question)


@pytest.mark.parametrize(
    ("text", "tells"),
    [
        ("It was in May.", True),
        ("You may go.", False),
        ("at 10:30", True),
        ("昨天", True),
        ("the boat", False),
        ("1999", True),
    ],
)
def test_a_text_tells_a_time_or_not(text: str, tells: bool) -> None:
    assert tells_time(text) is tells


def test_times_are_found_in_any_text() -> None:
    read_through(lambda text: windows(text, now=NOW, first=FIRST, last=NOW), characters=20_000)
    read_through(asks_when)
    read_through(tells_time)
