"""Which snapshots stay: 24 hourly ones, 4 a day to 7 days, one a day to the end of the retention."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quipu.errors import BadInput
from quipu.upkeep.snapshots.shelf import check_name, name_of
from quipu.upkeep.snapshots.tiers import keep, settled

NOW = datetime(2026, 3, 14, 15, 30, tzinfo=UTC)
HOUR = timedelta(hours=1)


def hourly(days: int, *, minute: int = 0) -> list[datetime]:
    """Snapshots of every hour of so many days before now."""
    first = NOW.replace(minute=minute)
    return [first - n * HOUR for n in range(24 * days)]


def ages(kept: dict[datetime, str], tier: str) -> list[timedelta]:
    return sorted(NOW - time for time, one in kept.items() if one == tier)


@pytest.mark.parametrize(
    ("age", "tier"),
    [
        (timedelta(minutes=30), "hourly"),
        (timedelta(hours=23, minutes=30), "hourly"),
        (timedelta(hours=24, minutes=30), None),
        (timedelta(days=1, hours=3, minutes=30), "six-hourly"),
        (timedelta(days=1, hours=4, minutes=30), None),
        (timedelta(days=6, hours=21, minutes=30), "six-hourly"),
        (timedelta(days=7, hours=3, minutes=30), None),
        (timedelta(days=7, hours=15, minutes=30), "daily"),
        (timedelta(days=29, hours=15, minutes=30), "daily"),
        (timedelta(days=30, hours=15, minutes=30), None),
    ],
)
def test_of_hourly_snapshots_these_stay(age: timedelta, tier: str | None) -> None:
    kept = keep(hourly(60), now=NOW, retention_days=30)
    assert kept.get(NOW - age) == tier


def test_at_most_71_stay_of_a_month_as_the_seed_counts() -> None:
    kept = keep(hourly(60), now=NOW, retention_days=30)
    assert len(ages(kept, "hourly")) == 24
    assert len(ages(kept, "six-hourly")) == 24
    assert len(ages(kept, "daily")) == 23


def test_four_of_a_day_are_those_of_midnight_six_noon_and_eighteen() -> None:
    kept = keep(hourly(60), now=NOW, retention_days=30)
    assert {time.hour for time, tier in kept.items() if tier == "six-hourly"} == {0, 6, 12, 18}
    assert {time.hour for time, tier in kept.items() if tier == "daily"} == {0}


def test_the_first_of_an_hour_stays_and_one_that_came_late_counts_for_its_hour() -> None:
    first, second = NOW - timedelta(minutes=25), NOW - timedelta(minutes=5)
    assert set(keep([second, first], now=NOW, retention_days=30)) == {first}
    late = NOW - timedelta(days=10, hours=1)
    assert set(keep([late], now=NOW, retention_days=30)) == {late}


def test_nothing_outlives_the_retention() -> None:
    kept = keep(hourly(3), now=NOW, retention_days=1)
    assert max(NOW - time for time in kept) < timedelta(days=1)
    assert keep([NOW - timedelta(days=1)], now=NOW, retention_days=1) == {}


def test_one_that_comes_after_one_that_is_too_old_does_not_take_its_place() -> None:
    first = datetime(2026, 3, 14, 1, tzinfo=UTC)
    both, then = [first, first + timedelta(minutes=55)], first + timedelta(days=1, minutes=30)
    assert keep(both, now=then, retention_days=1) == {}
    assert keep(both[1:], now=then, retention_days=1) == {both[1]: "six-hourly"}


@settings(max_examples=4)
@given(
    retention=st.integers(1, 365),
    every=st.sampled_from([timedelta(minutes=60), timedelta(minutes=55), timedelta(hours=5)]),
    pruned_each=st.integers(3, 40),
    away=st.integers(0, 300),
)
def test_a_year_of_snapshots_stays_small_and_has_no_holes(
    retention: int, every: timedelta, pruned_each: int, away: int
) -> None:
    start = datetime(2026, 1, 1, tzinfo=UTC)
    shelf: list[datetime] = []
    seen: list[datetime] = []
    now = start
    for step in range(timedelta(days=365) // every):
        now = start + step * every
        if away <= (now - start).days < away + 3:
            continue  # nobody worked for three days
        shelf.append(now)
        seen.append(now)
        if step % pruned_each == 0:
            shelf = sorted(keep(shelf, now=now, retention_days=retention))
            assert len(shelf) <= 24 + 24 + max(0, retention - 7)
    shelf = sorted(keep(shelf, now=now, retention_days=retention))
    # Thinning out all the time leaves what thinning out once would: nothing went too early.
    assert shelf == sorted(keep(seen, now=now, retention_days=retention))
    assert seen[-1] in shelf or seen[-1] - shelf[-1] < HOUR


@given(
    times=st.lists(st.integers(0, 400 * 24 * 60), max_size=60),
    later=st.integers(0, 100 * 24 * 60),
    retention=st.integers(1, 365),
)
def test_what_stays_later_stays_now(times: list[int], later: int, retention: int) -> None:
    taken = [NOW - timedelta(minutes=one) for one in times]
    then = NOW + timedelta(minutes=later)
    now_kept = set(keep(taken, now=NOW, retention_days=retention))
    assert set(keep(taken, now=then, retention_days=retention)) <= now_kept
    assert set(keep(now_kept, now=NOW, retention_days=retention)) == now_kept


def test_names_are_those_of_the_seed_and_no_two_are_equal() -> None:
    at = datetime(2026, 3, 14, 15, 0, 0, 999_999, tzinfo=UTC)
    assert name_of("memory", at) == "memory_20260314_150000.sql"
    taken = {"memory_20260314_150000.sql", "memory_20260314_150001.sql"}
    assert name_of("memory", at, taken=taken) == "memory_20260314_150002.sql"
    assert check_name("memory_s7_work_20260314_150000.sql") == "memory_s7_work_20260314_150000.sql"


@pytest.mark.parametrize(
    "name",
    [
        "../memory_20260314_150000.sql",
        "memory_20260314_150000.sql/..",
        "memory_20260314_150000.json",
        "memory_20261314_150000.sql",
        "core_20260314_150000.sql",
        "",
        None,
    ],
)
def test_no_name_leads_out_of_the_directory(name: object) -> None:
    with pytest.raises(BadInput, match="no name of a snapshot"):
        check_name(name)


def test_ages_stand_still_for_the_first_day_after_a_gap() -> None:
    taken = hourly(3)
    assert settled(taken, now=NOW) == NOW
    assert settled([], now=NOW) == NOW
    ahead = NOW + timedelta(days=365)
    last = max(taken)
    assert settled(taken, now=ahead) == last
    assert settled([*taken, ahead], now=ahead + 23 * HOUR) == last
    since = [ahead + n * HOUR for n in range(25)]
    assert settled([*taken, *since], now=ahead + 25 * HOUR) == ahead + 25 * HOUR
    assert settled([*taken, ahead], now=NOW) == NOW  # it was set back again


@given(
    gaps=st.lists(st.integers(1, 20 * 24), max_size=30),
    jump=st.integers(0, 400 * 24),
    retention=st.integers(1, 365),
)
def test_a_jump_ahead_takes_no_more_than_a_day_would(gaps: list[int], jump: int, retention: int) -> None:
    taken = [NOW - sum(gaps[:n]) * HOUR for n in range(len(gaps) + 1)]
    ahead = NOW + jump * HOUR
    a_day_on = keep(taken, now=NOW + timedelta(days=1), retention_days=retention)
    assert set(a_day_on) <= set(keep(taken, now=settled(taken, now=ahead), retention_days=retention))
