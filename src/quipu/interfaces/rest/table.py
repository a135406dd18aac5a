"""The route table: every route with what it needs, for tools and for proofs over all of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fastapi.routing import APIRoute

from quipu.interfaces.rest.door import Needs, NeedsEngine
from quipu.interfaces.rest.routes import ROUTERS
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
            return Listed(method, f"/v1{route.path}", call.level, isinstance(call, Needs))
    raise TypeError(f"{method} {route.path} asks nobody who they are")
