"""The OpenAPI tells enough of each route that somebody can ask it without reading our code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from quipu.interfaces.server import create_app

REFUSALS = {"401", "403", "422", "429"}


@cache  # it takes seconds, and nobody changes it
def document() -> dict[str, Any]:
    return create_app().openapi()


def schemas() -> dict[str, dict[str, Any]]:
    return document()["components"]["schemas"]


def routes() -> dict[str, dict[str, Any]]:
    """The operations by method and path, without those for who watches the server."""
    return {
        f"{method.upper()} {path}": operation
        for path, methods in document()["paths"].items()
        for method, operation in methods.items()
        if path.startswith("/v1/")
    }


def resolved(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema that is meant, with what stands beside the reference."""
    if "$ref" not in schema:
        return schema
    return {**schemas()[schema["$ref"].rpartition("/")[2]], **schema}


def exemplary(schema: dict[str, Any]) -> bool:
    """Whether there is an example, or as good as one: a closed set, yes or no, a bounded number."""
    schema = resolved(schema)
    if schema.keys() & {"examples", "example", "enum", "const", "default", "minimum", "maximum"}:
        return True
    if schema.get("type") == "boolean" or schema.get("format") in {"uuid", "date-time"}:
        return True
    if "anyOf" in schema:
        return any(exemplary(one) for one in schema["anyOf"])
    if schema.get("type") == "array":
        return exemplary(schema["items"])
    return "properties" in schema and not unexemplary(schema)


def unexemplary(schema: dict[str, Any]) -> list[str]:
    """Required fields of an object without an example."""
    properties = schema.get("properties", {})
    return [name for name in schema.get("required", []) if not exemplary(properties[name])]


def untold_in_asking(operation: dict[str, Any]) -> Iterator[str]:
    """What is missing for somebody who wants to ask."""
    summary = operation["summary"]
    if not summary[0].isupper() or summary.endswith("."):
        yield f"summary {summary!r}"
    if not operation["description"].strip():
        yield "description"
    for one in operation.get("parameters", []):
        if not (one.get("description") or one["schema"].get("description")):
            yield f"description of {one['name']}"
        if one.get("required") and not (one.get("example") or exemplary(one["schema"])):
            yield f"example of {one['name']}"
    for content in operation.get("requestBody", {}).get("content", {}).values():
        told = content.get("example") or content.get("examples") or content["schema"].get("examples")
        missing = [] if told else unexemplary(resolved(content["schema"]))
        yield from (f"example of {name}" for name in missing)


def untold_in_answering(operation: dict[str, Any]) -> Iterator[str]:
    """What is missing for somebody who gets an answer."""
    responses = operation["responses"]
    done = {code for code in responses if code.startswith("2")}
    if len(done) != 1:
        yield f"one success, not {sorted(done)}"
    if "security" not in operation:
        yield "security"
    yield from sorted(REFUSALS - responses.keys())
    for code in responses.keys() - done:
        if "application/problem+json" not in responses[code]["content"]:
            yield f"a problem at {code}"


def test_every_route_says_what_it_does_and_how_it_is_asked() -> None:
    assert len(routes()) > 100
    assert {name: found for name, one in routes().items() if (found := [*untold_in_asking(one)])} == {}


def test_every_route_says_how_it_answers_and_refuses() -> None:
    assert {name: found for name, one in routes().items() if (found := [*untold_in_answering(one)])} == {}


def test_a_route_that_tells_nothing_is_found() -> None:
    silent = {"summary": "gets.", "description": " ", "parameters": [{"name": "q", "schema": {}}]}
    assert [*untold_in_asking(silent)] == ["summary 'gets.'", "description", "description of q"]
    assert [*untold_in_answering({"responses": {}})] == ["one success, not []", "security", *sorted(REFUSALS)]


def test_every_shape_that_is_told_says_what_it_is() -> None:
    silent = [name for name, schema in schemas().items() if not schema.get("description")]
    generated = {"HTTPValidationError", "ValidationError"}
    assert [
        name
        for name in silent
        if name not in generated and not name.startswith(("Page_", "Items_", "Confirmable_"))
    ] == []


def test_no_two_routes_have_the_same_name() -> None:
    names = [one["operationId"] for one in routes().values()]
    assert sorted(names) == sorted(set(names))


def test_no_two_shapes_have_the_same_name() -> None:
    assert [name for name in schemas() if "__" in name or name.endswith(("-Input", "-Output"))] == []


def test_no_description_speaks_python() -> None:
    python = re.compile(r"\bmemory\.[a-z]|\b[a-z_]+\(\)|\b[a-z_]+=(?:True|False|None)|\bNone\b")
    found = [
        f"{route}: {match[0]}"
        for route, operation in routes().items()
        if (match := python.search(operation.get("summary", "") + operation.get("description", "")))
    ]
    assert not found, "\n".join(found)
