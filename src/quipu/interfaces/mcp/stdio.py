"""The server as a client's child: it speaks on standard input and output until the client closes them."""

from __future__ import annotations

import os
import signal
import sys

import anyio
from anyio.abc import TaskStatus
from mcp.server.context import CallNext, HandlerResult
from mcp.server.stdio import stdio_server

from quipu.interfaces.mcp.model import Caller
from quipu.interfaces.mcp.opening import Opening
from quipu.interfaces.mcp.server import Context, build
from quipu.kernel.config import Settings


def run(settings: Settings, caller: Caller) -> None:
    """Serve one caller until standard input ends, or a signal ends this process."""
    anyio.run(_serve, settings, caller)


async def _serve(settings: Settings, caller: Caller) -> None:
    async with (
        Opening(settings) as opening,
        anyio.create_task_group() as group,
        stdio_server() as (read, write),
    ):
        server = build(opening.memory, lambda _: caller)

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
