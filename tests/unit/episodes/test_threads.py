"""Threads go on, are resumed, or begin; whatever order exchanges come in."""

from __future__ import annotations

import itertools
import random
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quipu.kinds.episodes.conversations.exchanges import (
    CONTINUES,
    RESUMES,
    Span,
    channel_of,
    place,
    state,
)

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
TICK = timedelta(seconds=1)
ONE = Span(7, 1, NOON, NOON + timedelta(hours=1))


def at(moment: datetime, *threads: Span) -> tuple[str, int | None, int | None]:
    found = place(moment, moment, threads)
    return found.how, found.thread, found.after


def test_half_an_hour_goes_on_four_hours_are_resumed_more_is_new() -> None:
    assert at(ONE.last_at + CONTINUES, ONE) == ("continued", 7, None)
    assert at(ONE.last_at + CONTINUES + TICK, ONE) == ("resumed", 7, None)
    assert at(ONE.last_at + RESUMES, ONE) == ("resumed", 7, None)
    assert at(ONE.last_at + RESUMES + TICK, ONE) == ("new", None, 7)


def test_the_first_thread_continues_none() -> None:
    assert at(NOON) == ("new", None, None)


def test_what_comes_in_late_goes_to_the_thread_of_its_time() -> None:
    later = Span(8, 2, NOON + timedelta(hours=10), NOON + timedelta(hours=11))
    assert at(NOON + timedelta(minutes=30), ONE, later) == ("continued", 7, None)
    assert at(NOON - timedelta(hours=5), ONE, later) == ("new", None, None)


@given(st.lists(st.integers(0, 3_000), min_size=1, max_size=30), st.randoms(use_true_random=False))
@settings(max_examples=50)
def test_no_thread_has_a_long_pause_in_it_and_none_lies_near_another(
    minutes: list[int], chance: random.Random
) -> None:
    threads: list[Span] = []
    members: dict[int, list[datetime]] = {}
    for minute in sorted(minutes):
        moment = NOON + timedelta(minutes=minute)
        found = place(moment, moment, threads)
        number = found.thread if found.thread is not None else len(threads) + 1
        known = next((one for one in threads if one.id == number), Span(number, number, moment, moment))
        threads = [one for one in threads if one.id != number]
        threads.append(Span(number, number, min(known.started_at, moment), max(known.last_at, moment)))
        members.setdefault(number, []).append(moment)
    chance.shuffle(threads)
    for times in members.values():
        assert all(b - a <= RESUMES for a, b in itertools.pairwise(times))
    spans = sorted(threads, key=lambda one: one.started_at)
    assert all(b.started_at - a.last_at > RESUMES for a, b in itertools.pairwise(spans))


@pytest.mark.parametrize(
    ("session", "channel"),
    [
        ("telegram:4711", ("telegram", "4711")),
        ("Slack:general:2026-03-01", ("slack", "general")),
        ("monday", ("session", "monday")),
        ("https://example.org/chat", ("session", "https://example.org/chat")),
        (":4711", ("session", ":4711")),
        ("a:", ("session", "a:")),
    ],
)
def test_the_channel_is_in_the_name_of_the_session(session: str, channel: tuple[str, str]) -> None:
    assert channel_of(session) == channel


def test_the_state_of_a_thread_is_a_matter_of_time() -> None:
    assert state(NOON, now=NOON + CONTINUES, ended=False) == "active"
    assert state(NOON, now=NOON + RESUMES, ended=False) == "resting"
    assert state(NOON, now=NOON + RESUMES + TICK, ended=False) == "ended"
    assert state(NOON, now=NOON, ended=True) == "ended"
