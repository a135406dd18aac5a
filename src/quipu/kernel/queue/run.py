"""A job while it is being done: its effect and its end are one transaction."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

from quipu.errors import QuipuError
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kernel.queue import outbox
from quipu.kernel.queue.model import Job


class Overtaken(Exception):
    """Somebody else has done the job meanwhile, or it was put again: nothing of this run is kept."""


class Run:
    """One try at a job. ``settled``: it is done, and its effect is stored."""

    def __init__(self, database: Database, job: Job) -> None:
        self.job = job
        self.settled = False
        self._database = database

    @asynccontextmanager
    async def effect(self) -> AsyncGenerator[SpaceTransaction]:
        """Open the transaction for everything that the job writes, once in a run.

        It takes the job out of the outbox in the same transaction, so the job has its effect exactly once,
        however often it was handed to workers. If somebody else has done the job meanwhile, the block is left
        or not entered, nothing of it is kept, and the code after it does not run. If something was erased in
        the space since the job was taken, the same happens and the job is done again.

        Raises:
            QuipuError: the job belongs to no space, or has had its effect in this run.
        """
        if self.job.space is None:
            raise QuipuError("A job of no space has no transaction in one.")
        if self.settled:
            raise QuipuError("A job has one effect; put another job for what comes after it.")
        async with self._database.write(self.job.space, as_of=self.job.as_of) as tx:
            if not await outbox.stands(tx, self.job):
                raise Overtaken
            yield tx
            # Last, in the order in which others that put this job hold what they write and then its row.
            if not await outbox.settle(tx, self.job):
                raise Overtaken
        self.settled = True


Handler = Callable[[Run], Awaitable[None]]
"""Does a job. A job that never enters ``run.effect()`` is done when this returns, and may be done again."""
