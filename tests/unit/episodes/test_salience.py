"""What an episode weighs, and what uses make of it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quipu.kinds.episodes.decay.formulas import USES_APART, counted, counts_as_use, raised, salience
from quipu.kinds.episodes.shapes import Factors

NOW = datetime(2026, 3, 1, tzinfo=UTC)
FACTOR = st.floats(0, 3)
UNIT = st.floats(0.1, 1)


def factors(novelty: float, emotional: float, commitment: float, *, unresolved: bool = False) -> Factors:
    return Factors(novelty=novelty, emotional=emotional, commitment=commitment, unresolved=unresolved)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ((2, 2, 1, True), 0.75),  # the example of seed 003: (0.8 + 0.8 + 0.2) / 3 * 1.25
        ((2, 2, 1, False), 0.6),
        ((0, 0, 0, False), 0.1),
        ((3, 3, 3, False), 1.0),
        ((3, 3, 3, True), 1.0),
    ],
)
def test_salience_is_the_weighed_mean_of_the_factors_within_its_bounds(
    given: tuple[float, float, float, bool], expected: float
) -> None:
    *numbers, unresolved = given
    assert salience(factors(*numbers, unresolved=unresolved)) == expected


@settings(max_examples=50)
@given(FACTOR, FACTOR, FACTOR, st.floats(0, 3))
def test_more_of_a_factor_never_weighs_less(one: float, two: float, three: float, more: float) -> None:
    least = salience(factors(one, two, three))
    assert 0.1 <= least <= salience(factors(max(one, more), two, three)) <= 1
    assert least <= salience(factors(one, two, three, unresolved=True))


@settings(max_examples=50)
@given(UNIT, st.integers(0, 10_000))
def test_uses_raise_salience_by_less_each_time_and_never_to_its_end(base: float, uses: int) -> None:
    now, next_, after = (raised(base, uses + more) for more in (0, 1, 2))
    assert base <= now <= next_ <= 1
    assert after - next_ <= next_ - now + 1e-12
    assert now <= base + (1 - base) / 2 + 1e-12


@settings(max_examples=50)
@given(UNIT, UNIT, st.integers(0, 500))
def test_what_mattered_more_still_does_when_both_are_used_alike(one: float, other: float, uses: int) -> None:
    assert (raised(one, uses) <= raised(other, uses)) == (one <= other) or one == pytest.approx(other)


def test_uses_within_ten_minutes_count_as_one() -> None:
    assert counts_as_use(None, NOW)
    assert not counts_as_use(NOW, NOW + USES_APART - timedelta(seconds=1))
    assert counts_as_use(NOW, NOW + USES_APART)
    burst = [NOW + timedelta(minutes=minute) for minute in (0, 3, 9, 11, 12, 30)]
    assert counted(burst) == [NOW + timedelta(minutes=minute) for minute in (0, 11, 30)]
