"""The OpenAPI document: what FastAPI makes of the routes, said as it is."""

from __future__ import annotations

import re
from typing import Any, Final

from fastapi import FastAPI
from fastapi.routing import APIRoute

_JSON: Final = "application/json"
_NONE: Final = re.compile(r"\bNone\b")


def name(route: APIRoute) -> str:
    """Return an operation's name in clients that are made from the document: ``record_observe``."""
    return "_".join([*map(str, route.tags[:1]), route.name])


def document(app: FastAPI) -> dict[str, Any]:
    """Return the document, made once.

    FastAPI files the shape of every further answer under JSON. If a route names another media type for it,
    for example that of problems, it is moved there.
    """
    if app.openapi_schema is None:
        made = FastAPI.openapi(app)
        for operations in made["paths"].values():
            for operation in operations.values():
                for response in operation["responses"].values():
                    _move(response.get("content", {}))
        for shape in made["components"]["schemas"].values():
            if "description" in shape:
                shape["description"] = _NONE.sub("null", shape["description"].replace("``", "`"))
    assert app.openapi_schema is not None
    return app.openapi_schema


def _move(content: dict[str, Any]) -> None:
    others = [media for media, told in content.items() if media != _JSON and not told]
    if others and _JSON in content:
        content[others[0]] = content.pop(_JSON)
