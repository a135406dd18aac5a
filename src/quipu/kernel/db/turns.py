"""Statements of agents and readers: a limited number runs at once, and behind everybody else's."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Final
from weakref import WeakValueDictionary

import anyio

from quipu.errors import TooManyRequests
from quipu.kernel.config import Settings
from quipu.kernel.db.connection import Connection

_WAIT_SECONDS: Final = 10.0
_CALLER: Final[ContextVar[str | None]] = ContextVar("quipu_caller", default=None)
_BACK: Final = 15  # of 19; a process with 0 gets some 28 times as much where both compute


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


def stand_back(conn: Connection, settings: Settings) -> Connection:
    """Return the connection, whose backend in an embedded server computes with what time the others leave.

    Linux may share time between sessions first, and every backend is a session: so it stands back as well.
    Nothing happens where the process is not a backend, has ended, or may not be changed.
    """
    if sys.platform == "linux" and settings.database_url is None:
        pid = conn.info.backend_pid
        process = Path(f"/proc/{pid}")
        with suppress(OSError):  # it is a favour to the others, and no promise
            if process.joinpath("cmdline").read_bytes().startswith(b"postgres"):
                os.setpriority(os.PRIO_PROCESS, pid, _BACK)
                process.joinpath("autogroup").write_text(f"{_BACK}\n", "ascii")
    return conn
