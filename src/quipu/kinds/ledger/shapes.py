"""Shapes of values as JSON Schema: check values by them, and compare how much two of them take."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import repeat
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

from pydantic import PydanticUserError, TypeAdapter, ValidationError

from quipu.errors import BadInput
from quipu.kernel.base.scope import refuse_secret
from quipu.kernel.base.text import rule_of
from quipu.kinds.ledger.values import prepare

if TYPE_CHECKING:
    from quipu.kinds.ledger.schema import Checker


@dataclass(frozen=True, slots=True)
class ShapeFault:
    """Fault of a value: ``field`` is its path, for example ``value.items.0.label``."""

    field: str
    message: str


class ValueShape(Protocol):
    """Shape of a key's values."""

    @property
    def schema(self) -> Mapping[str, Any]:
        """As JSON Schema (2020-12)."""
        ...

    def fault(self, value: object) -> ShapeFault | None:
        """Return the fault of a value; None if it has this shape."""
        ...


@dataclass(frozen=True, slots=True)
class TypedShape:
    """The shape of a key that this program registered: its type also checks what JSON Schema cannot say.

    ``told`` is what JSON Schema says; None: it is made when it is asked for.
    """

    adapter: TypeAdapter[Any]
    told: Mapping[str, Any] | None = None

    @property
    def schema(self) -> Mapping[str, Any]:
        """As JSON Schema (2020-12)."""
        return _told(self.adapter) if self.told is None else self.told

    def fault(self, value: object) -> ShapeFault | None:
        """Return the fault of a value; None if it has this shape."""
        try:
            self.adapter.validate_python(value)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            return ShapeFault(_path(first["loc"]), f"{rule_of(first['msg'])}.")
        return None


@dataclass(frozen=True)
class KeptShape:
    """The shape of a key that another program registered, as the database has it.

    ``pattern`` is what it was registered for. What was found to be unfit is not checked again: ``_unfit`` has
    the reason, by the size from which on values cannot be checked.
    """

    schema: Mapping[str, Any]
    pattern: str = ""
    _unfit: dict[int, str] = field(default_factory=dict[int, str], init=False, repr=False, compare=False)

    def fault(self, value: object) -> ShapeFault | None:
        """Return the fault of a value; None if it has this shape.

        Raises:
            BadInput: by what the database has no value can be checked.
        """
        from quipu.kinds.ledger.schema import UnfitSchema  # noqa: PLC0415 - takes 60 ms that few programs need

        size = _size(value) if self._unfit else 0
        for least, reason in self._unfit.items():
            if size >= least:
                raise self._refusal(reason)
        try:
            fault = self._checker.fault(value)
        except UnfitSchema as unfit:
            self._unfit[_size(value)] = str(unfit)
            raise self._refusal(str(unfit)) from unfit
        return None if fault is None else ShapeFault(_path(fault[0]), f"{fault[1]}.")

    def _refusal(self, reason: str) -> BadInput:
        return BadInput(
            f"by the shape of {self.pattern!r} in the database no value can be checked: {reason}.",
            field="key",
            hint="A program that registers the key again, replacing it, fixes it.",
        )

    @cached_property
    def _checker(self) -> Checker:
        from quipu.kinds.ledger.schema import Checker, UnfitSchema  # noqa: PLC0415 - as above

        try:
            return Checker(self.schema)
        except UnfitSchema as unfit:
            self._unfit[0] = str(unfit)
            raise


def _size(value: object) -> int:
    """Return the size of a value: its parts and letters at every depth."""
    size, left = 0, [value]
    while left:
        part = left.pop()
        size += len(part) + 1 if isinstance(part, str) else 1
        if isinstance(part, dict):
            names = cast("dict[str, Any]", part)
            left += [*names, *names.values()]
        elif isinstance(part, list):
            left += cast("list[Any]", part)
    return size


def is_fit(schema: Mapping[str, Any]) -> bool:
    """Return True if a schema can check values in bounded time."""
    return _unfit(schema) is None


def _unfit(schema: Mapping[str, Any]) -> str | None:
    from quipu.kinds.ledger.schema import Checker, UnfitSchema  # noqa: PLC0415 - as above

    try:
        Checker(schema)
    except UnfitSchema as unfit:
        return str(unfit)
    return None


def shape_of(given: Any) -> TypedShape:
    """Return the shape that a model, a type or an adapter of pydantic describes.

    Raises:
        BadInput: it is none of them, JSON Schema cannot say it, or a secret stands in it.
    """
    try:
        adapter = cast("TypeAdapter[Any]", given if isinstance(given, TypeAdapter) else TypeAdapter(given))
    except PydanticUserError as error:
        hint = "Give a pydantic model, a type such as list[str], or a TypeAdapter."
        raise BadInput("it is no shape that can be checked.", field="shape", hint=hint) from error
    told = _told(adapter)
    if (unfit := _unfit(told)) is not None:
        raise _private(f": {unfit}")
    return TypedShape(adapter, told)


def _private(why: str = "") -> BadInput:
    hint = "Where code checks a part of it, say with pydantic.WithJsonSchema what that takes."
    return BadInput(f"it is no shape that every program can check{why}.", field="shape", hint=hint)


def _told(adapter: TypeAdapter[Any]) -> Mapping[str, Any]:
    try:
        prepared = prepare(adapter.json_schema(), field="shape", secrets=False)
    except PydanticUserError as error:
        raise _private() from error
    refuse_secret("shape", prepared.text)
    return prepared.value


def _path(place: Iterable[object]) -> str:
    return ".".join(["value", *map(str, place)])


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
        return name in narrow and all(self._alike(wide.get(each), narrow.get(each)) for each in together)

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
    """Return the schema for names that an object does not declare."""
    return schema.get("additionalProperties", "properties" not in schema)


def _of_name(schema: Schema, name: str) -> object:
    return schema.get("properties", {}).get(name, _others(schema))
