"""Which of two shapes takes more: pure, over JSON Schema as pydantic writes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, cast

from quipu.kinds.ledger.shapes import KeptShape

Schema = Mapping[str, Any]

_LOOKED_AT: Final = frozenset({"additionalProperties", "properties", "type"})
_NOTES: Final = frozenset(
    {"$defs", "default", "deprecated", "description", "discriminator", "examples", "title"}
)
_ANYTHING: Final[Schema] = {}
_LEAST: Final = frozenset({"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"})
_MOST: Final = frozenset({"maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"})


def covers(wide: Schema, narrow: Schema) -> bool:
    """Whether every value of the shape ``narrow`` has the shape ``wide``; False where that is not plain.

    An object that declares names, and says nothing of others, has no others: who adds an optional field to a
    model makes it wider.
    """
    return _Pair(wide, narrow).covers(wide, narrow)


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two schemas, in whose definitions references are looked up; ``met``: pairs that are being compared."""

    wide: Schema
    narrow: Schema
    met: frozenset[tuple[int, int]] = frozenset()

    def covers(self, wide: object, narrow: object) -> bool:
        if wide is True or narrow is False:
            return True
        if wide is False:
            return False
        w = _resolved(cast(Schema, wide), self.wide)
        n = _resolved(_ANYTHING if narrow is True else cast(Schema, narrow), self.narrow)
        if w is None or n is None:
            return False
        pair = (id(w), id(n))
        return pair in self.met or replace(self, met=self.met | {pair})._covers(w, n)

    def _covers(self, wide: Schema, narrow: Schema) -> bool:
        for either in ("anyOf", "oneOf"):
            if either in narrow:
                return all(self.covers(wide, one) for one in narrow[either])
        for either in ("anyOf", "oneOf"):
            if either in wide:
                return any(self.covers(one, narrow) for one in wide[either])
        if "const" in narrow or "enum" in narrow:
            shape = KeptShape({**wide, "$defs": self.wide.get("$defs", {})})
            return not any(map(shape.fault, narrow.get("enum", [narrow.get("const")])))
        if not _types(narrow) <= _types(wide):
            return False
        if "object" in _types(narrow) and not self._covers_objects(wide, narrow):
            return False
        return all(self._keeps(name, wide, narrow) for name in wide.keys() - _LOOKED_AT - _NOTES)

    def _covers_objects(self, wide: Schema, narrow: Schema) -> bool:
        names = {*wide.get("properties", ()), *narrow.get("properties", ())}
        return self.covers(_others(wide), _others(narrow)) and all(
            self.covers(_of_name(wide, name), _of_name(narrow, name)) for name in names
        )

    def _keeps(self, name: str, wide: Schema, narrow: Schema) -> bool:
        """Whether values of ``narrow`` keep what a keyword of ``wide`` demands."""
        limit = wide[name]
        if name == "required":
            return set(limit) <= set(narrow.get(name, ()))
        if name == "items":
            return self.covers(limit, narrow.get(name, True))
        if name in _LEAST:
            return name in narrow and narrow[name] >= limit
        if name in _MOST:
            return name in narrow and narrow[name] <= limit
        return narrow.get(name) == limit


def _resolved(schema: Schema, root: Schema) -> Schema | None:
    """What a reference stands for; None where that is not known."""
    while "$ref" in schema:
        name = str(schema["$ref"]).removeprefix("#/$defs/")
        if not schema.keys() <= {"$ref", *_NOTES} or name not in root.get("$defs", {}):
            return None
        schema = root["$defs"][name]
    return schema


def _types(schema: Schema) -> set[str]:
    given = schema.get("type", ["array", "boolean", "null", "number", "object", "string"])
    types = {given} if isinstance(given, str) else set(cast("list[str]", given))
    return types | {"integer"} if "number" in types else types


def _others(schema: Schema) -> object:
    """What an object takes under names that it does not declare."""
    return schema.get("additionalProperties", "properties" not in schema)


def _of_name(schema: Schema, name: str) -> object:
    return schema.get("properties", {}).get(name, _others(schema))
