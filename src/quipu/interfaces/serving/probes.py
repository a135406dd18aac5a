"""Probes: does the server live, can it answer, and its counters."""

from __future__ import annotations

from fastapi import APIRouter, Request
from pydantic import BaseModel
from starlette.responses import PlainTextResponse, Response

from quipu.errors import NotFound
from quipu.interfaces import problems
from quipu.interfaces.serving.gauges import state
from quipu.interfaces.serving.served import operation_name, served

router = APIRouter(tags=["probes"], generate_unique_id_function=operation_name)


class State(BaseModel):
    """State of the server."""

    status: str


@router.get("/health", summary="Check that the server lives")
async def health() -> State:
    """Answer that the server lives; ask nobody."""
    return State(status="ok")


@router.get(
    "/ready", summary="Check that the server can answer", responses={503: {"description": "It cannot."}}
)
async def ready(request: Request) -> State:
    """Check that the database answers, and no lock keeps it from being read; once a second at most."""
    serving = served(request)
    await serving.access.ready(seconds=serving.terms.ready_seconds)
    return State(status="ready")


@router.get("/problems/{kind}", include_in_schema=False)
async def problem(kind: str) -> dict[str, str]:
    """Describe a kind of problem, at the address that stands in its ``type``."""
    error = problems.kinds().get(kind)
    if error is None:
        raise NotFound("There is no such kind of problem.")
    return {"type": f"/problems/{kind}", "title": problems.title(error)}


@router.get(
    "/metrics",
    summary="Show counters for Prometheus",
    response_class=PlainTextResponse,
    openapi_extra={"security": [{"HTTPBearer": []}]},
)
async def metrics(request: Request) -> Response:
    """Return requests by route and status with their durations, and the state of the database and its queue.

    Needs any key for all spaces.
    """
    serving = served(request)
    (await serving.caller(request)).owns_all()
    counted = serving.metrics.text() + await state(serving.memory)
    return Response(counted, media_type=serving.metrics.content_type)
