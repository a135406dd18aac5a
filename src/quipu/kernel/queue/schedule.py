"""Schedules: each fires once for the whole database, however many workers look at the clock."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from croniter import croniter

from quipu.errors import ConfigError
from quipu.kernel.base.clock import Clock
from quipu.kernel.queue.model import SCHEDULES, Schedule
from quipu.kernel.queue.store import Store

_APART: Final = timedelta(minutes=10)  # so much the clocks of two workers may differ
_LATE: Final = timedelta(days=7)
_LOG = logging.getLogger("quipu.queue")


def next_time(cron: str, *, after: datetime) -> datetime:
    """Return the first moment after ``after`` that a schedule names.

    Raises:
        ConfigError: ``cron`` is not minute, hour, day of the month, month, weekday.
    """
    try:
        return croniter(cron, after).get_next(datetime)
    except ValueError as error:
        raise ConfigError(f"{cron!r} is no time of a schedule: {error}.") from error


class Timetable:
    """Puts the jobs of schedules whose time has come. They are done, retried and given up like all others."""

    def __init__(self, store: Store, schedules: Sequence[Schedule], *, clock: Clock) -> None:
        self._store = store
        self._schedules = {schedule.name: schedule for schedule in schedules}
        self._clock = clock

    async def begin(self) -> None:
        """Note schedules that this database does not know yet; their first time is still to come."""
        crons = {name: schedule.cron for name, schedule in self._schedules.items()}
        await self._store.know(crons, due=self._next_times(self._clock.now()))
        await self.set_right()

    async def set_right(self) -> None:
        """Bring back what waits for a time that a clock which was set back would reach only much later."""
        now = self._clock.now()
        latest, due = self._next_times(now + _APART), self._next_times(now)
        await self._store.bring_back(list(self._schedules), latest=latest, due=due)

    def _next_times(self, after: datetime) -> list[datetime]:
        return [next_time(schedule.cron, after=after) for schedule in self._schedules.values()]

    async def fire(self) -> int:
        """Fire what is due; returns the number of jobs. What was missed several times fires once.

        What removes for good and is more than a week late is held once, to its next time:
        the machine was off, or its clock is wrong and somebody should have time to set it right.
        """
        if not self._schedules:
            return 0
        now = self._clock.now()
        jobs = 0
        for name, due in await self._store.schedules_due(list(self._schedules), now=now):
            schedule = self._schedules[name]
            following = next_time(schedule.cron, after=now)
            late = now - due
            if schedule.removes and late > _LATE and await self._store.hold(schedule, now=now, due=following):
                _LOG.warning(
                    "%r is %d days late: nothing is removed before %s. Set the clock right if it is wrong.",
                    name,
                    late.days,
                    f"{following:%Y-%m-%d %H:%M} UTC",
                )
            else:
                jobs += await self._store.fire(schedule, SCHEDULES, now=now, following=following)
        return jobs
