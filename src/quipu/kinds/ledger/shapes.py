"""What values look like: said as JSON Schema, so that a program checks them that only knows the database."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, cast

from pydantic import PydanticUserError, TypeAdapter, ValidationError

from quipu.errors import BadInput
from quipu.kernel.base.scope import refuse_secret
from quipu.kinds.ledger.values import prepare

if TYPE_CHECKING:
    from quipu.kinds.ledger.schema import Checker


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a value: ``field`` is the path there, such as ``value.items.0.label``."""

    field: str
    message: str


class Shape(Protocol):
    """What the values of a key look like."""

    @property
    def schema(self) -> Mapping[str, Any]:
        """As JSON Schema (2020-12)."""
        ...

    def fault(self, value: object) -> Fault | None:
        """What is wrong with a value; None where it has this shape."""
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
        """What is wrong with a value; None where it has this shape."""
        try:
            self.adapter.validate_python(value)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            return Fault(_path(first["loc"]), f"{first['msg']}.")
        return None


@dataclass(frozen=True)
class KeptShape:
    """The shape of a key that another program registered, as the database has it."""

    schema: Mapping[str, Any]

    def fault(self, value: object) -> Fault | None:
        """What is wrong with a value; None where it has this shape.

        Raises:
            BadInput: what the database has is no JSON Schema, or refers to another.
        """
        found = self._checker.fault(value)
        return None if found is None else Fault(_path(found[0]), f"{found[1]}.")

    @cached_property
    def _checker(self) -> Checker:
        from quipu.kinds.ledger.schema import Checker  # noqa: PLC0415 - takes 60 ms that few programs need

        return Checker(self.schema)


def shape_of(given: Any) -> TypedShape:
    """The shape that a model, a type or an adapter of pydantic describes.

    Raises:
        BadInput: it is none of them, JSON Schema cannot say it, or a secret stands in it.
    """
    try:
        adapter = cast("TypeAdapter[Any]", given if isinstance(given, TypeAdapter) else TypeAdapter(given))
    except PydanticUserError as error:
        hint = "Give a pydantic model, a type such as list[str], or a TypeAdapter."
        raise BadInput("it is no shape that can be checked.", field="shape", hint=hint) from error
    return TypedShape(adapter, _told(adapter))


def _told(adapter: TypeAdapter[Any]) -> Mapping[str, Any]:
    try:
        prepared = prepare(adapter.json_schema(), field="shape", secrets=False)
    except PydanticUserError as error:
        hint = "Where code checks a part of it, say with pydantic.WithJsonSchema what that takes."
        raise BadInput("it is no shape that every program can check.", field="shape", hint=hint) from error
    refuse_secret("shape", prepared.text)
    return prepared.value


def _path(place: Iterable[object]) -> str:
    return ".".join(["value", *map(str, place)])
