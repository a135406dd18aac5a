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
from quipu.kernel.base.scope import optional_name
from quipu.kernel.db.person import own_user

if TYPE_CHECKING:
    from quipu import AsyncMemory

SPACE_HEADER: Final = "quipu-space"
USER_HEADER: Final = "quipu-user"


def door(serving: Served) -> HttpDoor:
    """The application to be mounted: over the memory that is served, for who has a key to it."""
    return HttpDoor(server(serving), identify(serving), hosts=sorted(serving.terms.hosts))


def server(serving: Served) -> Server[Any]:
    """What answers, from the memory that is served."""

    async def memory() -> AsyncMemory:
        return serving.memory

    return answering(memory)


def identify(serving: Served) -> Identify:
    """Who asks: the key says which space, and whether anything may be changed.

    The client's configuration may say more: the header ``Quipu-User`` keeps to one person, ``Quipu-Space``
    names the space for a key that opens all. A key that is bound to a user keeps to that person, whatever the
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
    """The block in which a door answers."""
    return cast(HttpDoor, app).running()
