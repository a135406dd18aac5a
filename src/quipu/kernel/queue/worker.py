"""A worker: takes tickets from the queue, has their jobs done, and sees to it that others find theirs."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Final

import anyio
from anyio import CancelScope

from quipu.errors import QuipuError
from quipu.kernel.queue.attempt import Attempts, Outcome, Verdict
from quipu.kernel.queue.model import Worked, WorkTopic
from quipu.kernel.queue.relay import Relay
from quipu.kernel.queue.saq import Carrier, Delivery
from quipu.kernel.queue.schedule import Timetable

_BURST_TICK_SECONDS: Final = 0.1
_BURST_GRACE_SECONDS: Final = 30.0
_CONCLUDING_SECONDS: Final = 10.0


_PAUSE_SECONDS: Final = 1.0
_LOG = logging.getLogger("quipu.queue")

Step = Callable[[], Awaitable[object]]
Noted = Callable[[str, Outcome], None]
"""Hears the topic and the outcome of each try at a job."""


def ignore(_: str, __: Outcome) -> None:
    """Note nothing."""


class Trouble:
    """Current faults. Each is reported when it begins and when it is over, not all the time."""

    def __init__(self) -> None:
        self._present: set[str] = set()

    async def outlast(self, what: str, step: Step) -> None:
        """Make a step of a loop that must not end; where it fails, that is told, and the next comes later."""
        try:
            await step()
        except Exception as error:  # noqa: BLE001 - the outermost loop of a worker
            if what not in self._present:
                _LOG.warning("%s does not work: %s", what, error)
            self._present.add(what)
            await anyio.sleep(_PAUSE_SECONDS)
        else:
            if what in self._present:
                _LOG.warning("%s works again.", what)
            self._present.discard(what)


class Worker:
    """Does the jobs of some topics, ``concurrency`` of each at a time and ``seats`` of all. It works once."""

    def __init__(
        self,
        carrier: Carrier,
        *,
        lines: Sequence[WorkTopic],
        relay: Relay,
        timetable: Timetable,
        attempts: Attempts,
        lease_seconds: int,
        concurrency: int,
        seats: int,
        tick_seconds: float,
        noted: Noted = ignore,
    ) -> None:
        self._carrier = carrier
        self._lines = lines
        self.relay = relay
        self._timetable = timetable
        self.attempts = attempts
        self._lease_seconds = lease_seconds
        self._concurrency = concurrency
        self._tick_seconds = tick_seconds
        self._noted = noted
        self._seats = anyio.CapacityLimiter(seats)
        self._in_hand: dict[Delivery, CancelScope] = {}
        self._counts: Counter[str] = Counter()
        self._trouble = Trouble()
        self._stopping = anyio.Event()
        self._bell = anyio.Event()
        self._put_down = anyio.Event()
        self._burst = False

    @property
    def queues(self) -> list[str]:
        """The names of the queues that it works on."""
        return [line.queue for line in self._lines]

    def stop(self) -> None:
        """Take no more jobs, and end when those in hand are done."""
        self._stopping.set()
        self._bell.set()

    async def run(self, *, grace_seconds: float = 30.0) -> Worked:
        """Work until ``stop`` is called.

        Jobs in hand then have ``grace_seconds`` to be done; what is not is given back, with nothing of it
        kept, for another worker to do. A database or a Redis that does not answer is waited for.
        """
        await self._timetable.begin()
        await self._work(grace_seconds)
        return self._worked

    async def burst(self) -> Worked:
        """Work until nothing is due any more; jobs that others do are waited for.

        Raises:
            DatabaseError: the database or Redis does not answer.
        """
        trouble: BaseException | None = None
        self._burst = True
        self._tick_seconds = min(self._tick_seconds, _BURST_TICK_SECONDS)
        await self._timetable.begin()
        await self._timetable.fire()
        if await self.relay.anything_due():
            try:
                await self._work(_BURST_GRACE_SECONDS)
            except* QuipuError as group:
                trouble = next(_leaves(group))
        if trouble is not None:
            raise trouble
        return self._worked

    @property
    def _worked(self) -> Worked:
        return Worked(self._counts["done"], self._counts["failed"], self._counts["dead"])

    async def _work(self, grace_seconds: float) -> None:
        lease = self._lease_seconds
        async with anyio.create_task_group() as background:
            background.start_soon(self._relaying)
            background.start_soon(self._repeating, "Taking over from dead workers", lease / 2, self._sweep)
            background.start_soon(self._repeating, "Looking for lost jobs", lease, self._look_for_lost)
            background.start_soon(self._repeating, "Holding on to jobs", lease / 3, self._beat)
            background.start_soon(self._listening)
            try:
                await self._have_hands(grace_seconds)
            finally:
                self.stop()
            background.cancel_scope.cancel()

    async def _have_hands(self, grace_seconds: float) -> None:
        async with anyio.create_task_group() as hands:
            hands.start_soon(self._ending, grace_seconds)
            for line in self._lines:
                for _ in range(self._concurrency):
                    hands.start_soon(self._taking, line)

    async def _relaying(self) -> None:
        while not self._stopping.is_set():
            self._bell = anyio.Event()
            with CancelScope(shield=True):  # no query is cut off when the worker ends
                await self._try("Handing jobs over", self._hand_over)
            with anyio.move_on_after(self._tick_seconds):
                await self._bell.wait()

    async def _hand_over(self) -> None:
        await self._timetable.fire()
        await self.relay.hand_over()
        if self._burst and not await self.relay.anything_due():
            self.stop()

    async def _listening(self) -> None:
        while not self._stopping.is_set():
            with CancelScope(shield=True):
                await self._try("Listening for new jobs", self._listen)

    async def _listen(self) -> None:
        async with self.relay.listening() as conn:
            while not self._stopping.is_set():
                async for _ in conn.notifies(timeout=self._tick_seconds):
                    self._bell.set()

    async def _repeating(self, what: str, pause_seconds: float, step: Step) -> None:
        while True:
            await anyio.sleep(pause_seconds)
            with CancelScope(shield=True):
                await self._try(what, step)

    async def _look_for_lost(self) -> None:
        await self._timetable.set_right()
        await self.relay.look_for_lost()

    async def _sweep(self) -> None:
        await self._carrier.sweep(every_seconds=max(1, self._lease_seconds // 2))

    async def _beat(self) -> None:
        for delivery in list(self._in_hand):
            await delivery.beat()

    async def _taking(self, line: WorkTopic) -> None:
        async def take() -> None:
            delivery = await self._carrier.take(line.topic, wait_seconds=self._tick_seconds)
            if delivery is not None and self._stopping.is_set():
                await self._conclude(line, delivery, Verdict("again"))
            elif delivery is not None:
                await self._do(line, delivery)

        while not self._stopping.is_set():
            await self._try(f"Working on {line.queue}", take)

    async def _do(self, line: WorkTopic, delivery: Delivery) -> None:
        verdict = Verdict("again")
        try:
            with CancelScope() as scope:
                self._in_hand[delivery] = scope
                async with self._seats:
                    verdict = await self.attempts.make(delivery.ticket, limit_seconds=line.limit_seconds)
        finally:
            del self._in_hand[delivery]
            self._put_down.set()
            with anyio.move_on_after(_CONCLUDING_SECONDS, shield=True):
                await self._conclude(line, delivery, verdict)

    async def _conclude(self, line: WorkTopic, delivery: Delivery, verdict: Verdict) -> None:
        try:
            await delivery.put_down()
        finally:
            dead = await self.attempts.conclude(delivery.ticket, verdict)
        self._counts[verdict.outcome] += 1
        self._noted(line.topic, verdict.outcome)
        self._counts["dead"] += dead
        self._bell.set()

    async def _ending(self, grace_seconds: float) -> None:
        await self._stopping.wait()
        with anyio.move_on_after(grace_seconds):
            while self._in_hand:
                self._put_down = anyio.Event()
                await self._put_down.wait()
        for scope in self._in_hand.values():
            scope.cancel()

    async def _try(self, what: str, step: Step) -> None:
        """Make a step of a loop: in spite of trouble, unless somebody waits for the end of a burst."""
        await (step() if self._burst else self._trouble.outlast(what, step))


def _leaves(group: BaseExceptionGroup[QuipuError]) -> Iterator[QuipuError]:
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from _leaves(error)
        else:
            yield error
