"""Which base a restore begins with, and what may go because newer bases are kept."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quipu.errors import BadInput, NotFound
from quipu.kernel.db.embedded.archive import Timeline
from quipu.upkeep.backup.model import Base
from quipu.upkeep.backup.shelf import chosen, on_timeline, superseded, unneeded

THEN = datetime(2026, 3, 1, tzinfo=UTC)
NOW = THEN + timedelta(days=1_000)


def base(day: int, *, log: int = 0, timeline: int = 1) -> Base:
    at = THEN + timedelta(days=day)
    return Base(
        name=f"base-{day}",
        began_at=at - timedelta(minutes=1),
        ended_at=at,
        size_bytes=1,
        major=18,
        first_log=f"{timeline:08X}{log:016X}",
    )


def test_the_latest_base_that_was_whole_then_is_taken() -> None:
    bases = [base(3), base(1), base(2)]
    assert chosen(bases, THEN + timedelta(days=2), now=NOW).name == "base-2"
    assert chosen(bases, THEN + timedelta(days=2.5), now=NOW).name == "base-2"
    assert chosen(bases, None, now=NOW).name == "base-3"


def test_a_moment_out_of_range_is_refused_with_the_first_that_can_be_had() -> None:
    with pytest.raises(BadInput, match="2026-03-02T00:00:00"):
        chosen([base(1)], THEN, now=NOW)
    with pytest.raises(BadInput, match="yet to come"):
        chosen([base(1)], NOW + timedelta(seconds=1), now=NOW)
    with pytest.raises(NotFound, match="quipu backup base"):
        chosen([], None, now=NOW)


def test_only_bases_that_the_timeline_goes_back_to_are_begun_with() -> None:
    bases = [base(1), base(2), base(3, timeline=2)]
    ends = {"base-1": (1, 10), "base-2": (1, 30), "base-3": (2, 40)}
    assert on_timeline(bases, ends, Timeline(2, {1: 20})) == [bases[0], bases[2]]
    assert on_timeline(bases, ends, Timeline(1, {})) == bases[:2]


@given(st.lists(st.integers(0, 900), min_size=1, unique=True), st.integers(1, 5), st.integers(0, 900))
@settings(max_examples=50)
def test_no_base_is_taken_before_it_was_whole_and_the_latest_ones_stay(
    days: list[int], keep: int, day: int
) -> None:
    bases, at = [base(one) for one in days], THEN + timedelta(days=day)
    earlier = [one for one in bases if one.ended_at <= at]
    if earlier:
        assert chosen(bases, at, now=NOW) == max(earlier, key=lambda one: one.ended_at)
    gone = superseded(bases, keep=keep, taken=max(bases, key=lambda one: one.ended_at).name)
    assert len(bases) - len(gone) == min(keep, len(bases))
    assert all(one.ended_at < other.ended_at for one in gone for other in bases if other not in gone)


def test_only_what_no_base_needs_of_the_log_goes() -> None:
    kept = [base(1, log=3, timeline=2), base(2, log=9, timeline=2)]
    files = [
        f"{1:08X}{2:016X}.gz",
        f"{2:08X}{2:016X}.gz",
        f"{2:08X}{3:016X}.gz",
        f"{2:08X}{3:016X}.00000028.backup.gz",
        f"{2:08X}{1:016X}.00000028.backup.gz",
        f"{1:08X}{4:016X}.gz",
        "00000002.history.gz",
    ]
    assert unneeded(files, kept) == sorted([files[0], files[1], files[4]])
    assert unneeded(files, []) == []


def test_the_base_of_just_now_stays_though_the_clock_was_set_back() -> None:
    taken = base(1)
    assert [one.name for one in superseded([base(400), base(401), taken], keep=1, taken=taken.name)] == [
        "base-400",
        "base-401",
    ]
    assert [one.name for one in superseded([base(400), base(401), taken], keep=2, taken=taken.name)] == [
        "base-400"
    ]
