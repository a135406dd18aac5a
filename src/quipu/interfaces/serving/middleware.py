"""Guards before every door of a server, outermost first: see ``around``.

They are plain ASGI applications around another: no door can forget them, and streams pass through.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Final

import anyio
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from quipu.errors import AccessRefused, BadInput, QuipuError, TookTooLong, TooLarge
from quipu.interfaces.serving.limits import Limits
from quipu.interfaces.serving.metrics import Metrics, RequestCounter, method_of, route_of
from quipu.interfaces.serving.positions import Positions
from quipu.interfaces.serving.problems import response
from quipu.kernel.base.depth import TOO_DEEP, is_too_deep
from quipu.kernel.base.scope import acting_for
from quipu.kernel.telemetry.groups import REQUEST
from quipu.kernel.telemetry.spans import is_on, span

# Pages load nothing from anywhere else, run no script that stands in a page, and are shown in no frame.
_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}


Knows = Callable[[str | None], Awaitable[bool]]
"""Says if a header ``Authorization`` has a key that opens something."""


async def _nobody(_: str | None) -> bool:
    return False


def around(app: ASGIApp, terms: Limits, metrics: Metrics, *, knows: Knows = _nobody) -> ASGIApp:
    """Wrap the application with all guards; whom it ``knows`` may send more."""
    inner = Bodies(Times(Positions(Apart(app), metrics), terms), terms, knows)
    return SecurityHeaders(Traces(RequestCounter(Hosts(inner, terms), metrics)))


class SecurityHeaders:
    """Gives every answer the headers of a page that keeps to itself; what it says of these stays."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Add security headers to the response."""

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, sending)


class Traces:
    """Records each request as a span, within that of whoever sent it (W3C traceparent)."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Record one request: its method, its route and its status, never its address or its words."""
        if scope["type"] != "http" or not is_on():
            await self._app(scope, receive, send)
            return
        method = method_of(scope)
        with span(REQUEST, method, {"http.request.method": method}, headers=Headers(scope=scope)) as seen:

            async def sending(message: Message) -> None:
                if message["type"] == "http.response.start":
                    seen.note({"http.response.status_code": message["status"]})
                    if message["status"] >= HTTPStatus.INTERNAL_SERVER_ERROR:
                        seen.fail(str(message["status"]))
                await send(message)

            try:
                await self._app(scope, receive, sending)
            finally:
                route = route_of(scope)
                seen.note({"http.route": route}, name=f"{method} {route}")


class Apart:
    """Lets each request begin on behalf of nobody in particular, and forgets whom it was for."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request without a person carried over from another."""
        with acting_for(None):
            await self._app(scope, receive, send)


class Hosts:
    """Answers only to its own names, so that no foreign name that leads here can reach what is here."""

    def __init__(self, app: ASGIApp, terms: Limits) -> None:
        self._app = app
        self._hosts = terms.hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request that calls the server by an unknown name."""
        if scope["type"] == "http" and self._hosts:
            host = Headers(scope=scope).get("host", "")
            name = host if host.endswith("]") else host.rpartition(":")[0] or host
            if name.lower() not in self._hosts:
                refused = AccessRefused(
                    "This server is not called so.", hint="Proxies: say --public-url when it is started."
                )
                await response(refused)(scope, receive, send)
                return
        await self._app(scope, receive, send)


class Bodies:
    """Takes in each request whole before anybody works on it: not too large, and not too slowly.

    So who sends slowly costs a connection, and nothing that others wait for. Streams pass through.
    """

    def __init__(self, app: ASGIApp, terms: Limits, knows: Knows) -> None:
        self._app = app
        self._terms = terms
        self._knows = knows

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request whose body is too large, too slow, packed or too deep."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        try:
            if self._terms.streams(scope["path"]):
                _refuse_packed(headers)
                await self._app(scope, receive, send)
                return
            body = await self._whole(scope["path"], headers, receive)
            _refuse_packed(headers)
            _refuse_deep(headers, body or b"")
        except QuipuError as error:
            await response(error, headers={"Connection": "close"})(scope, receive, send)
            return
        if body is None:  # they hung up
            return
        handed_on = False

        async def receiving() -> Message:
            nonlocal handed_on
            if handed_on:
                return await receive()
            handed_on = True
            return {"type": "http.request", "body": body, "more_body": False}

        await self._app(scope, receiving, send)

    async def _most_bytes(self, path: str, headers: Headers) -> int:
        most = self._terms.most_bytes(path)
        if most > self._terms.body_bytes and not await self._knows(headers.get("authorization")):
            return self._terms.body_bytes
        return most

    async def _whole(self, path: str, headers: Headers, receive: Receive) -> bytes | None:
        """Return the whole body.

        Raises:
            TooLarge: it is more than a request may have.
            TookTooLong: it did not come in time.
        """
        length, most = headers.get("content-length", "0"), self._terms.body_bytes
        if not length.isdecimal() or int(length) > most or "transfer-encoding" in headers:
            most = await self._most_bytes(path, headers)
        is_large = length.isdecimal() and int(length) > most
        if is_large and "expect" in headers:  # they wait for a word before they send it
            raise _too_large(most)
        body = bytearray()
        with anyio.move_on_after(self._terms.body_seconds):
            more = True
            while more:  # to the end: who still sends when the connection is closed never reads the answer
                message = await receive()
                if message["type"] != "http.request":
                    return None
                more = message.get("more_body", False)
                body += message.get("body", b"")
                if is_large := is_large or len(body) > most:
                    body.clear()
            if not is_large:
                return bytes(body)
        if is_large:
            raise _too_large(most)
        raise TookTooLong(f"The request did not come whole within {self._terms.body_seconds:g} seconds.")


def _too_large(most: int) -> TooLarge:
    return TooLarge(f"A request may have {most:,} bytes.", hint="Send it in parts, or POST /v1/import.")


def _refuse_packed(headers: Headers) -> None:
    """Refuse a compressed body, which no door unpacks: it may hold a thousand times its size.

    Raises:
        BadInput: it is.
    """
    packed = headers.get("content-encoding", "identity").strip().lower()
    if packed not in ("", "identity"):
        raise BadInput(
            "a request is taken as it is, not compressed.",
            field="Content-Encoding",
            hint="Send it without Content-Encoding.",
        )


def _refuse_deep(headers: Headers, body: bytes) -> None:
    """Refuse a body of JSON that is nested too deeply.

    Raises:
        BadInput: it is.
    """
    if "json" in headers.get("content-type", "").lower() and is_too_deep(body):
        raise BadInput(f"{TOO_DEEP}.", field="body")


class Times:
    """Gives up what takes too long; a write that is not committed by then is undone."""

    def __init__(self, app: ASGIApp, terms: Limits) -> None:
        self._app = app
        self._terms = terms

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """End a request that takes too long."""
        if scope["type"] != "http" or self._terms.takes_long(scope["path"]):
            await self._app(scope, receive, send)
            return
        begun = False

        async def sending(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        seconds = self._terms.request_seconds
        with anyio.move_on_after(seconds) as time:
            await self._app(scope, receive, sending)
        if time.cancelled_caught and not begun:
            late = TookTooLong(f"There was no answer within {seconds:g} seconds.", hint="Try again later.")
            await response(late)(scope, receive, send)
