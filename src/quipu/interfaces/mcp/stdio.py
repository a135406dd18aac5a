"""The server as a child of a client: it opens the memory, and speaks on standard input and output."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from importlib import import_module
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import anyio
from anyio import to_thread
from anyio.abc import TaskGroup, TaskStatus
from mcp.server.context import CallNext, HandlerResult
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server

import quipu
from quipu.errors import QuipuError
from quipu.interfaces.mcp.model import Caller
from quipu.interfaces.mcp.server import Context, Opened, build
from quipu.kernel.config import Settings

if TYPE_CHECKING:
    from quipu import AsyncMemory


class Opening:
    """Opens a memory beside the block, and closes it after; what stood in the way is told to who asks.

    It begins when somebody asks for it, or before, with ``begin``. Where it could not be opened, the next one
    who asks has it tried again: a server may be up by then.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._group: TaskGroup = anyio.create_task_group()
        self._lock = anyio.Lock()
        self._begun = anyio.Event()
        self._over = anyio.Event()
        self._gone = anyio.Event()
        self._memory: AsyncMemory | None = None

    async def __aenter__(self) -> Self:
        await self._group.__aenter__()
        self._group.start_soon(self._first)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        self._over.set()
        self._begun.set()
        return await self._group.__aexit__(kind, error, trace)

    def begin(self) -> None:
        """Open it now: somebody will soon ask."""
        self._begun.set()

    async def close(self) -> None:
        """Close it before the block ends: when this returns, nothing of it is left open."""
        self._over.set()
        self._begun.set()
        if self._memory is not None:
            await self._gone.wait()

    async def memory(self) -> AsyncMemory:
        """Return the open memory.

        Raises:
            QuipuError: it cannot be opened.
        """
        async with self._lock:
            if self._memory is None:
                outcome = await self._group.start(self._hold)
                if isinstance(outcome, QuipuError):
                    raise outcome
            assert self._memory is not None
            return self._memory

    async def _first(self) -> None:
        await self._begun.wait()
        if self._over.is_set():
            return
        try:
            await self.memory()
        except QuipuError:
            return  # whoever asks is told

    async def _hold(self, *, task_status: TaskStatus[QuipuError | None]) -> None:
        """Open it, and keep it open until the block is over, in one task: that is what its parts need."""
        try:
            # The half second that its imports take belongs to a thread: meanwhile the server answers.
            await to_thread.run_sync(import_module, "quipu.app.memory")
            async with quipu.AsyncMemory(settings=self._settings) as memory:
                self._memory = memory
                task_status.started(None)
                await self._over.wait()
        except QuipuError as error:
            if self._memory is not None:
                raise
            task_status.started(error)
        finally:
            if self._memory is not None:
                self._gone.set()


def run(settings: Settings, make: Callable[[Opened], Server[Any]]) -> None:
    """Serve what ``make`` builds until standard input ends, or a signal ends this process."""
    anyio.run(_serve, settings, make)


def tools_for(caller: Caller) -> Callable[[Opened], Server[Any]]:
    """Return the builder of the server that has our own tools, for a caller."""
    return lambda opened: build(opened, lambda _: caller)


async def _serve(settings: Settings, make: Callable[[Opened], Server[Any]]) -> None:
    async with (
        Opening(settings) as opening,
        anyio.create_task_group() as group,
        stdio_server() as (read, write),
    ):
        server = make(opening.memory)

        async def beginning(ctx: Context, call_next: CallNext) -> HandlerResult:
            """Open the memory once the client has its first answer: it waits for nothing but that."""
            answer = await call_next(ctx)
            opening.begin()
            return answer

        server.middleware.append(beginning)
        if sys.platform != "win32":  # there a signal ends a process at once
            await group.start(_end_at_signals, opening)
        await server.run(read, write, server.create_initialization_options())
        group.cancel_scope.cancel()


async def _end_at_signals(opening: Opening, *, task_status: TaskStatus[None]) -> None:
    """Close the memory at a signal and end; else the end would wait for the thread that waits for input."""
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        task_status.started()
        async for number in signals:
            await opening.close()
            os._exit(128 + number)
