"""Objects of a running server; every door gets them from the request."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Final, cast

import anyio
from fastapi.routing import APIRoute
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response

from quipu.app.memory import AsyncMemory
from quipu.errors import AccessRefused, QuipuError
from quipu.interfaces.serving.access import Access
from quipu.interfaces.serving.caller import Caller
from quipu.interfaces.serving.limits import Limits
from quipu.interfaces.serving.metrics import Metrics
from quipu.interfaces.serving.rates import Rates
from quipu.interfaces.serving.shared import Shared
from quipu.interfaces.serving.signin import CSRF_HEADER, SignIn, session_cookie
from quipu.kernel.base.scope import act_for
from quipu.kernel.db.turns import set_caller

_SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_KNOWN: Final = "quipu.caller"  # of a request that was asked already: it counts once
_UPKEEP_SECONDS: Final = 60.0
_LOG: Final = logging.getLogger("quipu.server")


PageOf = Callable[[Request, Mapping[str, object]], Response]
"""An error as a page: from the request and the problem document (``status``, ``title``, ``detail``, …)."""


class Served:
    """The memory that is served, who may reach it, and the limits.

    ``shared`` is what it has together with other processes, if there are several. ``page_of``: how the door
    of the pages shows an error; None where there is no such door.
    """

    page_of: PageOf | None = None

    def __init__(self, memory: AsyncMemory, terms: Limits, shared: Shared | None = None) -> None:
        self.memory = memory
        self.terms = terms
        self.shared = shared
        self.access = Access(memory, Rates(None if shared is None else shared.rates))
        self.signin = SignIn(memory, session_seconds=terms.session_seconds)
        self.metrics = Metrics(None if shared is None else shared.metrics)

    async def caller(self, request: HTTPConnection) -> Caller:
        """Return the caller: by a key in ``Authorization``, else by the session of a browser.

        From here to the end of the request the database is asked on behalf of the user of the key, if any.

        Raises:
            KeyRefused: neither.
            AccessRefused: a browser is to change something, and nothing shows that a page of ours wants it.
            TooManyRequests: they ask too often.
        """
        known = request.scope.get(_KNOWN)
        if known is None:
            known = request.scope[_KNOWN] = await self._caller(request)
            act_for(known.user)
        set_caller(known.key_id)
        return known

    async def _caller(self, request: HTTPConnection) -> Caller:
        header = request.headers.get("authorization")
        cookie = request.cookies.get(session_cookie(request))
        session = await self.signin.session(cookie) if header is None else None
        if session is None:
            return await self.access.bearer(header)
        if request.scope.get("method") not in _SAFE and not session.sent(request.headers.get(CSRF_HEADER)):
            raise AccessRefused(
                "This did not come from a page of ours.",
                hint="Scripts send X-CSRF-Token; programs use a key.",
            )
        self.access.pace(f"session {session.id}", self.terms.session_per_minute)
        return Caller(None, "admin", "session")

    @asynccontextmanager
    async def upkeep(self) -> AsyncGenerator[None]:
        """Note used keys, and drop old answers and ended sessions, once a minute, for the block."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._keep_up)
            yield
            tasks.cancel_scope.cancel()
        await self.access.aclose()
        await self._once()

    async def _keep_up(self) -> None:
        while True:
            await anyio.sleep(_UPKEEP_SECONDS)
            await self._once()

    async def _once(self) -> None:
        try:
            await self.access.note_use()
            await self.memory.answers.drop_old()
            await self.memory.signins.drop_ended()
        except QuipuError as error:  # it matters less than that the server goes on
            _LOG.warning("upkeep has to wait: %s", error)


def served(request: HTTPConnection) -> Served:
    """Return the objects of a request's server."""
    return cast("Served", request.app.state.served)


def operation_name(route: APIRoute) -> str:
    """Return an operation's name in clients that are made from the OpenAPI: ``record_observe``."""
    return "_".join([*map(str, route.tags[:1]), route.name])
