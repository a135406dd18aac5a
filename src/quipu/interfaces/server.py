"""The server: one ASGI application with every door that is reached by HTTP, its probes and its OpenAPI."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from fastapi import APIRouter, FastAPI
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import ASGIApp

import quipu
from quipu.app.memory import AsyncMemory
from quipu.interfaces import peers
from quipu.interfaces.mcp import mounted as mcp
from quipu.interfaces.rest.routes import ROUTERS
from quipu.interfaces.serving import login, middleware, probes, problems
from quipu.interfaces.serving.limits import Limits
from quipu.interfaces.serving.served import Served
from quipu.interfaces.serving.shared import Shared
from quipu.interfaces.web.background import labouring
from quipu.interfaces.web.page_context import page_of
from quipu.interfaces.web.pages import pages
from quipu.kernel.config import Settings
from quipu.upkeep.keys.model import Level

_JSON: Final = "application/json"
_NONE: Final = re.compile(r"\bNone\b")


def document(app: FastAPI) -> dict[str, Any]:
    """Return the document, made once.

    FastAPI files the shape of every further answer under JSON. If a route names another media type for it,
    for example that of problems, it is moved there.
    """
    if app.openapi_schema is None:
        made = FastAPI.openapi(app)
        for operations in made["paths"].values():
            for operation in operations.values():
                for response in operation["responses"].values():
                    _move(response.get("content", {}))
        for shape in made["components"]["schemas"].values():
            if "description" in shape:
                shape["description"] = _NONE.sub("null", shape["description"].replace("``", "`"))
    assert app.openapi_schema is not None
    return app.openapi_schema


def _move(content: dict[str, Any]) -> None:
    others = [media for media, description in content.items() if media != _JSON and not description]
    if others and _JSON in content:
        content[others[0]] = content.pop(_JSON)


@dataclass(frozen=True, slots=True)
class Mount:
    """An application of its own under a path, such as MCP: ``build`` makes it, ``running`` is open around it.

    It asks ``await served.caller(request)`` who asks, as every door does.
    """

    path: str
    build: Callable[[Served], ASGIApp]
    running: Callable[[ASGIApp], AbstractAsyncContextManager[None]] | None = None


# The doors beside REST: routes of a router are added as they are, an application is mounted under its path.
PAGES: tuple[APIRouter, ...] = (pages(),)
MOUNTS: tuple[Mount, ...] = (Mount("/mcp", mcp.door, mcp.running),)


def peer(name: str) -> Mount:
    """Return the mount of the routes of a peer, under /compat.

    The key of a request decides its space and level. ``Quipu-Space`` names the space for a key that opens
    all of them.
    """
    make = peers.loaded(peers.ROUTES[name])

    def build(serving: Served) -> ASGIApp:
        async def enter(request: Request, level: Level) -> str:
            caller = await serving.caller(request)
            caller.may(level)
            return caller.space_for(request.headers.get(mcp.SPACE_HEADER))

        return make(serving.memory, enter)

    return Mount(f"/compat/{name}", build)


def create_app(
    settings: Settings | None = None,
    *,
    memory: AsyncMemory | None = None,
    terms: Limits | None = None,
    mounts: Sequence[Mount] = MOUNTS,
    shared: Shared | None = None,
) -> FastAPI:
    """Build the application over the memory of ``settings``, which its lifespan opens and closes.

    A given ``memory`` is used as it is, and stays open; then the application can be asked without its
    lifespan, as tests do. It answers to the names in ``terms.hosts`` only: ask it as http://localhost.
    ``shared`` is what it has together with other processes, which answer at the same address.
    """
    serving = Served(memory or AsyncMemory(settings=settings), terms or Limits(), shared)
    mounted = [(mount, mount.build(serving)) for mount in mounts]

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncGenerator[None]:
        async with AsyncExitStack() as stack:
            if memory is None:
                await stack.enter_async_context(serving.memory)
            for mount, inner in mounted:
                if mount.running is not None:
                    await stack.enter_async_context(mount.running(inner))
            await stack.enter_async_context(labouring(app, serving))
            async with serving.upkeep():
                yield

    app = FastAPI(
        title="Quipu",
        summary="Memory for software agents.",
        version=quipu.__version__,
        lifespan=lifespan,
        openapi_url="/v1/openapi.json",
        docs_url=None,  # what they show is loaded from other hosts
        redoc_url=None,
    )
    app.openapi = partial(document, app)
    app.state.served = serving
    serving.page_of = page_of
    app.add_middleware(
        middleware.around, terms=serving.terms, metrics=serving.metrics, knows=serving.access.knows
    )
    problems.install(app)
    # As they are: to include a router makes each of its routes again, which takes half a second.
    for router in (*ROUTERS, probes.router, login.router, *PAGES):
        app.router.routes.extend(router.routes)
    for mount, inner in mounted:
        app.router.routes.append(Route(mount.path, endpoint=inner))  # the path itself, without a slash
        app.mount(mount.path, inner)
    return app
