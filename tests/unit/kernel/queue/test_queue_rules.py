from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quipu.errors import BadInput, ConfigError
from quipu.kernel.queue.attempt import LONGEST_PAUSE_SECONDS, failure_text, pause_seconds
from quipu.kernel.queue.schedule import next_time

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
CHANCES = st.floats(0, 1)


def test_each_pause_is_twice_the_one_before() -> None:
    assert [pause_seconds(n, first_seconds=5, chance=1) for n in (1, 2, 3, 4)] == [5, 10, 20, 40]


@settings(max_examples=50)
@given(st.integers(1, 10_000), st.floats(0, 3600), CHANCES)
def test_a_pause_is_between_half_and_all_of_itself_and_an_hour_at_most(
    attempts: int, first: float, chance: float
) -> None:
    whole = pause_seconds(attempts, first_seconds=first, chance=1)
    assert whole / 2 <= pause_seconds(attempts, first_seconds=first, chance=chance) <= whole
    assert whole <= LONGEST_PAUSE_SECONDS
    assert pause_seconds(attempts + 1, first_seconds=first, chance=1) >= whole


@pytest.mark.parametrize(
    ("cron", "then"),
    [
        ("* * * * *", datetime(2026, 5, 4, 12, 1, tzinfo=UTC)),
        ("23 3 * * *", datetime(2026, 5, 5, 3, 23, tzinfo=UTC)),
        ("0 12 * * *", datetime(2026, 5, 5, 12, tzinfo=UTC)),
        ("0 0 1 * *", datetime(2026, 6, 1, tzinfo=UTC)),
    ],
)
def test_a_schedule_names_the_next_moment_in_utc(cron: str, then: datetime) -> None:
    assert next_time(cron, after=NOON) == then


@pytest.mark.parametrize("cron", ["", "daily", "61 * * * *", "* * *"])
def test_what_is_no_schedule_is_refused(cron: str) -> None:
    with pytest.raises(ConfigError, match="no time of a schedule"):
        next_time(cron, after=NOON)


def raised(error: Exception) -> Exception:
    try:
        raise error
    except Exception as caught:  # noqa: BLE001 - with its traceback
        return caught


def test_a_failure_keeps_what_it_was_and_where() -> None:
    kept = failure_text(raised(ValueError("no such boat")))
    assert kept.startswith("ValueError: no such boat\n")
    assert "test_queue_rules.py" in kept


def test_a_failure_of_ours_keeps_the_way_out_and_no_traceback() -> None:
    assert failure_text(raised(BadInput("too long.", field="name", hint="Cut it."))) == (
        "BadInput: name: too long. Cut it."
    )


def test_a_failure_keeps_no_secrets_and_is_never_long() -> None:
    kept = failure_text(raised(ValueError("password=hunter2-is-not-enough-4f9a " + "x" * 100_000)))
    assert "hunter2" not in kept
    assert len(kept) < 5_000
