"""Clocks that jump: schedules and jobs neither stop for long after a jump back nor storm after one ahead."""

from __future__ import annotations

import logging
import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from quipu.kernel.base.clock import FrozenClock
from quipu.kernel.queue.model import Schedule, Worked
from quipu.kernel.queue.schedule import Timetable

if TYPE_CHECKING:
    from conftest import Works

pytestmark = pytest.mark.anyio

NOON = datetime(2026, 3, 14, 12, 0, 30, tzinfo=UTC)
YEAR, HOUR, DAY = timedelta(days=365), timedelta(hours=1), timedelta(days=1)
HOURLY = Schedule(name="chime", cron="0 * * * *")
REMOVING = Schedule(name="sweep", cron="41 2 * * *", removes=True)


async def timetable(works: Works, schedule: Schedule, clock: FrozenClock) -> Timetable:
    async with works.database.owner() as conn:
        await conn.execute("truncate core.schedules")
    made = Timetable(works.store, [schedule], clock=clock)
    await made.begin()
    return made


async def test_a_jump_ahead_fires_once_and_a_jump_back_stops_nothing(works: Works) -> None:
    clock = FrozenClock(NOON)
    chimes = await timetable(works, HOURLY, clock)
    clock.advance(HOUR)
    assert (await chimes.fire(), await chimes.fire()) == (1, 0)
    clock.advance(YEAR)
    assert (await chimes.fire(), await chimes.fire()) == (1, 0)
    clock.advance(-YEAR)
    await chimes.set_right()
    assert await chimes.fire() == 0
    clock.advance(HOUR)
    assert (await chimes.fire(), await chimes.fire()) == (1, 0)
    clock.advance(-YEAR)
    await Timetable(works.store, [HOURLY], clock=clock).begin()  # a worker that starts sets it right as well
    clock.advance(HOUR)
    assert await chimes.fire() == 1


async def test_clocks_of_two_workers_that_differ_fire_nothing_twice(works: Works) -> None:
    ahead, behind = FrozenClock(NOON), FrozenClock(NOON - timedelta(minutes=5))
    first = await timetable(works, HOURLY, ahead)
    second = Timetable(works.store, [HOURLY], clock=behind)
    fired = 0
    for _ in range(300):  # five hours, minute by minute
        for each, clock in ((first, ahead), (second, behind)):
            clock.advance(timedelta(minutes=1))
            await each.set_right()
            fired += await each.fire()
    assert fired == 5


async def test_what_removes_waits_once_more_after_a_jump_ahead(
    works: Works, caplog: pytest.LogCaptureFixture
) -> None:
    clock = FrozenClock(NOON)
    sweeps = await timetable(works, REMOVING, clock)
    clock.advance(5 * DAY)
    assert await sweeps.fire() == 1  # a machine that was off for some days
    clock.advance(YEAR)
    with caplog.at_level(logging.WARNING, "quipu.queue"):
        assert (await sweeps.fire(), await sweeps.fire()) == (0, 0)
    assert "364 days late: nothing is removed before 2027-03-20 02:41 UTC" in caplog.text
    clock.advance(-YEAR)  # somebody sets it right
    await sweeps.set_right()
    clock.advance(DAY)
    assert await sweeps.fire() == 1
    clock.advance(YEAR)
    assert await sweeps.fire() == 0
    clock.advance(DAY)  # it was right
    assert await sweeps.fire() == 1


async def test_a_machine_that_is_seldom_on_removes_all_the_same(works: Works) -> None:
    clock = FrozenClock(NOON)
    sweeps = await timetable(works, REMOVING, clock)
    fired = 0
    for _ in range(6):
        clock.advance(14 * DAY)
        fired += await sweeps.fire()
    assert fired == 3


def jump(monkeypatch: pytest.MonkeyPatch, by: timedelta) -> None:
    """Have the clock of the machine, by which SAQ goes, be another."""
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + by.total_seconds())


async def test_what_was_handed_over_before_a_jump_back_is_done_at_once(
    works: Works, monkeypatch: pytest.MonkeyPatch
) -> None:
    await works.put("note")
    async with works.worker() as hired:
        with monkeypatch.context() as patch:
            jump(patch, YEAR)
            assert await hired.relay.hand_over() == 1
    assert await works.burst() == Worked(done=1)


async def test_a_job_whose_worker_died_before_a_jump_back_is_done_by_another(
    works: Works, monkeypatch: pytest.MonkeyPatch
) -> None:
    await works.put("note", {"n": 1}, key="a")
    async with works.worker() as hired:
        with monkeypatch.context() as patch:
            jump(patch, YEAR)
            await hired.relay.hand_over()
            taken = await hired._carrier.take("note", wait_seconds=5)  # pyright: ignore[reportPrivateUsage]
            assert taken is not None
        async with works.database.owner() as conn:
            await conn.execute("update core.outbox set sent_at = now() + interval '1 year'")
        assert await hired.relay.look_for_lost() == 0  # whoever is at it has the time to say so
        async with works.database.owner() as conn:
            await conn.execute("update core.outbox set sent_at = now() - interval '1 day'")
        assert await hired.relay.look_for_lost() == 1
    assert await works.burst() == Worked(done=1)
    assert [trace["n"] for trace in await works.traces()] == [1]


async def test_a_try_that_was_put_off_before_a_jump_back_comes_within_an_hour(works: Works) -> None:
    await works.put("note", due=datetime.now(UTC) + YEAR)
    await works.put("note", due=datetime.now(UTC) + 20 * HOUR)
    async with works.worker() as hired:
        await hired.relay.look_for_lost()
    async with works.database.owner() as conn:
        found = await conn.execute("select due_at from core.outbox order by id")
        first, second = [row[0] - datetime.now(UTC) for row in await found.fetchall()]
    assert timedelta() < first <= HOUR
    assert 19 * HOUR < second <= 20 * HOUR
