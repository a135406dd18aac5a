"""Schedules: each fires once for the whole database, however many workers look at the clock."""

from __future__ import annotations

from collections.abc import Sequence

from quipu.kernel.base.clock import Clock
from quipu.kernel.queue.model import SCHEDULES, Schedule
from quipu.kernel.queue.rules import next_time
from quipu.kernel.queue.store import Store


class Timetable:
    """Puts the jobs of schedules whose time has come. They are done, retried and given up like all others."""

    def __init__(self, store: Store, schedules: Sequence[Schedule], *, clock: Clock) -> None:
        self._store = store
        self._schedules = {schedule.name: schedule for schedule in schedules}
        self._clock = clock

    async def begin(self) -> None:
        """Note schedules that this database does not know yet; their first time is still to come."""
        now = self._clock.now()
        for schedule in self._schedules.values():
            await self._store.know(schedule, due=next_time(schedule.cron, after=now))

    async def fire(self) -> int:
        """Fire what is due; returns the number of jobs. What was missed several times fires once."""
        if not self._schedules:
            return 0
        now = self._clock.now()
        jobs = 0
        for name in await self._store.schedules_due(list(self._schedules), now=now):
            schedule = self._schedules[name]
            following = next_time(schedule.cron, after=now)
            jobs += await self._store.fire(schedule, SCHEDULES, now=now, following=following)
        return jobs
