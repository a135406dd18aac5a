"""Checking values by JSON Schema, as pydantic would have by the type that it was written from."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from datetime import date, datetime, time, timedelta
from functools import cache, lru_cache
from typing import Annotated, Any, Final, cast
from uuid import UUID

from jsonschema import Draft202012Validator, FormatChecker, ValidationError
from jsonschema.exceptions import best_match  # pyright: ignore[reportUnknownVariableType]
from jsonschema.protocols import Validator
from jsonschema.validators import extend  # pyright: ignore[reportUnknownVariableType]
from jsonschema_specifications import REGISTRY as SPECIFICATIONS
from pydantic import AnyUrl, StringConstraints, TypeAdapter
from pydantic import ValidationError as Unfit
from pydantic_core import SchemaError as UnfitPattern
from referencing import Registry
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

from quipu.errors import BadInput
from quipu.kinds.ledger.values import prepare

_LONGEST: Final = 200
_STANDARD: Final = "https://json-schema.org/draft/2020-12/"
_MOST_STEPS: Final = 300_000
_STEPS_OF: Final = {"$ref": 10, "$dynamicRef": 10}
_PARTS_A_STEP: Final = 4
_LETTERS_A_STEP: Final = 64
_FORMATS: Final[Mapping[str, Any]] = {
    "date": date,
    "date-time": datetime,
    "duration": timedelta,
    "time": time,
    "uri": AnyUrl,
    "uuid": UUID,
}
# They lead out of the schema, to a part of it that nobody checked, or to Python's regular expressions.
_LEFT_OUT: Final = (
    "$schema",
    "$id",
    "$anchor",
    "$dynamicAnchor",
    "$dynamicRef",
    "unevaluatedItems",
    "unevaluatedProperties",
)
_DRAFT: Final[Mapping[str, Any]] = {
    "$id": "quipu:shape",
    "$dynamicAnchor": "meta",
    "allOf": [{"$ref": f"{_STANDARD}schema"}],
    "properties": {
        "$ref": {"pattern": "^#/[$]defs/[^/~%]+$"},
        **{name: {"not": {}} for name in _LEFT_OUT},
    },
}
_left: ContextVar[int] = ContextVar("_left", default=_MOST_STEPS)
_MOST_REFERENCES: Final = 64
"""References within references. Each is several frames deep, and a library in Rust dies at the last frame."""

_within: ContextVar[list[None] | None] = ContextVar("_within", default=None)
"""An item for each reference that is being followed."""


class UnfitSchema(Exception):
    """A schema by which no value can be checked, or not in a time that is bounded."""


class Checker:
    """Checks values by one schema, of the draft 2020-12, in a number of steps that is bounded."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        """Check that ``schema`` can be used; raises UnfitSchema if it is none, too large, or unsupported."""
        try:
            prepare(schema, field="shape", secrets=False)
            fault = _fault(_checking(_DRAFT, _patterns()), schema)
        except BadInput as error:
            raise UnfitSchema(error.message) from error
        if fault is not None:
            place = "/".join(map(str, fault.absolute_path))
            raise UnfitSchema(f"{place}: {_words(fault)}" if place else _words(fault))
        self._validator = _checking(schema, _formats())

    def fault(self, value: Any) -> tuple[list[object], str] | None:
        """Return the path to the fault, and words for it; None if there is none.

        Raises:
            UnfitSchema: it refers to a definition that is not there or in a circle, or takes too many steps.
        """
        error = _fault(self._validator, value)
        return None if error is None else ([*error.absolute_path, *_named(error)], _words(error))


def _checking(schema: Mapping[str, Any], formats: FormatChecker) -> Validator:
    # Without a registry of its own it would ask the network for what a schema refers to.
    return _Validator(schema, format_checker=formats, registry=_standard())


@cache
def _standard() -> Registry[Any]:
    """Return the draft as schemas without its name, which would have them checked by other keywords."""
    parts = [(uri, cast("dict[str, Any]", part.contents)) for uri, part in SPECIFICATIONS.items()]
    bare = [
        (uri, DRAFT202012.create_resource({n: each for n, each in part.items() if n != "$schema"}))
        for uri, part in parts
        if uri.startswith(_STANDARD)
    ]
    registry: Registry[Any] = Registry()
    return registry.with_resources(bare)


def _fault(validator: Validator, value: Any) -> ValidationError | None:
    token, place = _left.set(_MOST_STEPS), _within.set([])
    try:
        return cast("ValidationError | None", best_match(validator.iter_errors(value)))
    except (ArithmeticError, RecursionError, Unresolvable) as error:
        raise UnfitSchema(str(error)[:_LONGEST]) from error
    finally:
        _left.reset(token)
        _within.reset(place)


def _words(error: ValidationError) -> str:
    return error.message[:_LONGEST].rstrip(".")


def _named(error: ValidationError) -> list[str]:
    """Return the name that is missing or too many, which the path to its object does not include."""
    given, schema = cast("dict[str, Any]", error.instance), cast("dict[str, Any]", error.schema)
    if error.validator == "required":
        return [name for name in schema["required"] if name not in given][:1]
    if error.validator == "additionalProperties":
        return [name for name in _others(given, schema) if name not in schema.get("properties", {})][:1]
    return []


def _patterns() -> FormatChecker:
    """Return a checker of the patterns in a schema."""
    checker = FormatChecker(formats=())
    checker.checks("regex")(_is_pattern)
    return checker


def _is_pattern(value: object) -> bool:
    try:
        _matcher(str(value))
    except UnfitPattern:
        return False
    return True


def _formats() -> FormatChecker:
    """Return a checker of formats: JSON Schema leaves that open, and pydantic does it."""
    checker = FormatChecker(formats=())
    for name, kind in _FORMATS.items():
        checker.checks(name)(_takes_texts(TypeAdapter(kind)))
    return checker


def _takes_texts(adapter: TypeAdapter[Any]) -> Callable[[object], bool]:
    return lambda value: not isinstance(value, str) or _takes(adapter, value)


def _takes(adapter: TypeAdapter[Any], value: object) -> bool:
    try:
        adapter.validate_python(value)
    except Unfit:
        return False
    return True


@lru_cache(maxsize=256)
def _matcher(pattern: str) -> TypeAdapter[Any]:
    """Return a matcher whose time grows linearly with the text; a pattern that looks around has none."""
    return TypeAdapter(Annotated[str, StringConstraints(pattern=pattern)])


def _fits(pattern: str, text: str) -> bool:
    _spend(1 + len(text) // _LETTERS_A_STEP)
    return _takes(_matcher(pattern), text)


def _others(value: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members of an object whose names fit no pattern of the schema."""
    patterns = schema.get("patternProperties", {})
    return {
        name: inner for name, inner in value.items() if not any(_fits(pattern, name) for pattern in patterns)
    }


