"""Every route of the server with what it needs and what the OpenAPI tells of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fastapi import FastAPI

from quipu.interfaces.rest.routes import table
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
    """All of them; fails where the OpenAPI and the route table do not have the same."""
    document = app.openapi()
    told = {(m.upper(), p): o for p, methods in document["paths"].items() for m, o in methods.items()}
    listed = list(table())
    assert {(one.method, one.path) for one in listed} == {key for key in told if key[1] not in OPEN}
    return [
        Entry(one.method, one.path, one.level, one.of_space, told[one.method, one.path]) for one in listed
    ]
