"""The OpenAPI tells enough of each route that somebody can ask it without reading our code."""

from __future__ import annotations

from typing import Any

import pytest

from quipu.interfaces.server import create_app

DOCUMENT: dict[str, Any] = create_app().openapi()
SCHEMAS = DOCUMENT["components"]["schemas"]
ROUTES = [
    pytest.param(operation, id=f"{method.upper()} {path}")
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
    if path.startswith("/v1/")  # the others are for who watches the server
]


def resolved(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema that is meant, with what stands beside the reference."""
    if "$ref" not in schema:
        return schema
    return {**SCHEMAS[schema["$ref"].rpartition("/")[2]], **schema}


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


@pytest.mark.parametrize("operation", ROUTES)
def test_every_route_says_what_it_does_and_how_it_is_asked(operation: dict[str, Any]) -> None:
    assert operation["summary"][0].isupper()
    assert not operation["summary"].endswith(".")
    assert operation["description"].strip()
    for parameter in operation.get("parameters", []):
        assert parameter.get("description") or parameter["schema"].get("description"), parameter["name"]
        if parameter.get("required"):
            assert parameter.get("example") or exemplary(parameter["schema"]), parameter["name"]
    for content in operation.get("requestBody", {}).get("content", {}).values():
        told = content.get("example") or content.get("examples") or content["schema"].get("examples")
        assert told or not unexemplary(resolved(content["schema"]))


@pytest.mark.parametrize("operation", ROUTES)
def test_every_route_says_how_it_answers_and_refuses(operation: dict[str, Any]) -> None:
    done = {code for code in operation["responses"] if code.startswith("2")}
    assert len(done) == 1
    assert "security" in operation
    assert operation["responses"].keys() >= {"401", "403", "422", "429"}
    for code in operation["responses"].keys() - done:
        assert "application/problem+json" in operation["responses"][code]["content"]


def test_every_shape_that_is_told_says_what_it_is() -> None:
    silent = [name for name, schema in SCHEMAS.items() if not schema.get("description")]
    generated = {"HTTPValidationError", "ValidationError"}
    assert [
        name
        for name in silent
        if name not in generated and not name.startswith(("Page_", "Items_", "Confirmable_"))
    ] == []


def test_no_two_routes_have_the_same_name() -> None:
    names = [one.values[0]["operationId"] for one in ROUTES]
    assert sorted(names) == sorted(set(names))


def test_no_two_shapes_have_the_same_name() -> None:
    assert [name for name in SCHEMAS if "__" in name or name.endswith(("-Input", "-Output"))] == []
