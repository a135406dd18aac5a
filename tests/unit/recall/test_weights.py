"""The scale of the scores."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.recall.ranking import SIGNALS, Weights, scored, selectivity, session_weight

amounts = st.lists(st.floats(0, 1), min_size=len(SIGNALS), max_size=len(SIGNALS))


@given(amounts, st.floats(0.1, 10))
def test_a_score_is_the_sum_of_its_parts_between_0_and_1(added: list[float], most: float) -> None:
    score, shown = scored(added, most=most)
    assert 0 <= score <= 1
    assert set(shown) <= {signal for signal, amount in zip(SIGNALS, added, strict=True) if amount}
    if sum(shown.values()) <= 1:
        assert score == pytest.approx(sum(shown.values()), abs=1e-5)


def test_what_satisfies_every_signal_scores_1() -> None:
    weights = Weights()
    full = [weights.longest if s == "length" else getattr(weights, s) for s in SIGNALS]
    score, _ = scored(full, most=sum(full))
    assert score == pytest.approx(1, abs=1e-5)


@given(st.floats(0, 1), st.floats(0, 1))
def test_the_more_of_a_space_satisfies_a_condition_the_less_it_tells(one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert 0 <= selectivity(high) <= selectivity(low) <= 1


def test_a_condition_tells_all_below_a_seventh_and_nothing_where_everything_satisfies_it() -> None:
    assert selectivity(0) == selectivity(math.exp(-2)) == 1
    assert selectivity(1) == 0
    assert selectivity(0.5) == pytest.approx(-math.log(0.5) / 2)


@given(st.integers(0, 10_000))
def test_a_session_counts_as_a_whole_only_where_there_are_many(threads: int) -> None:
    weights = Weights()
    assert 0 <= session_weight(weights, threads) <= session_weight(weights, threads + 1) <= weights.session
    assert session_weight(weights, 1) == 0
    assert session_weight(weights, 21) == weights.session
