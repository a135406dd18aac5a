"""Checking values by JSON Schema, as pydantic would have by the type that it was written from."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from typing import Annotated, Any, Final, cast
from uuid import UUID

from jsonschema import Draft202012Validator, FormatChecker, ValidationError
from jsonschema.exceptions import SchemaError, best_match  # pyright: ignore[reportUnknownVariableType]
from jsonschema.protocols import Validator
from jsonschema.validators import extend  # pyright: ignore[reportUnknownVariableType]
from pydantic import AnyUrl, StringConstraints, TypeAdapter
from pydantic import ValidationError as Unfit
from pydantic_core import SchemaError as UnfitPattern
from referencing import Registry
from referencing.exceptions import Unresolvable

from quipu.errors import BadInput

_LONGEST: Final = 200
_FORMATS: Final[Mapping[str, Any]] = {
    "date": date,
    "date-time": datetime,
    "duration": timedelta,
    "time": time,
    "uri": AnyUrl,
    "uuid": UUID,
}


class Checker:
    """Checks values by one schema, of the draft 2020-12."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        """Raises BadInput where ``schema`` is none."""
        try:
            Draft202012Validator.check_schema(schema)
        except SchemaError as error:
            raise _unfit() from error
        # Without a registry of its own it would ask the network for what a schema refers to.
        nothing: Registry[Any] = Registry()
        self._validator: Validator = _Validator(schema, format_checker=_formats(), registry=nothing)

    def fault(self, value: Any) -> tuple[list[object], str] | None:
        """The path to what is wrong, and the words for it; None where nothing is.

        Raises:
            BadInput: the schema refers to another.
        """
        try:
            error = cast("ValidationError | None", best_match(self._validator.iter_errors(value)))
        except Unresolvable as unknown:
            raise _unfit() from unknown
        if error is None:
            return None
        return [*error.absolute_path, *_named(error)], error.message[:_LONGEST].rstrip(".")


def _unfit() -> BadInput:
    hint = "A program that registers the key anew, with replace=True, mends it."
    return BadInput(
        "its shape in the database is none that values can be checked by.", field="key", hint=hint
    )


def _named(error: ValidationError) -> list[str]:
    """The name that is missing or too many, which the path to its object does not say."""
    given, schema = cast("dict[str, Any]", error.instance), cast("dict[str, Any]", error.schema)
    if error.validator == "required":
        return [name for name in schema["required"] if name not in given][:1]
    if error.validator == "additionalProperties":
        return [name for name in given if name not in schema.get("properties", {})][:1]
    return []


def _formats() -> FormatChecker:
    """Who checks formats: JSON Schema leaves that open, and pydantic does it."""
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
def _matcher(pattern: str) -> TypeAdapter[Any] | re.Pattern[str]:
    """What finds a pattern in a time that grows with the text; one that looks around needs Python's own."""
    try:
        return TypeAdapter(Annotated[str, StringConstraints(pattern=pattern)])
    except UnfitPattern:
        return re.compile(pattern)


def _pattern(_: Validator, pattern: str, value: object, __: object) -> Iterator[ValidationError]:
    if not isinstance(value, str):
        return
    matcher = _matcher(pattern)
    found = matcher.search(value) if isinstance(matcher, re.Pattern) else _takes(matcher, value)
    if not found:
        yield ValidationError(f"{value!r} does not match {pattern!r}")


_Validator: Final = cast("type[Validator]", extend(Draft202012Validator, {"pattern": _pattern}))
