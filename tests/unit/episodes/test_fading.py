"""Freshness, the state of an episode, and its curve."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quipu.kinds.episodes.decay.formulas import freshness, hours
from quipu.kinds.episodes.decay.life import EpisodeLife, as_of, curve, state

NOW = datetime(2026, 3, 1, tzinfo=UTC)
UNIT = st.floats(0, 1)
HOURS = st.floats(0, 20_000)


@settings(max_examples=50)
@given(UNIT, UNIT, HOURS, HOURS)
def test_freshness_falls_with_time_and_slower_the_more_it_matters(
    one: float, other: float, early: float, late: float
) -> None:
    value = freshness(one, hours=early)
    assert 0 <= value <= 1
    assert freshness(one, hours=max(early, late)) <= value
    assert freshness(max(one, other), hours=early) >= value


@settings(max_examples=50)
@given(st.floats(0, 0.99), st.floats(0, 500), st.floats(0, 500))
def test_freshness_has_no_memory_of_how_it_was_read(salience: float, one: float, other: float) -> None:
    """The defect of the origin: each reading faded what was faded already."""
    at_once = freshness(salience, hours=one + other)
    assert at_once == pytest.approx(freshness(salience, hours=one) * freshness(salience, hours=other))


def test_freshness_has_the_half_lives_of_the_origin() -> None:
    assert freshness(0.5, hours=27.7) == pytest.approx(0.5, abs=0.001)
    assert freshness(0.1, hours=15.4) == pytest.approx(0.5, abs=0.001)
    assert freshness(1.0, hours=10**6) == 1


def test_what_lies_in_the_future_is_as_fresh_as_now() -> None:
    assert hours(NOW + timedelta(days=1), NOW) == 0
    assert state(EpisodeLife(base=0.3, happened_at=NOW + timedelta(days=1)), NOW).freshness == 1


def test_a_use_refreshes_and_reading_the_state_changes_nothing() -> None:
    unused = EpisodeLife(base=0.4, happened_at=NOW - timedelta(days=10))
    used = EpisodeLife(
        base=0.4, happened_at=NOW - timedelta(days=10), uses=1, recent=[NOW - timedelta(hours=1)]
    )
    before, after = state(unused, NOW), state(used, NOW)
    assert before == state(unused, NOW)
    assert after.freshness > before.freshness
    assert after.activation > before.activation
    assert after.salience > before.salience


def test_the_curve_shows_the_past_its_uses_and_what_comes() -> None:
    use = NOW - timedelta(days=4)
    life = EpisodeLife(base=0.5, happened_at=NOW - timedelta(days=10), uses=1, recent=[use])
    points = curve(life, NOW, points=20, ahead=timedelta(days=5))
    assert [point.at for point in points] == sorted(point.at for point in points)
    assert points[0].at == life.happened_at
    assert abs(points[-1].at - NOW - timedelta(days=5)) < timedelta(seconds=1)
    assert [point.at for point in points if point.used] == [use]
    assert {point.forecast for point in points if point.at <= NOW} == {False}
    assert {point.forecast for point in points if point.at > NOW} == {True}
    just_before = [point for point in points if point.at < use][-1]
    refreshed = next(point for point in points if point.used)
    assert refreshed.state.freshness > just_before.state.freshness
    fading = [point.state.freshness for point in points if point.forecast]
    assert fading == sorted(fading, reverse=True)


def test_before_its_first_use_an_episode_was_as_if_never_used() -> None:
    life = EpisodeLife(base=0.5, happened_at=NOW - timedelta(days=9), uses=1, recent=[NOW])
    assert as_of(life, NOW - timedelta(days=1)) == EpisodeLife(
        base=0.5, happened_at=life.happened_at, recent=[]
    )


@pytest.mark.parametrize("uses", [17, 18, 200, 2**31 - 1])
def test_uses_whose_times_are_no_longer_kept_are_spread_over_the_time_before(uses: int) -> None:
    """Only the times of sixteen uses are kept: the curve raised an error from the seventeenth on."""
    recent = [NOW - timedelta(days=16 - place) for place in range(16)]
    life = EpisodeLife(base=0.5, happened_at=NOW - timedelta(days=40), uses=uses, recent=recent)
    points = curve(life, NOW, points=50)
    assert [point.at for point in points if point.used] == recent
    raised = [point.state.salience for point in points]
    assert raised == sorted(raised)
    assert (raised[0], raised[-1]) == (0.5, state(life, NOW).salience)
    known = [as_of(life, life.happened_at + timedelta(days=day)).uses for day in (0, 12, 24)]
    assert known == [0, pytest.approx((uses - 16) / 2, abs=0.5), uses - 15]


def test_the_curve_of_something_that_just_happened_can_be_drawn() -> None:
    assert len(curve(EpisodeLife(base=0.5, happened_at=NOW), NOW)) >= 60


def test_what_lies_in_the_future_has_a_curve_also_where_most_of_its_uses_are_no_longer_known() -> None:
    life = EpisodeLife(
        base=0.5, happened_at=NOW + timedelta(hours=5), uses=40, recent=[NOW + timedelta(hours=9)]
    )
    assert as_of(life, NOW).uses == 0
    assert all(0 < point.state.activation < 1 for point in curve(life, NOW))


@pytest.mark.parametrize("points", [2, 60, 1000])
@pytest.mark.parametrize("at", [datetime.min, datetime(9999, 12, 31, 23), datetime.max])
def test_a_curve_at_the_end_of_all_dates_can_be_drawn(at: datetime, points: int) -> None:
    at = at.replace(tzinfo=UTC)
    life = EpisodeLife(base=0.5, happened_at=at, uses=3, recent=[at])
    drawn = curve(life, NOW, points=points, ahead=timedelta(days=3650))
    assert [point.at for point in drawn if point.used] == [at]
