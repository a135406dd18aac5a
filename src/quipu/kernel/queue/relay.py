"""Handing jobs over: from the outbox, where they are kept, to the queue, where workers find them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from typing import Final

import anyio

from quipu.kernel.base.clock import Clock
from quipu.kernel.db.database import Connection
from quipu.kernel.queue.model import Ticket
from quipu.kernel.queue.saq import Carrier
from quipu.kernel.queue.store import Store

_AT_ONCE: Final = 500
_SENDERS: Final = 8


class Relay:
    """Hands over what is due of some topics. Any number of them may do so at once.

    A job is marked first and handed over then. Who dies in between, or a queue that loses what it was given,
    leaves a mark that grows old: such jobs are looked for in the queue, and handed over again.
    """

    def __init__(
        self, store: Store, carrier: Carrier, topics: Sequence[str], *, clock: Clock, unheard_seconds: float
    ) -> None:
        self._store = store
        self._carrier = carrier
        self._topics = topics
        self._clock = clock
        self._unheard = timedelta(seconds=unheard_seconds)

    def listening(self) -> AbstractAsyncContextManager[Connection]:
        """Open a connection that is notified when there may be something to hand over."""
        return self._store.listening()

    async def anything_due(self) -> bool:
        """Return True if something is to be done now, or is being done."""
        return await self._store.any_due(self._topics, now=self._clock.now())

    async def hand_over(self) -> int:
        """Hand over every due job; return how many."""
        total = 0
        while tickets := await self._store.take_due(self._topics, now=self._clock.now(), limit=_AT_ONCE):
            await self._send(tickets)
            total += len(tickets)
        return total

    async def look_for_lost(self) -> int:
        """Hand over again what no queue has; returns how many jobs."""
        total = 0
        now = self._clock.now()
        await self._store.set_right(self._topics, now=now)
        before = now - self._unheard
        while tickets := await self._store.take_unheard(self._topics, before=before, now=now, limit=_AT_ONCE):
            lost = await self._carrier.missing(tickets)
            await self._send(lost)
            total += len(lost)
        return total

    async def _send(self, tickets: Sequence[Ticket]) -> None:
        waiting = list(reversed(tickets))
        in_hand: set[Ticket] = set()

        async def some() -> None:
            while waiting:
                ticket = waiting.pop()
                in_hand.add(ticket)
                await self._carrier.send(ticket)
                in_hand.remove(ticket)

        try:
            async with anyio.create_task_group() as tasks:
                for _ in range(min(_SENDERS, len(tickets))):
                    tasks.start_soon(some)
        finally:
            if left := [*waiting, *in_hand]:
                with anyio.CancelScope(shield=True):
                    await self._store.take_back(left)
