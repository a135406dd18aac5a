"""Where an episode ends."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quipu.kinds.episodes.building.readiness import (
    IDLE,
    LEAST_TURNS,
    MOST_TURNS,
    RESTED,
    SURE,
    Waiting,
    density,
    needed,
    plan,
)
from quipu.kinds.episodes.building.signs import RESTED as LONG_PAUSE
from quipu.kinds.episodes.building.signs import TimedTurn, begins, depths, greets, leaves, signs

THEN = datetime(2026, 3, 1, 9, tzinfo=UTC)
LATER = THEN + timedelta(days=30)
MINUTE = timedelta(minutes=1)


def exchange(
    minute: float = 0, *, sign: float = 0, turns: int = 2, density: float = 0, thread: int = 1
) -> Waiting:
    at = THEN + minute * MINUTE
    return Waiting(turns=turns, sign=sign, started_at=at, ended_at=at, density=density, thread=thread)


def lengths(waiting: list[Waiting], *, now: datetime = LATER, finished: bool = False) -> list[int]:
    return [len(part) for part in plan(waiting, now=now, finished=finished).episodes]


def test_greetings_beginnings_and_leave_are_told_from_talk() -> None:
    assert greets("Hey Mel! Good to see you!")
    assert greets("good morning, all")
    assert not greets("They say hello")
    assert begins("Since we last spoke, some big things have happened.")
    assert begins("On another note, what about the invoice?")
    assert not begins("I painted it last year.")
    assert leaves("Gotta go, talk to you soon!")
    assert leaves("Bis später!")
    assert not leaves("We talked about it for hours.")


def test_the_first_turn_is_no_sign_and_no_turns_have_none() -> None:
    assert signs([]) == []
    assert signs([TimedTurn("Hello there!")]) == [0.0]


def test_leave_a_greeting_and_its_answer_are_a_sure_sign_together() -> None:
    talk = ["The cake was good.", "Bye, see you!", "Hi Ana! How have you been?", "Hello! Long time no see."]
    found = signs([TimedTurn(text) for text in talk])
    assert max(found) == found[2] >= SURE


def test_a_pause_counts_the_more_the_longer_it_is() -> None:
    found = [
        signs([TimedTurn("One.", THEN), TimedTurn("Two.", THEN + pause)])[1]
        for pause in (timedelta(), LONG_PAUSE / 4, LONG_PAUSE, 10 * LONG_PAUSE, -LONG_PAUSE)
    ]
    assert found == [0, 0.5, SURE, SURE, 0]


def test_another_subject_shows_as_a_depth_and_where_a_vector_is_missing_nothing_does() -> None:
    east, north = np.array([1, 0], np.float32), np.array([0, 1], np.float32)
    deep = depths([east] * 6 + [north] * 6)
    assert int(np.argmax(deep)) == 6
    assert deep[6] > 1
    assert depths([east, None, north]) == [0, 0, 0]
    assert depths([]) == []


def test_a_sure_sign_ends_an_episode_of_enough_turns() -> None:
    assert lengths([*[exchange()] * 4, exchange(sign=SURE), *[exchange()] * 3]) == [4, 4]
    assert lengths([exchange(), exchange(sign=SURE), *[exchange()] * 3]) == [5]


def test_the_stronger_of_two_signs_near_each_other_wins() -> None:
    waiting = [*[exchange()] * 3, exchange(sign=SURE), exchange(sign=SURE + 1), *[exchange()] * 3]
    assert lengths(waiting) == [4, 4]


def test_another_thread_ends_an_episode_however_short() -> None:
    assert lengths([exchange(thread=1), exchange(thread=2)]) == [1, 1]


def test_a_pause_ends_what_is_long_enough_and_a_rest_ends_anything() -> None:
    long = [exchange(minute) for minute in range(4)]
    assert lengths([*long, exchange(4 + IDLE / MINUTE)]) == [4, 1]
    assert lengths([exchange(0), exchange(IDLE / MINUTE)]) == [2]
    assert lengths([exchange(0), exchange(RESTED / MINUTE)]) == [1, 1]


def test_what_may_go_on_waits_until_it_was_quiet() -> None:
    short, long = [exchange()], [exchange()] * 4
    assert plan(short, now=THEN + IDLE, finished=False).again == THEN + RESTED
    assert plan(long, now=THEN, finished=False).again == THEN + IDLE
    assert lengths(long, now=THEN + IDLE) == [4]
    assert lengths(short, now=THEN, finished=True) == [1]
    assert plan([], now=THEN, finished=False).episodes == ()


def test_what_a_wrong_clock_dated_in_the_future_does_not_wait_for_it() -> None:
    said = [exchange(0)]
    assert plan(said, now=THEN - timedelta(hours=1), finished=False).again is not None
    assert plan(said, now=THEN - timedelta(days=365), finished=False).again is None


def test_too_long_an_episode_is_ended_at_its_strongest_sign() -> None:
    waiting = [exchange(sign=0.01 * (place == 25)) for place in range(40)]
    assert lengths(waiting)[0] == 25


@settings(max_examples=50)
@given(
    st.lists(st.tuples(st.floats(0, 4), st.integers(1, 6), st.floats(0, 1), st.integers(0, 90)), max_size=80)
)
def test_every_exchange_is_in_one_episode_or_waits(given: list[tuple[float, int, float, int]]) -> None:
    minute, waiting = 0, list[Waiting]()
    for sign, turns, dense, pause in given:
        minute += pause
        waiting.append(exchange(minute, sign=sign, turns=turns, density=dense))
    found = plan(waiting, now=LATER, finished=True).episodes
    assert [place for part in found for place in part] == list(range(len(waiting)))
    assert all(sum(waiting[place].turns for place in part) < MOST_TURNS + 6 for part in found)


@settings(max_examples=50)
@given(st.integers(LEAST_TURNS, MOST_TURNS), st.floats(0, 1))
def test_longer_and_richer_episodes_need_weaker_signs(turns: int, dense: float) -> None:
    assert 0 <= needed(turns + 1, dense) <= needed(turns, dense) <= SURE
    assert needed(turns, 1) <= needed(turns, dense)
    assert needed(MOST_TURNS, dense) == 0


@pytest.mark.parametrize(
    ("counts", "expected"), [((0, 0, 0, 0), 0), ((8, 6, 3, 3), 1), ((16, 0, 0, 0), 0.4), ((4, 3, 0, 0), 0.35)]
)
def test_density_is_the_sum_of_the_origin(counts: tuple[int, int, int, int], expected: float) -> None:
    gists, facts, traits, feelings = counts
    assert density(gists=gists, facts=facts, traits=traits, feelings=feelings) == pytest.approx(expected)
