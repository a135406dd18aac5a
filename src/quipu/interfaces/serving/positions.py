"""Positions that callers bring along: what they wrote is in what they read next, at any process and standby.

The answer to a request that wrote tells a position in the log of the primary, and a browser keeps it. The
next request sends it back. Without standbys there is none.
"""

from __future__ import annotations

import logging
from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from quipu.errors import QuipuError
from quipu.interfaces.serving.metrics import Metrics
from quipu.interfaces.serving.signin import of_port
from quipu.kernel.db.positions import Position, Reader, reading_for

HEADER: Final = "Quipu-Position"
_COOKIE: Final = "quipu_position"
_KEPT_SECONDS: Final = 10  # a second is enough: every read has what the primary had written a second ago
_READS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_LOG: Final = logging.getLogger("quipu.server")


class Positions:
    """Reads and writes for the caller of each request, and counts the reads by place."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = HTTPConnection(scope)
        cookie = of_port(_COOKIE, request)
        reader = Reader(Position.read(request.headers.get(HEADER) or request.cookies.get(cookie)))

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start" and scope["method"] not in _READS:
                position = await _position(reader)
                if position is not None:
                    headers = MutableHeaders(scope=message)
                    headers[HEADER] = position
                    if request.cookies:
                        headers.append("Set-Cookie", _cookie(cookie, position))
            await send(message)

        try:
            with reading_for(reader):
                await self._app(scope, receive, sending)
        finally:
            for place, number in reader.reads.items():
                self._metrics.reads.labels(place).inc(number)


async def _position(reader: Reader) -> str | None:
    """Return the position behind all that was written for the caller; None if nothing was."""
    if reader.ask is None:
        return None
    try:
        return str(await reader.ask())
    except QuipuError as error:  # it is written: the answer must not fail for this
        _LOG.warning("the primary does not tell its position: %s", error)
        return None


def _cookie(name: str, value: str) -> str:
    made = Response()
    made.set_cookie(name, value, max_age=_KEPT_SECONDS, httponly=True, samesite="lax")
    return made.headers["set-cookie"]
