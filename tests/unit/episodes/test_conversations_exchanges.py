"""Messages become exchanges: who asks, who answers, what still waits."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from quipu.kinds.episodes.conversations.exchanges import MOST_MESSAGES, PAUSE, QUIET, form, mode_of
from quipu.kinds.episodes.conversations.model import Message

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
LATER = NOW + timedelta(days=1)


def said(*turns: str, speaker: bool = False, minutes: int = 1) -> list[Message]:
    """``u`` asks, ``a`` answers, ``t`` is a tool, ``s`` a system prompt; capital letters are people."""
    roles = {"u": "user", "a": "assistant", "t": "tool", "s": "system"}
    return [
        Message(
            id=place,
            role=roles.get(turn, "user"),
            speaker=turn if speaker else None,
            user=None,
            happened_at=NOW + timedelta(minutes=minutes * place),
            content=f"{turn}{place}",
        )
        for place, turn in enumerate("".join(turns))
    ]


def shape(
    messages: list[Message], now: datetime = LATER, *, more: bool = False
) -> list[tuple[list[int], list[int]]]:
    return [
        ([one.id for one in run.requests], [one.id for one in run.replies])
        for run in form(messages, now=now, more=more).runs
    ]


def test_an_exchange_is_what_was_asked_and_what_was_answered() -> None:
    assert shape(said("uauuta")) == [([0], [1]), ([2, 3], [4, 5])]


def test_an_agent_may_speak_first_and_system_prompts_are_not_said() -> None:
    assert shape(said("saua")) == [([], [1]), ([2], [3])]


def test_people_answer_each_other() -> None:
    assert shape(said("ABAB", speaker=True)) == [([0], [1]), ([2], [3])]
    assert shape(said("AABCBA", speaker=True)) == [([0, 1], [2, 3, 4]), ([5], [])]


def test_after_a_pause_the_same_person_begins_anew() -> None:
    messages = said("uu", minutes=int(PAUSE.total_seconds() // 60) + 1)
    assert shape(messages) == [([0], []), ([1], [])]


def test_what_nobody_has_answered_waits_for_a_while() -> None:
    messages = said("uau")
    waiting = form(messages, now=messages[-1].happened_at + timedelta(minutes=1))
    assert [run.first for run in waiting.runs] == [0]
    assert waiting.waits_until == messages[-1].happened_at + QUIET
    quiet = form(messages, now=messages[-1].happened_at + QUIET)
    assert [run.first for run in quiet.runs] == [0, 2]
    assert quiet.waits_until is None


def test_what_a_wrong_clock_dated_in_the_future_does_not_wait_for_it() -> None:
    messages = said("u")
    at = messages[-1].happened_at
    assert form(messages, now=at - QUIET).runs == []  # two clocks may differ
    assert len(form(messages, now=at - timedelta(days=365)).runs) == 1


def test_the_last_exchange_of_a_page_is_left_for_the_next() -> None:
    assert shape(said("uaua"), more=True) == [([0], [1])]


def test_an_agent_that_works_for_hours_makes_several_exchanges() -> None:
    runs = form(said("u" + "at" * MOST_MESSAGES), now=LATER).runs
    assert [len(run.messages) for run in runs] == [MOST_MESSAGES, MOST_MESSAGES, 1]


@given(st.text("uatsABC", max_size=80), st.integers(0, 90), st.booleans())
@settings(max_examples=50)
def test_no_message_is_lost_or_read_twice(turns: str, minutes: int, people: bool) -> None:
    messages = said(turns, speaker=people, minutes=minutes)
    read = [one.id for run in form(messages, now=LATER + timedelta(days=30)).runs for one in run.messages]
    assert read == [one.id for one in messages if one.role != "system"]


def test_the_mode_says_what_a_reply_did() -> None:
    assert mode_of("It rains tomorrow.", used_tools=True) == "ACT"
    assert mode_of("It rains tomorrow.", used_tools=False) == "RESPOND"
    assert mode_of("Which version do you use?", used_tools=False) == "CLARIFY"
    assert mode_of("Sure. Before I book it: should I take the early train?", used_tools=False) == "CLARIFY"
    assert mode_of("Got it!", used_tools=False) == "ACKNOWLEDGE"
    assert mode_of("👍", used_tools=False) == "ACKNOWLEDGE"
    assert mode_of("  ", used_tools=False) == "IGNORE"


def test_a_long_answer_that_ends_with_a_courtesy_still_responds() -> None:
    answer = "Tomatoes need six hours of sun, a deep pot and compost. " * 12 + "Does that help?"
    assert mode_of(answer, used_tools=False) == "RESPOND"
