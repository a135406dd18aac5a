"""The server as a client's child: it speaks on standard input and output until the client closes them."""

from __future__ import annotations

import anyio
from mcp.server.context import CallNext, HandlerResult
from mcp.server.stdio import stdio_server

from quipu.interfaces.mcp.model import Caller
from quipu.interfaces.mcp.opening import Opening
from quipu.interfaces.mcp.server import Context, build
from quipu.kernel.config import Settings


def run(settings: Settings, caller: Caller) -> None:
    """Serve one caller until standard input ends."""
    anyio.run(_serve, settings, caller)


async def _serve(settings: Settings, caller: Caller) -> None:
    async with Opening(settings) as opening, stdio_server() as (read, write):
        server = build(opening.memory, lambda _: caller)

        async def beginning(ctx: Context, call_next: CallNext) -> HandlerResult:
            """Open the memory once the client has its first answer: it waits for nothing but that."""
            answer = await call_next(ctx)
            opening.begin()
            return answer

        server.middleware.append(beginning)
        await server.run(read, write, server.create_initialization_options())
