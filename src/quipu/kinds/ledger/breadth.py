"""Breadth of two shapes, compared: pure, over JSON Schema as pydantic writes it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import repeat
from typing import Any, Final, cast

from quipu.errors import BadInput
from quipu.kinds.ledger.shapes import KeptShape, is_fit

Schema = Mapping[str, Any]

_LOOKED_AT: Final = frozenset({"additionalProperties", "properties", "type"})
_NOTES: Final = frozenset(
    {"$defs", "default", "deprecated", "description", "discriminator", "examples", "title"}
)
_ANYTHING: Final[Schema] = {}
_LEAST: Final = frozenset({"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"})
_MOST: Final = frozenset({"maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"})
_EITHER: Final = frozenset({"anyOf", "oneOf"})
_TOGETHER: Final = frozenset({"contains", "maxContains", "minContains"})  # each changes what the others say
_MOST_PAIRS: Final = 10_000


def covers(wide: Schema, narrow: Schema) -> bool:
    """Return True if every value of the shape ``narrow`` has the shape ``wide``; False if that is not plain.

    An object that declares names, and says nothing of others, has no others: adding an optional field to a
    model makes it wider. Nothing is plain of a schema that cannot check values.
    """
    try:
        return is_fit(wide) and is_fit(narrow) and _Pair(wide, narrow).covers(wide, narrow)
    except (BadInput, RecursionError):
        return False


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two schemas, in whose definitions references are looked up.

    ``met``: pairs that are being compared; ``left``: how many more may be.
    """

    wide: Schema
    narrow: Schema
    met: frozenset[tuple[int, int]] = frozenset()
    left: Iterator[None] = field(default_factory=lambda: repeat(None, _MOST_PAIRS))

    def covers(self, wide: object, narrow: object) -> bool:
        w, n = _resolved(wide, self.wide), _resolved(narrow, self.narrow)
        if w is True or n is False:
            return True
        if w is False or w is None or n is None or next(self.left, self) is not None:
            return False
        n = _ANYTHING if n is True else n
        pair = (id(w), id(n))
        return pair in self.met or replace(self, met=self.met | {pair})._covers(w, n)

    def _covers(self, wide: Schema, narrow: Schema) -> bool:
        if _EITHER & wide.keys() and self._alike(wide, narrow):
            return True
        for either in _EITHER & narrow.keys():
            return all(self.covers(wide, one) for one in narrow[either])
        for either in _EITHER & wide.keys():
            rest = {name: said for name, said in wide.items() if name != either}
            apart = either == "anyOf" or "discriminator" in wide
            return (
                apart and self._covers(rest, narrow) and any(self.covers(one, narrow) for one in wide[either])
            )
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
        patterns = narrow.get("patternProperties", {}).keys()
        others = _others(narrow) if patterns <= wide.get("patternProperties", {}).keys() else True
        return self.covers(_others(wide), others) and all(
            self.covers(_of_name(wide, name), narrow.get("properties", {}).get(name, others))
            for name in names
        )

    def _keeps(self, name: str, wide: Schema, narrow: Schema) -> bool:
        """Return True if values of ``narrow`` keep what a keyword of ``wide`` demands."""
        limit = wide[name]
        if name == "required":
            return set(limit) <= set(narrow.get(name, ()))
        if name == "items":
            first = narrow.get("prefixItems", [])[len(wide.get("prefixItems", [])) :]
            return all(self.covers(limit, one) for one in (*first, narrow.get(name, True)))
        if name == "prefixItems":
            first = narrow.get(name, [])
            return len(first) >= len(limit) and all(map(self.covers, limit, first))
        if name == "patternProperties":
            inner = narrow.get(name, {})
            return limit.keys() <= inner.keys() and all(
                self.covers(limit[each], inner[each]) for each in limit
            )
        if name in _LEAST:
            return name in narrow and narrow[name] >= limit
        if name in _MOST:
            return name in narrow and narrow[name] <= limit
        together = _TOGETHER if name in _TOGETHER else {name}
        return all(self._alike(wide.get(each), narrow.get(each)) for each in together)

    def _alike(self, wide: object, narrow: object) -> bool:
        """Return True if two parts are equal, and so is what they refer to."""
        said = _text(wide)
        where = [_text(root.get("$defs")) for root in (self.wide, self.narrow)]
        return said == _text(narrow) and ('"$ref"' not in said or where[0] == where[1])


def _resolved(schema: object, root: Schema) -> Schema | bool | None:
    """Return the target of a reference; None if it is not known."""
    met: set[str] = set()
    while isinstance(schema, dict) and "$ref" in schema:
        name = str(cast(Schema, schema)["$ref"]).removeprefix("#/$defs/")
        if name in met or not schema.keys() <= {"$ref", *_NOTES} or name not in root.get("$defs", {}):
            return None
        met.add(name)
        schema = root["$defs"][name]
    return cast("Schema | bool", schema)


def _text(part: object) -> str:
    return json.dumps(part, sort_keys=True)


def _types(schema: Schema) -> set[str]:
    given = schema.get("type", ["array", "boolean", "null", "number", "object", "string"])
    types = {given} if isinstance(given, str) else set(cast("list[str]", given))
    return types | {"integer"} if "number" in types else types


def _others(schema: Schema) -> object:
    """Return what an object takes under names that it does not declare."""
    return schema.get("additionalProperties", "properties" not in schema)


def _of_name(schema: Schema, name: str) -> object:
    return schema.get("properties", {}).get(name, _others(schema))
