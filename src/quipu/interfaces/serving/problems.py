"""Errors as answers: problem documents (RFC 9457), the same from every door of a server."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping
from http import HTTPStatus
from types import MappingProxyType
from typing import Any, Final, cast

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from quipu.errors import (
    BudgetSpent,
    DatabaseUnavailable,
    KeyRefused,
    QuipuError,
    TookTooLong,
    TooManyRequests,
)
from quipu.interfaces import problems
from quipu.interfaces.serving.served import served
from quipu.kernel.base.text import rule_of
from quipu.kernel.redact import redact

MEDIA_TYPE: Final = "application/problem+json"
_LOG: Final = logging.getLogger("quipu.server")
_AGAIN_SECONDS: Final = 5
_FOR_PROGRAMS: Final = ("/v1/", "/mcp")


class ProblemResponse(JSONResponse):
    """A problem document."""

    media_type = MEDIA_TYPE


def install(app: FastAPI) -> None:
    """Have every error of an application answered as a problem document."""
    app.add_exception_handler(QuipuError, _ours)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(ClientDisconnect, _gone)
    app.add_exception_handler(Exception, _unforeseen)


def document(error: QuipuError) -> dict[str, object]:
    """Return the problem document of an error: what a client may know of it."""
    public = problems.public(error)
    fields: dict[str, object] = {
        "type": f"/problems/{public.kind}",
        "title": problems.title(type(error)),
        "status": problems.status(type(error)),
        "detail": public.message,
    }
    if public.hint is not None:
        fields["hint"] = public.hint
    if public.field is not None:
        fields["field"] = public.field
    return fields


def response(error: QuipuError, *, headers: Mapping[str, str] = MappingProxyType({})) -> ProblemResponse:
    """Return the answer to a request that ended with an error."""
    status = problems.status(type(error))
    if status == HTTPStatus.SERVICE_UNAVAILABLE:  # it passes; a log full of tracebacks helps nobody
        _LOG.warning("%s: %s", type(error).__name__, error)
    elif status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        _LOG.error("%s: %s", type(error).__name__, error, exc_info=error)
    return ProblemResponse(document(error), status, headers={**_headers(error), **headers})


def _headers(error: QuipuError) -> dict[str, str]:
    match error:
        case KeyRefused():
            return {"WWW-Authenticate": 'Bearer realm="quipu"'}
        case TooManyRequests():
            return {"Retry-After": str(max(1, math.ceil(error.wait_seconds)))}
        case DatabaseUnavailable() | TookTooLong():
            return {"Retry-After": str(_AGAIN_SECONDS)}
        case BudgetSpent() if error.opens_at is not None:
            return {"Retry-After": error.opens_at.strftime("%a, %d %b %Y %H:%M:%S GMT")}
        case _:
            return {}


async def _ours(request: Request, error: Exception) -> Response:
    ours = cast("QuipuError", error)
    if _wants_page(request):
        if isinstance(ours, KeyRefused):
            return RedirectResponse("/signin", HTTPStatus.SEE_OTHER)
        return _page(request, document(ours), response(ours))
    return response(ours)


def _wants_page(request: Request) -> bool:
    """Return True if a browser asks for a page for somebody to read."""
    to_read = "text/html" in request.headers.get("accept", "")
    return to_read and not request.url.path.startswith(_FOR_PROGRAMS)


def _page(request: Request, fields: Mapping[str, object], plain: Response) -> Response:
    """Return the error as the pages show it; without pages, as it is for programs."""
    page_of = served(request).page_of
    return plain if page_of is None else page_of(request, fields)


async def _invalid(request: Request, error: Exception) -> Response:
    """Return the faults that FastAPI found, without repeating the input."""
    faults = cast("RequestValidationError", error).errors()
    errors = [{"field": _place(fault), "detail": rule_of(fault["msg"])} for fault in faults]
    fields: dict[str, object] = {
        "type": "/problems/bad-input",
        "title": "An argument is not valid.",
        "status": 422,
        "detail": "; ".join(f"{one['field']}: {one['detail']}" for one in errors[:3]),
        "errors": errors[:20],
    }
    plain = ProblemResponse(fields, 422)
    return _page(request, fields, plain) if _wants_page(request) else plain


def _place(fault: Mapping[str, Any]) -> str:
    """Return the place of a fault: ``messages.0.content``."""
    parts = [str(part) for part in fault["loc"]]
    return redact(".".join(parts[1:] if len(parts) > 1 else parts)).text


async def _http(request: Request, error: Exception) -> Response:
    raised = cast("HTTPException", error)
    status = HTTPStatus(raised.status_code)
    fields = {
        "type": "about:blank",
        "title": status.phrase,
        "status": status.value,
        "detail": str(raised.detail) if status < HTTPStatus.INTERNAL_SERVER_ERROR else status.description,
    }
    plain = ProblemResponse(fields, status.value, headers=raised.headers)
    return _page(request, fields, plain) if _wants_page(request) else plain


async def _gone(_: Request, __: Exception) -> Response:
    """Answer a client that hung up while it sent: nobody listens any more."""
    return Response(status_code=HTTPStatus.BAD_REQUEST, headers={"Connection": "close"})


async def _unforeseen(request: Request, error: Exception) -> Response:
    """Log an unforeseen error with its traceback; the answer says no more than that."""
    _LOG.error("unforeseen", exc_info=error)
    fields = document(QuipuError())
    plain = ProblemResponse(fields, 500)
    return _page(request, fields, plain) if _wants_page(request) else plain
