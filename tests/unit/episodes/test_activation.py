"""Base-level activation, against the equation itself."""

from __future__ import annotations

from math import exp, log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quipu.kinds.episodes.decay.formulas import KEPT, NOISE, THRESHOLD, activation, base_level

AGES = st.lists(st.floats(0.02, 20_000), min_size=1, max_size=40)


def exact(ages: list[float]) -> float:
    return log(sum(age**-0.5 for age in ages))


@settings(max_examples=50)
@given(AGES)
def test_known_accesses_give_the_equation_of_actr(ages: list[float]) -> None:
    assert base_level(ages) == pytest.approx(exact(ages))


@settings(max_examples=50)
@given(AGES, st.integers(0, 10_000), st.floats(0, 20_000))
def test_activation_lies_between_its_ends_and_is_the_probability_of_retrieval(
    ages: list[float], older: int, life: float
) -> None:
    value = activation(ages, older=older, life_hours=life)
    assert 0 < value < 1
    level = base_level(ages, older=older, life_hours=life)
    assert value == pytest.approx(1 / (1 + exp((THRESHOLD - level) / NOISE)))


@settings(max_examples=50)
@given(AGES, st.floats(0.02, 20_000), st.integers(0, 100))
def test_one_access_more_never_lowers_it_and_time_never_raises_it(
    ages: list[float], more: float, older: int
) -> None:
    life = max(ages)
    assert activation([*ages, more]) >= activation(ages)
    assert activation(ages, older=older + 1, life_hours=life) >= activation(
        ages, older=older, life_hours=life
    )
    later = [age + 1 for age in ages]
    assert activation(later, older=older, life_hours=life + 1) <= activation(
        ages, older=older, life_hours=life
    )


@pytest.mark.parametrize("uses", [20, 60, 400])
@pytest.mark.parametrize("life", [100.0, 17_520.0])
def test_petrovs_approximation_is_near_the_whole_sum_where_uses_are_spread(uses: int, life: float) -> None:
    ages = [life * (place + 1) / uses for place in range(uses)]
    recent = ages[:KEPT]
    near = base_level(recent, older=uses - KEPT, life_hours=life)
    assert near == pytest.approx(exact(ages), abs=0.06)


def test_many_older_accesses_at_one_moment_are_counted_as_that_old() -> None:
    assert base_level([4.0], older=3, life_hours=4.0) == pytest.approx(log(4 * 0.5))


def test_a_single_access_is_even_odds_after_about_two_days_and_little_after_a_year() -> None:
    assert activation([54.6]) == pytest.approx(0.5, abs=0.001)
    assert activation([24 * 365]) == pytest.approx(0.073, abs=0.002)


def test_a_base_level_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="needs an access"):
        base_level([])
