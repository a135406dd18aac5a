"""The routers of all kinds, which the server mounts under ``/v1``, and the table of their routes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fastapi.routing import APIRoute

from quipu.app.operations import OPERATIONS
from quipu.interfaces.rest import (
    conversations,
    dumps,
    evaluation,
    evidence,
    imports,
    keys,
    lessons,
    longterm,
    recall,
    receipts,
    record,
    settings,
    snapshots,
    trace,
    transcripts,
    uploads,
)
from quipu.interfaces.rest.derived import derived
from quipu.interfaces.rest.door import Needs, NeedsEngine
from quipu.upkeep.keys.model import Level


@dataclass(frozen=True, slots=True)
class Listed:
    """A route; ``of_space``: it is about one space, else about the whole database."""

    method: str
    path: str
    level: Level
    of_space: bool


def table() -> Iterator[Listed]:
    """Yield all routes under ``/v1``, in their order.

    Raises:
        TypeError: one of them asks nobody who they are.
    """
    for router in ROUTERS:
        for route in router.routes:
            if isinstance(route, APIRoute):
                yield _listed(route)


def _listed(route: APIRoute) -> Listed:
    (method,) = list(route.methods or ())
    calls = [one.call for one in route.dependant.dependencies]
    for call in calls:
        if isinstance(call, Needs | NeedsEngine):
            return Listed(method, route.path, call.level, isinstance(call, Needs))
    raise TypeError(f"{method} {route.path} asks nobody who they are")


# Of two with the same prefix, the one whose routes are words comes before the one with an id in their place.
ROUTERS = (
    record.router,
    imports.router,
    recall.router,
    derived("", OPERATIONS),
    derived("aliases", OPERATIONS),
    derived("corrections", OPERATIONS),
    uploads.router,
    derived("ledger", OPERATIONS),
    evidence.router,
    trace.router,
    transcripts.router,
    lessons.router,
    derived("databases", OPERATIONS),
    derived("documents", OPERATIONS),
    derived("episodes", OPERATIONS),
    conversations.router,
    derived("loops", OPERATIONS),
    derived("beliefs", OPERATIONS),
    derived("rules", OPERATIONS),
    evaluation.router,
    longterm.router,
    derived("tables", OPERATIONS),
    dumps.router,
    snapshots.router,
    settings.router,
    settings.engine_router,
    derived("queue", OPERATIONS),
    keys.router,
    receipts.router,
    receipts.engine_router,
)
