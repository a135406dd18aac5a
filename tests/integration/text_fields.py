"""Every field of a route or a tool that takes text, as its schema tells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import fields, is_dataclass, replace
from typing import Any

Path = tuple[str | int, ...]
_DEEPEST = 6


def texts(schema: Mapping[str, Any], schemas: Mapping[str, Any], at: Path = ()) -> Iterator[Path]:
    """Where a text may stand in what the schema describes; "*" is a name in an object."""
    if len(at) > _DEEPEST:
        return
    if "$ref" in schema:
        schema = schemas[schema["$ref"].rpartition("/")[2]]
    for one in (*schema.get("anyOf", ()), *schema.get("oneOf", ()), *schema.get("allOf", ())):
        yield from texts(one, schemas, at)
    match schema.get("type"):
        case "string":
            yield at
        case "array":
            yield from texts(schema.get("items", {}), schemas, (*at, 0))
        case "object":
            for name, one in schema.get("properties", {}).items():
                yield from texts(one, schemas, (*at, name))
            if not schema.get("properties"):
                yield from ((*at, "any"), (*at, "*"))
        case None if not {"anyOf", "oneOf", "allOf", "enum", "const"} & schema.keys():
            yield from (at, (*at, "any"), (*at, "*"))
        case _:
            pass


def leaves(value: Any, at: Path = ()) -> Iterator[Path]:
    """Where a text stands in a value."""
    if isinstance(value, str):
        yield at
    elif isinstance(value, Mapping):
        for name, one in value.items():
            yield from leaves(one, (*at, name))
            yield (*at, name, "*") if isinstance(one, dict) else at
    elif is_dataclass(value):
        for field in fields(value):
            yield from leaves(getattr(value, field.name), (*at, field.name))
    elif isinstance(value, Sequence):
        for place, one in enumerate(value):
            yield from leaves(one, (*at, place))


def placed(value: Any, at: Path, text: str) -> Any:
    """The value with the text there, and whatever must be there so that it can."""
    if not at:
        return text
    head, rest = at[0], at[1:]
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{str(head): placed(getattr(value, str(head)), rest, text)})
    if head == "*":
        return {**(value if isinstance(value, dict) else {}), text: "1"}
    if isinstance(head, int):
        ones = deepcopy(value) if isinstance(value, list) and value else [None]
        ones[head] = placed(ones[head], rest, text)
        return ones
    inside = deepcopy(value) if isinstance(value, dict) else {}
    inside[head] = placed(inside.get(head), rest, text)
    return inside
