"""Turns of agents' and readers' statements: a limited number runs at once, the rest wait for a while."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Final
from weakref import WeakValueDictionary

import anyio

from quipu.errors import TooManyRequests

_WAIT_SECONDS: Final = 10.0
_CALLER: Final[ContextVar[str | None]] = ContextVar("quipu_caller", default=None)


def set_caller(name: str | None) -> None:
    """Name the key or session on whose behalf this task, and every task that it starts, runs statements."""
    _CALLER.set(name)


class Turns:
    """The turns of one process: ``at_once`` together, and half of them for one space or one caller."""

    def __init__(self, at_once: int) -> None:
        self._all = anyio.Semaphore(at_once)
        self._most = max(1, at_once // 2)
        self._shares: WeakValueDictionary[tuple[str, str], anyio.Semaphore] = WeakValueDictionary()

    @asynccontextmanager
    async def take(self, space: str) -> AsyncGenerator[None]:
        """Wait for a turn of the caller and of the space, and keep it for the block.

        Raises:
            TooManyRequests: none came in ten seconds.
        """
        caller = _CALLER.get()
        needed = [self._share("space", space), self._all]
        if caller is not None:
            needed.insert(0, self._share("caller", caller))
        held: list[anyio.Semaphore] = []
        try:
            with anyio.move_on_after(_WAIT_SECONDS):
                for one in needed:
                    await one.acquire()
                    held.append(one)
            if len(held) < len(needed):
                raise TooManyRequests(
                    "Too many statements of agents and readers run already.",
                    wait_seconds=_WAIT_SECONDS,
                    hint="Wait for your own to end; QUIPU_SQL_AT_ONCE says how many run at once.",
                )
            yield
        finally:
            for one in held:
                one.release()

    def _share(self, kind: str, name: str) -> anyio.Semaphore:
        share = self._shares.get((kind, name))
        if share is None:
            share = self._shares[kind, name] = anyio.Semaphore(self._most)
        return share
