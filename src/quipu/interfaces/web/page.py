"""Routes of pages: what goes wrong is shown as a page."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import APIRouter
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response

from quipu.errors import BadInput, Conflict, DatabaseError, NotFound, QuipuError
from quipu.interfaces.web.visit import Forged, NotSignedIn, plain_page, visiting


class PageRoute(APIRoute):
    """A route whose errors are pages: to sign in, or what happened and the way out."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, with its errors shown."""
        handle = super().get_route_handler()

        async def shown(request: Request) -> Response:
            try:
                return await handle(request)
            except NotSignedIn:
                return plain_page(request, "signin.html", 401)
            except Forged:
                told = "This form was not sent from a page of this session."
                return await _fault(request, 403, told, "Go back, reload the page and try again.")
            except RequestValidationError as refused:
                return await _fault(request, 422, _told(refused), None)
            except QuipuError as error:
                return await _fault(request, _status(error), error.message, error.hint)

        return shown


def page_router() -> APIRouter:
    """A router for pages; they are no part of the REST description."""
    return APIRouter(route_class=PageRoute, include_in_schema=False)


async def _fault(request: Request, status: int, message: str, hint: str | None) -> Response:
    """What went wrong; with the head of a page where the visitor can be told apart."""
    try:
        visit = await visiting(request, request.query_params.get("space"))
    except (NotSignedIn, QuipuError):
        return plain_page(request, "error.html", status, message=message, hint=hint)
    return visit.page("error.html", status, message=message, hint=hint)


def _told(refused: RequestValidationError) -> str:
    first = next(iter(refused.errors()), None)
    return f"{first['loc'][-1]}: {first['msg']}." if first else "What was sent cannot be taken."


def _status(error: QuipuError) -> int:
    for kind, status in ((Conflict, 409), (BadInput, 422), (NotFound, 404), (DatabaseError, 503)):
        if isinstance(error, kind):
            return status
    return 500