def _canonical(value: object) -> Hashable:
    """Return a key that is equal for values that JSON has as equal: 1 and 1.0 are, 1 and true are not."""
    if isinstance(value, dict):
        pairs = cast("dict[str, Any]", value).items()
        return "object", frozenset((name, _canonical(inner)) for name, inner in pairs)
    if isinstance(value, list):
        return "array", tuple(map(_canonical, cast("list[Any]", value)))
    return (value, isinstance(value, bool))


_Errors = Iterable[ValidationError]
_Keyword = Callable[[Validator, Any, Any, Any], _Errors | None]


def _pattern(_: Validator, pattern: str, value: object, __: object) -> Iterator[ValidationError]:
    if isinstance(value, str) and not _fits(pattern, value):
        yield ValidationError(f"{value!r} does not match {pattern!r}")


def _pattern_properties(
    validator: Validator, patterns: Mapping[str, Any], value: object, _: object
) -> Iterator[ValidationError]:
    for name, inner in cast("dict[str, Any]", value).items() if isinstance(value, dict) else ():
        for pattern, schema in patterns.items():
            if _fits(pattern, name):
                yield from cast(Any, validator).descend(inner, schema, path=name, schema_path=pattern)


def _additional_properties(validator: Validator, told: Any, value: Any, schema: Any) -> _Errors | None:
    if isinstance(value, dict) and "patternProperties" in schema:
        value = _others(cast("dict[str, Any]", value), schema)
        schema = {name: inner for name, inner in schema.items() if name != "patternProperties"}
    return _KEYWORDS["additionalProperties"](validator, told, value, schema)


def _unique_items(_: Validator, told: bool, value: object, __: object) -> Iterator[ValidationError]:
    if told and isinstance(value, list):
        items = cast("list[Any]", value)
        if len(set(map(_canonical, items))) < len(items):
            yield ValidationError("it has an item twice")


def _reference(validator: Validator, told: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
    followed = _within.get()
    followed = [] if followed is None else followed
    if len(followed) >= _MOST_REFERENCES:
        raise UnfitSchema(f"it refers to itself in a circle, or more than {_MOST_REFERENCES} levels deep")
    followed.append(None)
    try:
        yield from _KEYWORDS["$ref"](validator, told, value, schema) or ()
    finally:
        followed.pop()


def _spend(steps: int) -> None:
    left = _left.get() - steps
    if left < 0:
        raise UnfitSchema(f"it takes more than {_MOST_STEPS:,} steps")
    _left.set(left)


def _size(part: object) -> int:
    match part:
        case str():
            return len(part) // _LETTERS_A_STEP
        case list() | dict():
            return len(cast("list[Any] | dict[str, Any]", part)) // _PARTS_A_STEP
        case _:
            return 0


def _metered(name: str, keyword: _Keyword) -> _Keyword:
    """Return the keyword with its evaluations counted."""

    def metered(validator: Validator, told: Any, value: Any, schema: Any) -> _Errors | None:
        _spend(_STEPS_OF.get(name, 1) + _size(told) + _size(value))
        return keyword(validator, told, value, schema)

    return metered


_KEYWORDS: Final = cast("Mapping[str, _Keyword]", Draft202012Validator.VALIDATORS)
_OURS: Final[Mapping[str, _Keyword]] = {
    "$ref": _reference,
    "additionalProperties": _additional_properties,
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "uniqueItems": _unique_items,
}
_METERED: Final = {name: _metered(name, keyword) for name, keyword in {**_KEYWORDS, **_OURS}.items()}
_Validator: Final = cast("type[Validator]", extend(Draft202012Validator, _METERED))
