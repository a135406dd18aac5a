"""How much a piece of evidence weighs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from quipu.kinds.ledger.signals.extract import evidence_weight

NOW = datetime(2026, 3, 1, tzinfo=UTC)
ratings = st.one_of(st.none(), st.floats(1, 5))
ages = st.timedeltas(timedelta(), timedelta(days=40_000))
windows = st.integers(1, 32_767)


def weight(rating: float | None, age: timedelta, window_days: int = 90) -> float:
    return evidence_weight(rating, NOW - age, now=NOW, window_days=window_days)


def test_one_star_of_today_weighs_one_and_halves_every_third_of_the_window() -> None:
    assert weight(1, timedelta()) == 1
    assert weight(1, timedelta(days=30)) == 0.5
    assert weight(1, timedelta(days=90)) == 0.125


def test_no_rating_weighs_as_three_stars() -> None:
    assert weight(None, timedelta()) == weight(3, timedelta()) == 0.6


@given(ratings, ages, windows)
def test_a_weight_fits_the_column_and_is_never_nothing(
    rating: float | None, age: timedelta, window_days: int
) -> None:
    found = weight(rating, age, window_days)
    assert 0.001 <= found <= 1
    assert found == round(found, 3)


@given(st.floats(1, 5), st.floats(1, 5), ages, windows)
def test_a_worse_rating_never_weighs_less(a: float, b: float, age: timedelta, window_days: int) -> None:
    assert weight(min(a, b), age, window_days) >= weight(max(a, b), age, window_days)


@given(ratings, ages, ages, windows)
def test_a_newer_review_never_weighs_less(
    rating: float | None, a: timedelta, b: timedelta, window_days: int
) -> None:
    assert weight(rating, min(a, b), window_days) >= weight(rating, max(a, b), window_days)
