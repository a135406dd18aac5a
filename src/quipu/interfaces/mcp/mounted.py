"""MCP as a door of the server, by HTTP: with its keys, under its limits."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final, cast

from mcp.server.lowlevel.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from quipu.errors import QuipuError
from quipu.interfaces.mcp.model import Caller
from quipu.interfaces.mcp.server import Context, Opened, build
from quipu.interfaces.problems import Problem, public, status
from quipu.interfaces.serving.served import Served
from quipu.kernel.base.scope import optional_name, own_user

if TYPE_CHECKING:
    from quipu import AsyncMemory

SPACE_HEADER: Final = "quipu-space"
USER_HEADER: Final = "quipu-user"


_CALLER: Final = "quipu.mcp.caller"
LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]")
_LOG: Final = logging.getLogger("quipu.server")
_MOST_BYTES: Final = 4 * 2**20

Identify = Callable[[Request], Awaitable[Caller]]


def answering(opened: Opened) -> Server[Any]:
    """Build a server over the memory of ``opened``, for whoever stands behind a request of an `HttpDoor`."""
    return build(opened, _caller, tell=_far)


class HttpDoor:
    """Streamable HTTP to a server; ``running`` must surround it.

    ``identify`` tells who makes a request, or raises what the application around it answers. Requests for
    other hosts than ``hosts`` (any, if it is empty), and from pages of other sites, are refused, so that no
    page in a browser reaches it under a name of its own.

    Without ``sessions``, any process can answer any request, each with one document. With them a tool can say
    how far it is, and ask the client back: the requests of a session must come to the process that began it.
    """

    def __init__(
        self,
        server: Server[Any],
        identify: Identify,
        *,
        hosts: Sequence[str] = LOOPBACK,
        sessions: bool = False,
    ) -> None:
        self._identify = identify
        names = [form for host in hosts for form in (host, f"{host}:*")]
        self._manager = StreamableHTTPSessionManager(
            server,
            json_response=not sessions,
            stateless=not sessions,
            max_request_body_size=_MOST_BYTES,
            security_settings=TransportSecuritySettings(
                enable_dns_rebinding_protection=bool(hosts),
                allowed_hosts=names,
                allowed_origins=[f"{scheme}://{name}" for name in names for scheme in ("http", "https")],
            ),
        )

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Answer requests in this block; once in the life of this object."""
        async with self._manager.run():
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        caller = await self._identify(Request(scope, receive))
        await self._manager.handle_request({**scope, _CALLER: caller}, receive, send)


def _far(error: QuipuError) -> Problem:
    """Return the part of an error that a distant caller may know; the rest goes to our log."""
    if status(type(error)) >= HTTPStatus.INTERNAL_SERVER_ERROR:
        _LOG.error("%s: %s", type(error).__name__, error, exc_info=error)
    return public(error)


def _caller(context: Context) -> Caller:
    request: Any = context.request
    return request.scope[_CALLER]


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
        identified = await serving.caller(request)
        return Caller(
            space=identified.space_for(request.headers.get(SPACE_HEADER)),
            user=own_user(optional_name("user", request.headers.get(USER_HEADER))),
            level=identified.level,
            bound=identified.user is not None,
            key=identified.key_id,
        )

    return caller


def running(app: ASGIApp) -> AbstractAsyncContextManager[None]:
    """Open the block in which a door answers."""
    return cast(HttpDoor, app).running()
