"""Documents whose numbers are numbers: ``"3"`` and ``true`` are none. Ids and times come as texts."""

from __future__ import annotations

from typing import Any, cast

from pydantic import BaseModel, GetCoreSchemaHandler
from pydantic_core import CoreSchema

_AS_THEY_ARE = ("int", "float", "bool")


def _tighten(part: Any) -> None:
    if isinstance(part, dict):
        schema = cast("dict[str, Any]", part)
        if schema.get("type") in _AS_THEY_ARE:
            schema["strict"] = True
        for inside in schema.values():
            _tighten(inside)
    elif isinstance(part, list | tuple):
        for inside in cast("list[Any]", part):
            _tighten(inside)


class Strict(BaseModel):
    """The base of shapes that take numbers and truth values only as such."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Return pydantic's schema with strict types throughout."""
        schema = handler(source)
        _tighten(schema)
        return schema
