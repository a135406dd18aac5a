"""The time between two signs of a server is counted, not that of the whole."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from quipu.kernel.db import connection
from quipu.kernel.db.errors import Unanswered


class Hours:
    """A clock that stands still until it is put forward."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def reading() -> Generator[int, int, str]:
    """Waits for sixty parts, as the driver does for a result."""
    for _ in range(60):
        while not (yield 1):
            pass
    return "all of it"


def fed(hours: Hours, *, pause_seconds: float) -> str:
    """What comes of reading where every second look finds a part, so many seconds after the one before."""
    looking = connection.limited(reading(), 10.0)  # type: ignore[arg-type]
    try:
        next(looking)
        for look in range(200):
            hours.now += pause_seconds / 2
            looking.send(look % 2)  # type: ignore[arg-type]
    except StopIteration as done:
        return done.value
    return "nothing"


def test_a_result_that_keeps_coming_is_not_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "monotonic", hours := Hours())
    assert fed(hours, pause_seconds=9.0) == "all of it"
    assert hours.now > 500


def test_one_that_pauses_for_too_long_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "monotonic", hours := Hours())
    with pytest.raises(Unanswered, match="10 seconds"):
        fed(hours, pause_seconds=21.0)
