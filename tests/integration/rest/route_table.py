"""Every route of the server with what it needs, as the routers and the OpenAPI tell it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute

from quipu.interfaces.rest.door import Needs, NeedsEngine
from quipu.interfaces.rest.routes import ROUTERS
from quipu.upkeep.keys.model import Level

OPEN = {"/health", "/ready", "/metrics"}  # of the server, about no memory; their own tests have them


@dataclass(frozen=True, slots=True)
class Entry:
    """A route; ``of_space``: it is about one space, else about the whole database."""

    method: str
    path: str
    level: Level
    of_space: bool
    operation: Mapping[str, Any]

    @property
    def name(self) -> str:
        return f"{self.method} {self.path}"


def entries(app: FastAPI) -> list[Entry]:
    """All of them; fails where the OpenAPI and the routers do not have the same."""
    document = app.openapi()
    told = {(m.upper(), p): o for p, methods in document["paths"].items() for m, o in methods.items()}
    found = [_entry(route, told) for route in _routes()]
    assert {(one.method, one.path) for one in found} == {key for key in told if key[1] not in OPEN}
    return found


def _routes() -> Iterator[APIRoute]:
    for router in ROUTERS:
        for route in router.routes:
            assert isinstance(route, APIRoute)
            yield route


def _entry(route: APIRoute, told: Mapping[tuple[str, str], Any]) -> Entry:
    (method,) = route.methods
    needs = [one.call for one in route.dependant.dependencies if isinstance(one.call, Needs | NeedsEngine)]
    assert len(needs) == 1, f"{method} {route.path} asks nobody who they are"
    path = f"/v1{route.path}"
    return Entry(method, path, needs[0].level, isinstance(needs[0], Needs), told[method, path])
