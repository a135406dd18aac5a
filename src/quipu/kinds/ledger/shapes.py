"""Shapes of values, as JSON Schema, so that a program can check them that only knows the database."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, cast

from pydantic import PydanticUserError, TypeAdapter, ValidationError

from quipu.errors import BadInput
from quipu.kernel.base.scope import refuse_secret
from quipu.kernel.base.text import rule_of
from quipu.kinds.ledger.values import prepare

if TYPE_CHECKING:
    from quipu.kinds.ledger.schema import Checker


@dataclass(frozen=True, slots=True)
class Fault:
    """Fault of a value: ``field`` is its path, for example ``value.items.0.label``."""

    field: str
    message: str


class Shape(Protocol):
    """Shape of a key's values."""

    @property
    def schema(self) -> Mapping[str, Any]:
        """As JSON Schema (2020-12)."""
        ...

    def fault(self, value: object) -> Fault | None:
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

    def fault(self, value: object) -> Fault | None:
        """Return the fault of a value; None if it has this shape."""
        try:
            self.adapter.validate_python(value)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            return Fault(_path(first["loc"]), f"{rule_of(first['msg'])}.")
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

    def fault(self, value: object) -> Fault | None:
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
            found = self._checker.fault(value)
        except UnfitSchema as unfit:
            self._unfit[_size(value)] = str(unfit)
            raise self._refusal(str(unfit)) from unfit
        return None if found is None else Fault(_path(found[0]), f"{found[1]}.")

    def _refusal(self, reason: str) -> BadInput:
        return BadInput(
            f"by the shape of {self.pattern!r} in the database no value can be checked: {reason}.",
            field="key",
            hint="A program that registers the key anew, replacing it, mends it.",
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
    """Return how much there is to look at in a value, however deep it is."""
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
