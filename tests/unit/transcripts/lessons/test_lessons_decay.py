"""Confidence falls with time, rises with use and confirmation, and stays within its bounds."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quipu.kinds.transcripts.lessons import decay
from quipu.kinds.transcripts.lessons.decay import Life

SAID = datetime(2026, 1, 1, tzinfo=UTC)
DAYS = st.floats(0, 3_000)
MOMENTS = st.one_of(st.none(), st.integers(0, 400).map(lambda days: SAID + timedelta(days=days)))
LIVES = st.builds(
    Life,
    judged=st.floats(0, 1),
    said_at=st.just(SAID),
    sessions=st.integers(0, 9),
    used_at=MOMENTS,
    confirmed_at=MOMENTS,
    edited_at=MOMENTS,
    uses=st.integers(0, 200),
    contradictions=st.integers(0, 5),
    lasts=st.booleans(),
)


def worth(life: Life, days: float, half_life_days: float = 70) -> float:
    return decay.confidence(life, now=SAID + timedelta(days=days), half_life_days=half_life_days)


def test_after_the_half_life_half_is_left() -> None:
    life = Life(judged=0.8, said_at=SAID)
    assert worth(life, 0) == pytest.approx(0.8)
    assert worth(life, 70) == pytest.approx(0.4)
    assert worth(life, 10, half_life_days=10) == pytest.approx(0.4)


def test_the_default_is_the_decay_of_the_seeds_design() -> None:
    assert worth(Life(judged=1, said_at=SAID), 100) == pytest.approx(0.371, abs=0.002)  # e^(-0.01 * 100)


@settings(max_examples=50)
@given(LIVES, DAYS, DAYS)
def test_it_is_a_share_and_never_rises_with_time(life: Life, one: float, other: float) -> None:
    early, late = sorted((one, other))
    assert 0 <= worth(life, late) <= worth(life, early) <= 1


@settings(max_examples=50)
@given(LIVES, DAYS)
def test_use_and_confirmation_never_lower_and_contradiction_never_raises(life: Life, days: float) -> None:
    now = SAID + timedelta(days=days)
    here = worth(life, days)
    assert (
        worth(replace(life, uses=life.uses + 1, used_at=max(now, life.used_at or now)), days) >= here - 1e-12
    )
    assert worth(replace(life, confirmed_at=max(now, life.confirmed_at or now)), days) >= here - 1e-12
    assert worth(replace(life, contradictions=life.contradictions + 1), days) <= here


@settings(max_examples=50)
@given(LIVES)
def test_nothing_raises_a_memory_above_what_is_sure(life: Life) -> None:
    assert decay.raised(life) <= max(decay.MOST, life.judged)
    assert decay.raised(life) >= life.judged


def test_uses_alone_leave_half_of_the_doubt() -> None:
    assert decay.raised(Life(judged=0.5, said_at=SAID, uses=1_000)) == pytest.approx(0.75)


def test_what_lies_in_the_future_counts_as_now() -> None:
    assert worth(Life(judged=0.8, said_at=SAID), -10) == pytest.approx(0.8)


def test_faded_is_below_a_tenth_and_archived_stays_archived() -> None:
    assert decay.state(0.0999, archived=False) == "faded"
    assert decay.state(0.1, archived=False) == "live"
    assert decay.state(0.9, archived=True) == "archived"


def test_uses_within_an_hour_are_one() -> None:
    assert decay.counts_as_use(None, SAID)
    assert not decay.counts_as_use(SAID, SAID + timedelta(minutes=59))
    assert decay.counts_as_use(SAID, SAID + timedelta(hours=1))


def test_what_lasts_does_not_age_and_is_contradicted_all_the_same() -> None:
    rule = Life(judged=0.8, said_at=SAID, lasts=True)
    assert worth(rule, 3_000) == worth(rule, 0) == pytest.approx(0.8)
    assert worth(replace(rule, contradictions=1), 3_000) == pytest.approx(0.32)
