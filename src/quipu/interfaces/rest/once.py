"""Writes that are sent again are not done again: ``Idempotency-Key``.

The answer to a write that came with a key is kept for 24 hours, per caller and space. The same request gets
it again, with ``Idempotency-Replayed: true``; another request under the same key is refused. What failed is
not kept: it may be sent again.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Awaitable, Callable, Coroutine
from typing import Annotated, Any, Final

import anyio
from fastapi import Header
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response

from quipu.errors import BadInput
from quipu.interfaces.serving.served import served
from quipu.upkeep.answers.answers import Asking, KeptAnswer

_HEADER: Final = "Idempotency-Key"
_KEY: Final = re.compile(r"[\x21-\x7e]{1,255}\Z", re.ASCII)
_KEPT_HEADERS: Final = ("content-type", "etag", "location")
_MOST_BYTES: Final = 1_000_000
_LEAST_STATUS, _MOST_STATUS = 200, 299

IdempotencyKey = Annotated[
    str | None,
    Header(
        max_length=255,
        description="Any text of yours for this request, such as a UUID: sent again within 24 hours, it is "
        "not done again but answered the same.",
    ),
]

Handle = Callable[[Request], Awaitable[Response]]


class Once(APIRoute):
    """A route that heeds ``Idempotency-Key`` where it writes into a space."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler of the route, which first looks for a kept answer."""
        handle = super().get_route_handler()

        async def once(request: Request) -> Response:
            key = request.headers.get(_HEADER)
            return await handle(request) if key is None else await _once(request, key, handle)

        return once if _writes(self) else handle


def _writes(route: APIRoute) -> bool:
    return any(getattr(inner.call, "writes", False) for inner in route.dependant.dependencies)


async def _once(request: Request, key: str, handle: Handle) -> Response:
    if not _KEY.match(key):
        raise BadInput("1 to 255 visible ASCII characters.", field=_HEADER)
    serving = served(request)
    caller = await serving.caller(request)
    answers = serving.memory.answers
    asking = Asking(
        caller.space_for(request.query_params.get("space")), caller.key_id, key, await _sha256(request)
    )
    caller.may("write")
    before = await answers.begin(asking)
    if before is not None:
        return Response(before.body, before.status, {**before.headers, "Idempotency-Replayed": "true"})
    answer = None
    try:
        response = await handle(request)
        answer = _answer(response)
    finally:
        if answer is None:
            with anyio.CancelScope(shield=True):  # also where the request was given up
                await answers.release(asking)
    if answer is not None:
        await answers.keep(asking, answer)
    return response


async def _sha256(request: Request) -> bytes:
    """Return the hash of the request: method, address, and body."""
    head = f"{request.method} {request.url.path}?{request.url.query}\n".encode()
    return hashlib.sha256(head + await request.body()).digest()


def _answer(response: Response) -> KeptAnswer | None:
    """Return the part of a response to keep; None if it failed."""
    if not _LEAST_STATUS <= response.status_code <= _MOST_STATUS or len(response.body) > _MOST_BYTES:
        return None
    headers = {name: response.headers[name] for name in _KEPT_HEADERS if name in response.headers}
    return KeptAnswer(response.status_code, headers, bytes(response.body))
