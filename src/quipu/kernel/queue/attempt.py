"""One try at a job: begun, done, judged, concluded, and when it is tried again.

The effect of a job and its end are one transaction.
"""

from __future__ import annotations

import asyncio
import logging
import random
import traceback
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal

import anyio

from quipu.errors import BudgetSpent, QuipuError
from quipu.kernel.base.clock import Clock
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kernel.db.space import ErasedMeanwhile
from quipu.kernel.queue import outbox
from quipu.kernel.queue.model import Job, Terms, Ticket
from quipu.kernel.queue.store import Store
from quipu.kernel.redact import redact
from quipu.kernel.telemetry.groups import JOB
from quipu.kernel.telemetry.spans import span

Outcome = Literal["done", "failed", "again", "later", "nothing"]
_LOG = logging.getLogger("quipu.queue")
LONGEST_PAUSE_SECONDS: Final = 3600.0
_MOST_CHARACTERS: Final = 4_000


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


@dataclass(frozen=True, slots=True)
class Verdict:
    """Outcome of a try. After ``again`` and ``later`` the job is done again, and this try does not count.

    ``until`` is the time of ``later``.
    """

    outcome: Outcome
    job: Job | None = None
    error: str = ""
    until: datetime | None = None


class Attempts:
    """Does jobs, each in a try that is counted before it begins: one that kills its worker ends too."""

    def __init__(
        self,
        database: Database,
        store: Store,
        handlers: Mapping[str, Handler],
        *,
        terms: Terms,
        clock: Clock,
    ) -> None:
        self._database = database
        self._store = store
        self._handlers = handlers
        self._terms = terms
        self._clock = clock

    async def make(self, ticket: Ticket, *, limit_seconds: float) -> Verdict:
        """Do the job of a ticket, if it is still to be done."""
        job = await self._store.claim(ticket, now=self._clock.now())
        if job is None:
            return Verdict("nothing")
        if job.orphaned:
            await self._store.drop(job)
            return Verdict("nothing")
        if job.attempts > self._terms.tries:
            return Verdict("failed", job, f"Its worker ended while it did this, {job.attempts - 1} times.")
        where = {} if job.space is None else {"quipu.space.id": job.space_id}
        told = {"quipu.topic": job.topic, "quipu.attempt": job.attempts, **where}
        with span(JOB, f"job {job.topic}", told) as seen:
            verdict = await self._tried(job, limit_seconds)
            seen.note({"quipu.outcome": verdict.outcome})
            if verdict.outcome == "failed":
                seen.fail("failed")
        return verdict

    async def _tried(self, job: Job, limit_seconds: float) -> Verdict:
        try:
            return await self._make(job, limit_seconds)
        except (Overtaken, ErasedMeanwhile):
            return Verdict("again", job)
        except BudgetSpent as spent:
            until = spent.opens_at or self._clock.now() + timedelta(hours=1)
            return Verdict("later", job, failure_text(spent), until)
        except (Exception, asyncio.CancelledError, SystemExit) as error:
            if isinstance(error, asyncio.CancelledError) and _is_cancelled():
                raise
            _LOG.warning("Try %d of %s %r failed: %s", job.attempts, job.topic, job.key, type(error).__name__)
            return Verdict("failed", job, failure_text(error))

    async def _make(self, job: Job, limit_seconds: float) -> Verdict:
        run = Run(self._database, job)
        with anyio.move_on_after(limit_seconds) as limit:
            await self._handlers[job.topic](run)
        if limit.cancelled_caught and not run.settled:
            return Verdict("failed", job, f"It took longer than {limit_seconds:g} s.")
        if run.settled or await self._store.done(job):
            return Verdict("done", job)
        return Verdict("again", job)

    async def conclude(self, ticket: Ticket, verdict: Verdict) -> bool:
        """Note in the outbox how a try ended; returns whether the job was given up.

        It comes after the ticket is put down: what waits again may be handed over at once.
        """
        if verdict.outcome == "again":
            await self._store.give_back(ticket)
        if verdict.job is not None and verdict.until is not None:
            await self._store.postpone(verdict.job, verdict.error, until=verdict.until)
        if verdict.outcome != "failed" or verdict.job is None:
            return False
        job, now = verdict.job, self._clock.now()
        dead = job.attempts >= self._terms.tries
        pause = pause_seconds(job.attempts, first_seconds=self._terms.retry_seconds, chance=random.random())
        await self._store.fail(
            job, verdict.error, retry_at=now + timedelta(seconds=pause), dead_at=now if dead else None
        )
        return dead


def _is_cancelled() -> bool:
    """Return True if somebody ends this task: a cancelled call inside it does not mean that."""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0


def pause_seconds(attempts: int, *, first_seconds: float, chance: float) -> float:
    """Return the pause after a job's ``attempts``-th try: twice as long each time, an hour at most.

    ``chance`` (0 to 1) spreads the tries of jobs that failed together over the last half of the pause.
    """
    doubled = first_seconds * 2.0 ** min(attempts - 1, 60)
    return min(LONGEST_PAUSE_SECONDS, doubled) * (0.5 + 0.5 * chance)


def failure_text(error: BaseException) -> str:
    """Describe a failure: its message, the way out, where it happened; without secrets."""
    what = f"{type(error).__name__}: {error}"
    if isinstance(error, QuipuError):
        return redact(what[:_MOST_CHARACTERS]).text
    where = "".join(traceback.format_tb(error.__traceback__)[-5:])
    return redact(f"{what[: _MOST_CHARACTERS // 2]}\n{where[-_MOST_CHARACTERS // 2 :]}").text
