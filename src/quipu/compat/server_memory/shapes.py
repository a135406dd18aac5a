"""Arguments and answers of the tools, as the reference server declares them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast, get_origin

from pydantic import BaseModel, ConfigDict, Field, StrictStr, ValidationError


class Shape(BaseModel):
    """Object of the protocol; what it does not know is passed over, as in the reference server."""

    model_config = ConfigDict(extra="ignore", populate_by_name=True)


class Entity(Shape):
    """A thing with observations."""

    name: StrictStr = Field(description="The name of the entity")
    entityType: StrictStr = Field(description="The type of the entity")
    observations: list[StrictStr] = Field(
        description="An array of observation contents associated with the entity"
    )


class NamedRelation(Shape):
    """A relation between two things, by their names."""

    source: StrictStr = Field(alias="from", description="The name of the entity where the relation starts")
    to: StrictStr = Field(description="The name of the entity where the relation ends")
    relationType: StrictStr = Field(description="The type of the relation")


class Entities(Shape):
    """Entities to create, or that were created."""

    entities: list[Entity]


class Relations(Shape):
    """Relations to create or delete, or that were created."""

    relations: list[NamedRelation]


class Gone(Shape):
    """Relations to delete."""

    relations: list[NamedRelation] = Field(description="An array of relations to delete")


class Addition(Shape):
    """Observations of one entity."""

    entityName: StrictStr = Field(description="The name of the entity to add the observations to")
    contents: list[StrictStr] = Field(description="An array of observation contents to add")


class Additions(Shape):
    """Observations to add."""

    observations: list[Addition]


class Names(Shape):
    """Names of entities to delete."""

    entityNames: list[StrictStr] = Field(description="An array of entity names to delete")


class Deletion(Shape):
    """Observations of one entity to delete."""

    entityName: StrictStr = Field(description="The name of the entity containing the observations")
    observations: list[StrictStr] = Field(description="An array of observations to delete")


class Deletions(Shape):
    """Observations to delete."""

    deletions: list[Deletion]


class Nothing(Shape):
    """No arguments."""


class Query(Shape):
    """Text to look for."""

    query: StrictStr = Field(
        description="The search query to match against entity names, types, and observation content"
    )


class Opening(Shape):
    """Names of entities to show."""

    names: list[StrictStr] = Field(description="An array of entity names to retrieve")


class Added(Shape):
    """Observations that were added to one entity."""

    entityName: StrictStr
    addedObservations: list[StrictStr]


class Results(Shape):
    """Observations that were added."""

    results: list[Added]


class Done(Shape):
    """Word that something was done."""

    success: bool
    message: StrictStr


class Shown(Shape):
    """Entities with their relations."""

    entities: list[Entity]
    relations: list[NamedRelation]


_LISTS: Final = frozenset(
    name
    for shape in Shape.__subclasses__()
    for name, field in shape.model_fields.items()
    if get_origin(field.annotation) is list
)
_EXPECTED: Final = {"list_type": "array", "string_type": "string", "model_type": "object"}
_RECEIVED: Final[Mapping[type[object], str]] = {
    str: "string", bool: "boolean", int: "number", float: "number", list: "array", dict: "object",
}  # fmt: skip


def schema(of: type[Shape]) -> dict[str, Any]:
    """Return the JSON schema of a shape in one piece, without what tells a model nothing."""
    whole = of.model_json_schema()
    return _lean(whole, whole.get("$defs", {}))


def _lean(node: Any, parts: Mapping[str, Any]) -> Any:
    if isinstance(node, list):
        return [_lean(one, parts) for one in cast(list[Any], node)]
    if not isinstance(node, dict):
        return node
    members = cast(dict[str, Any], node)
    if "$ref" in members:
        return _lean(parts[members["$ref"].rsplit("/", 1)[-1]], parts)
    own = {"title", "$defs"} | ({"description"} if "properties" in members else set[str]())
    return {name: _lean(one, parts) for name, one in members.items() if name not in own}


def faults(error: ValidationError) -> str:
    """Return the faults of arguments in the words of the reference server, a line for each."""
    return "\n".join(_fault(one["type"], one["loc"], one["input"]) for one in error.errors(include_url=False))


def _fault(kind: str, place: tuple[int | str, ...], given: object) -> str:
    missing = kind == "missing"
    expected = ("array" if place[-1] in _LISTS else "string") if missing else _EXPECTED.get(kind, "object")
    received = "undefined" if missing else _RECEIVED.get(type(given), "null")
    path = "".join(f"[{one}]" if isinstance(one, int) else f".{one}" for one in place).lstrip(".")
    return f"Invalid input: expected {expected}, received {received} at {path}"
