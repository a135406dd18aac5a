from datetime import UTC, datetime, timedelta, timezone

import pytest

from quipu.kernel.base.clock import Clock, FrozenClock, SystemClock

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


def test_the_system_clock_says_the_present_in_utc():
    clock: Clock = SystemClock()
    before = datetime.now(UTC)
    now = clock.now()
    assert before <= now <= datetime.now(UTC)
    assert now.utcoffset() == timedelta(0)


def test_a_frozen_clock_stands_still_until_it_is_advanced():
    clock: Clock = FrozenClock(NOON)
    assert clock.now() == clock.now() == NOON


def test_a_frozen_clock_goes_forward_and_back():
    clock = FrozenClock(NOON)
    clock.advance(timedelta(hours=2))
    assert clock.now() == NOON + timedelta(hours=2)
    clock.advance(timedelta(hours=-3))
    assert clock.now() == NOON - timedelta(hours=1)


def test_a_frozen_clock_converts_to_utc():
    clock = FrozenClock(datetime(2026, 5, 4, 14, tzinfo=timezone(timedelta(hours=2))))
    assert clock.now() == NOON
    assert clock.now().utcoffset() == timedelta(0)


def test_a_frozen_clock_refuses_a_time_without_a_zone():
    with pytest.raises(ValueError, match="zone"):
        FrozenClock(datetime(2026, 5, 4))
