"""Records: lines of JSON that stand for rows, as the columns of their table say. Pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from quipu.upkeep.archive.tables import Carried

JSON_NULLS: Final = "json_nulls"
"""The field with the names of those whose value is the null of JSON, where a column may also have none."""

_WHOLE: Final = {"smallint": 2**15, "integer": 2**31, "bigint": 2**63}
_DECIMAL: Final = {"real", "double precision", "numeric"}
_ENDLESS: Final = ("NaN", "Infinity", "-Infinity")


@dataclass(frozen=True, slots=True)
class CarriedColumn:
    """A column of a table, as the catalogue has it. ``key_place``: its place in the primary key, if any."""

    name: str
    type: str
    nullable: bool
    key_place: int | None
    is_array: bool
    is_text: bool
    is_number: bool


@dataclass(frozen=True, slots=True)
class Layout:
    """A carried table with its columns in their order."""

    carried: Carried
    columns: tuple[CarriedColumn, ...]

    @property
    def key(self) -> list[CarriedColumn]:
        """The columns of the primary key, in its order."""
        keyed = [one for one in self.columns if one.key_place is not None]
        return sorted(keyed, key=lambda one: one.key_place or 0)

    @property
    def may_lack_json(self) -> list[str]:
        """Columns of JSON that may have no value."""
        return [one.name for one in self.columns if one.type == "jsonb" and one.nullable]

    @property
    def fields(self) -> list[str]:
        """The fields of a record."""
        names = [one.name for one in self.columns]
        return [*names, JSON_NULLS] if self.may_lack_json else names


def layout(carried: Carried, columns: Sequence[CarriedColumn]) -> Layout:
    """Return a table with the columns that are carried, without those that follow from others."""
    return Layout(carried, tuple(one for one in columns if one.name not in carried.without))


def json_schema(of: Layout) -> dict[str, object]:
    """Return a JSON Schema of the records of a table."""
    properties = {one.name: _schema(one, of.carried) for one in of.columns}
    if of.may_lack_json:
        properties[JSON_NULLS] = {"type": ["array", "null"], "items": {"enum": of.may_lack_json}}
    return {
        "type": "object",
        "properties": properties,
        "required": of.fields,
        "additionalProperties": False,
    }


def _schema(column: CarriedColumn, carried: Carried) -> dict[str, object]:
    if column.type == "jsonb":
        return {}
    if column.name in carried.sessions or column.type in _WHOLE:
        found: dict[str, object] = {"type": "integer"}
    elif column.is_array:
        found = {"type": "array"}
    elif column.type == "boolean":
        found = {"type": "boolean"}
    elif column.type in _DECIMAL:
        found = {"type": ["number", "string"]}
    else:
        formats = {"uuid": "uuid", "timestamp with time zone": "date-time"}
        found = {"type": "string", **({"format": formats[column.type]} if column.type in formats else {})}
    kinds = found["type"]
    if column.nullable:
        found["type"] = [*kinds, "null"] if isinstance(kinds, list) else [kinds, "null"]
    return found


class Checker:
    """Tells whether lines are records of a table."""

    def __init__(self, of: Layout, fields: Sequence[str]) -> None:
        self._fields = set(fields)
        self._checks = {one.name: _check(one, of.carried) for one in of.columns if one.name in self._fields}
        if JSON_NULLS in self._fields:
            self._checks[JSON_NULLS] = _names

    def problem(self, line: bytes) -> str | None:
        """Return the fault of a line; None if it is a record."""
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            return f"it is no JSON: {error}" if isinstance(error, ValueError) else "it is nested too deeply"
        if not isinstance(record, dict):
            return "it is no object"
        values = cast("Mapping[str, Any]", record)
        if wrong := sorted(values.keys() ^ self._fields):
            return f"the manifest names other fields: {', '.join(wrong[:5])}"
        for name, check in self._checks.items():
            if not check(values[name]):
                return f"{name}: {json.dumps(values[name])[:80]} cannot stand there"
        return None


def _check(column: CarriedColumn, carried: Carried) -> Callable[[Any], bool]:
    if column.type == "jsonb":
        return _anything
    if column.name in carried.sessions:
        inner = _between(1, 2**63)
    elif column.is_array:
        inner = _is_list
    elif column.is_number:
        least, most = carried.numbers
        inner = _between(least, min(most, _WHOLE[column.type]))
    elif column.type in _WHOLE:
        inner = _between(-_WHOLE[column.type], _WHOLE[column.type])
    elif column.type in _DECIMAL:
        inner = _is_decimal
    elif column.type == "boolean":
        inner = _is_bool
    else:
        inner = _is_text
    return (lambda value: value is None or inner(value)) if column.nullable else inner


def _between(least: int, most: int) -> Callable[[Any], bool]:
    return lambda value: type(value) is int and least <= value < most


def _anything(_value: Any) -> bool:
    return True


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_bool(value: Any) -> bool:
    return isinstance(value, bool)


def _is_decimal(value: Any) -> bool:
    return type(value) in (int, float) or value in _ENDLESS


def _names(value: Any) -> bool:
    return value is None or (isinstance(value, list) and all(map(_is_text, cast("list[Any]", value))))
