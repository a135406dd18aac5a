"""MCP as a door of the server: with its keys, under its limits."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any, Final, cast

from mcp.server.lowlevel.server import Server
from starlette.requests import Request
from starlette.types import ASGIApp

from quipu.interfaces.mcp.http import HttpDoor, Identify, answering
from quipu.interfaces.mcp.model import Caller
from quipu.interfaces.serving.served import Served
from quipu.kernel.base.scope import optional_name, own_user

if TYPE_CHECKING:
    from quipu import AsyncMemory

SPACE_HEADER: Final = "quipu-space"
USER_HEADER: Final = "quipu-user"


def door(serving: Served) -> HttpDoor:
    """Build the application to be mounted: over the served memory, for whoever has a key to it."""
    return HttpDoor(server(serving), identify(serving), hosts=sorted(serving.terms.hosts))


def server(serving: Served) -> Server[Any]:
    """Build the MCP server over the served memory."""

    async def memory() -> AsyncMemory:
        return serving.memory

    return answering(memory)


def identify(serving: Served) -> Identify:
    """Return a function that identifies the caller: the key decides the space and what may be changed.

    The client's configuration may add: the header ``Quipu-User`` limits to one person, ``Quipu-Space`` names
    the space for a key that opens all. A key that is bound to a user stays with that person, whatever the
    configuration says.
    """

    async def caller(request: Request) -> Caller:
        found = await serving.caller(request)
        return Caller(
            space=found.space_for(request.headers.get(SPACE_HEADER)),
            user=own_user(optional_name("user", request.headers.get(USER_HEADER))),
            level=found.level,
            bound=found.user is not None,
            key=found.key_id,
        )

    return caller


def running(app: ASGIApp) -> AbstractAsyncContextManager[None]:
    """Open the block in which a door answers."""
    return cast(HttpDoor, app).running()
