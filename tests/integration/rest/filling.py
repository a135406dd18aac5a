"""Requests made for a route from what its OpenAPI says and from names and ids that are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from route_table import Entry

Known = Mapping[str, Sequence[Any]]
_JSON = "application/json"


class CannotBeFilled(Exception):
    """A route asks for something of which nobody here knows an example: give it one, or an entry."""


@dataclass(frozen=True, slots=True)
class Asking:
    """A request."""

    method: str
    path: str
    params: Mapping[str, Any] = field(default_factory=dict[str, Any])
    json: Any = None
    content: bytes | None = None


def requests(entry: Entry, known: Known, schemas: Mapping[str, Any]) -> list[Asking]:
    """The least request that the route takes, and such that name all that is known, value by value."""
    filler = _Filler(entry, known, schemas)
    least = filler.made(0, every=False)
    return [least, *(filler.made(turn, every=True) for turn in range(filler.turns))]


class _Filler:
    def __init__(self, entry: Entry, known: Known, schemas: Mapping[str, Any]) -> None:
        self._entry, self._known, self._schemas = entry, known, schemas
        self.turns = 1

    def made(self, turn: int, *, every: bool) -> Asking:
        path, params = self._entry.path, dict[str, Any]()
        for one in self._entry.operation.get("parameters", []):
            name, place = one["name"], one["in"]
            if place == "header" or name == "space":
                continue
            if place == "path":
                path = path.replace(f"{{{name}}}", str(self._value(name, one["schema"], turn)))
            elif one.get("required") or (
                every and (name in self._known or any(one["schema"].get("examples", [])))
            ):
                params[name] = self._value(name, one["schema"], turn)
        return Asking(self._entry.method, path, params, self._body(turn, every=every))

    def _body(self, turn: int, *, every: bool) -> Any:
        content = self._entry.operation.get("requestBody", {}).get("content", {})
        if _JSON not in content:
            return None
        schema = content[_JSON]["schema"]
        examples = [*content[_JSON].get("examples", {}).values(), *schema.get("examples", [])]
        if examples:
            one = examples[0]
            return self._named(one.get("value", one), turn)
        return self._object(self._resolved(schema), turn, every=every)

    def _object(self, schema: Mapping[str, Any], turn: int, *, every: bool) -> dict[str, Any]:
        required = schema.get("required", [])
        return {
            name: self._value(name, one, turn)
            for name, one in schema.get("properties", {}).items()
            if name in required or (every and (name in self._known or any(one.get("examples", []))))
        }

    def _value(self, name: str, schema: Mapping[str, Any], turn: int) -> Any:
        if name in self._known:
            values = self._known[name]
            self.turns = max(self.turns, len(values))
            return values[turn % len(values)]
        schema = self._resolved(schema)
        if schema.get("examples"):
            return schema["examples"][0]
        if "enum" in schema:
            return schema["enum"][0]
        if "anyOf" in schema:
            return self._value(name, schema["anyOf"][0], turn)
        if schema.get("type") == "array":
            return [self._value(name, schema["items"], turn)]
        if "properties" in schema:
            return self._object(schema, turn, every=True)
        raise CannotBeFilled(f"{self._entry.name}: what is {name!r}?")

    def _named(self, example: Any, turn: int) -> Any:
        """The example, with names and ids that are known in the place of its own."""
        if isinstance(example, list):
            return [self._named(one, turn) for one in example]
        if not isinstance(example, dict):
            return example
        return {
            name: self._value(name, {}, turn) if name in self._known else self._named(one, turn)
            for name, one in example.items()
        }

    def _resolved(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        if "$ref" not in schema:
            return schema
        return {
            **self._schemas[schema["$ref"].rpartition("/")[2]],
            **{k: v for k, v in schema.items() if k != "$ref"},
        }
