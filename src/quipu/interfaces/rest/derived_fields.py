"""Parameters of derived routes, as they stand in a query or a body."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Union, cast, get_origin
from uuid import UUID

from pydantic import BaseModel, Field
from pydantic.fields import FieldInfo

from quipu.errors import BadInput
from quipu.interfaces.declarations import Parameter, members, optional
from quipu.kernel.base.parameters import MOST_ROWS


def field(one: Parameter) -> FieldInfo:
    """Return the field of a parameter in the OpenAPI."""
    example: object = [one.example] if one.many and isinstance(one.example, str) else one.example
    examples = None if example is None else [example]
    alias = None if attribute(one.name) == one.name else one.name
    field = Field(alias=alias, description=one.help, examples=examples, **_bounds(one, single=True))
    return cast("FieldInfo", field)


def _bounds(one: Parameter, *, single: bool) -> dict[str, Any]:
    """Return the bounds of a number: its own, or those of each in a list."""
    return {} if one.many is single else {"ge": one.least, "le": one.most}


def attribute(name: str) -> str:
    """Return a field's name in a model; ``_`` is added to a taken one, like ``schema``."""
    return f"{name}_" if hasattr(BaseModel, name) else name


def plain(one: Parameter) -> Any:
    """Return the type as JSON has it: a time is its text, an id is whole."""
    inside = members(one.type)
    if one.type == Sequence[UUID | str]:
        return Annotated[list[UUID], Field(min_length=1, max_length=MOST_ROWS)]
    if Sequence[int] in inside:
        inside = (list[Annotated[int, Field(**_bounds(one, single=False))]],)
    if datetime in inside:
        inside = tuple(each for each in inside if each is not datetime)
    if UUID in inside and str in inside:
        inside = (UUID,)
    union = Union[inside]  # pyright: ignore[reportInvalidTypeArguments]  # noqa: UP007
    return union | None if optional(one.type) else union


def _is_object(one: Parameter) -> bool:
    return any(get_origin(inside) is Mapping for inside in members(one.type))


def in_query(one: Parameter) -> Any:
    """Return the type in a query: an object is JSON there."""
    return (str | None if optional(one.type) else str) if _is_object(one) else plain(one)


def from_query(one: Parameter, arguments: Mapping[str, Any]) -> Any:
    """Return a value from a query.

    Raises:
        BadInput: it should be JSON and is not.
    """
    given = arguments[one.name]
    if one.many_in_one and isinstance(given, list):
        texts = cast("list[str]", given)
        return texts[0] if len(texts) == 1 else texts
    if given is None or not _is_object(one):
        return given
    try:
        return json.loads(given)
    except ValueError as error:
        raise BadInput("it is no JSON.", field=one.name, hint="Encode an object as JSON.") from error
