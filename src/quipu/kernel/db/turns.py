"""How many statements of agents and readers run at once: the rest wait their turn, for a while."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final
from weakref import WeakValueDictionary

import anyio

from quipu.errors import TooManyRequests

_WAIT_SECONDS: Final = 10.0


class Turns:
    """The turns of one process: ``at_once`` together, and of one space half of them."""

    def __init__(self, at_once: int) -> None:
        self._all = anyio.Semaphore(at_once)
        self._most = max(1, at_once // 2)
        self._own: WeakValueDictionary[str, anyio.Semaphore] = WeakValueDictionary()

    @asynccontextmanager
    async def take(self, space: str) -> AsyncGenerator[None]:
        """Wait for a turn of the space, and keep it for the block.

        Raises:
            TooManyRequests: none came in ten seconds.
        """
        own = self._own.get(space)
        if own is None:
            own = self._own[space] = anyio.Semaphore(self._most)
        held: list[anyio.Semaphore] = []
        try:
            with anyio.move_on_after(_WAIT_SECONDS):
                for one in (own, self._all):
                    await one.acquire()
                    held.append(one)
            if len(held) < 2:
                raise TooManyRequests(
                    "Too many statements of agents and readers run already.",
                    wait_seconds=_WAIT_SECONDS,
                    hint="Wait for your own to end; QUIPU_SQL_AT_ONCE says how many run at once.",
                )
            yield
        finally:
            for one in held:
                one.release()
