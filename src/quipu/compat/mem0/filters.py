"""Mem0's filters in ours, and the ids of which each of them names one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any, Final, cast

from quipu.errors import BadInput

IDS: Final = ("user_id", "agent_id", "run_id")
_JUNCTIONS: Final = {"AND": "AND", "OR": "OR", "NOT": "NOT", "$and": "AND", "$or": "OR", "$not": "NOT"}
_ANY: Final = "*"


class Refused(BadInput, ValueError):
    """An argument has a value that mem0 refuses."""


def entity_id(name: str, given: object) -> str | None:
    """Return an id as it is stored, a number as its text.

    Raises:
        Refused: It is empty, or has white space in it.
    """
    if given is None:
        return None
    text = str(given).strip()
    if not text:
        raise Refused(f"Invalid {name}: cannot be empty or whitespace-only. Provide a valid identifier.")
    if any(character.isspace() for character in text):
        raise Refused(
            f"Invalid {name}: cannot contain whitespace. Provide a valid identifier without spaces."
        )
    return text


def condition(filters: Mapping[str, Any]) -> dict[str, Any]:
    """Return mem0's filters as a filter of ours; an empty one sets no condition.

    As in mem0's store: a value that is in a list counts as the list's, a name with dots leads into objects,
    and what is missing is neither equal nor unequal.

    Raises:
        Refused: A word is no operator, or AND, OR or NOT has no list of filters.
    """
    parts: list[dict[str, Any]] = []
    for name, operand in filters.items():
        word = _JUNCTIONS.get(name)
        if word is None:
            parts += _field(name, operand)
            continue
        inner = [part for part in map(condition, _filters(word, operand)) if part]
        if word == "NOT":
            parts += [{"not": part} for part in inner]
        elif inner:
            parts.append({word.lower(): inner})
    return _all(parts)


def check_for_search(filters: object) -> None:
    """Raise for what mem0 takes in a list but not in a search.

    Raises:
        Refused: OR or NOT has no conditions, or AND no list.
    """
    if not isinstance(filters, Mapping | None):
        raise Refused("filters must be an object.")
    named: Mapping[str, Any] = cast(Mapping[str, Any], filters or {})
    for word in ("AND", "OR", "NOT"):
        given: object = named.get(word, [{}])
        if not isinstance(given, list) or (word != "AND" and not given):
            size = "a list" if word == "AND" else "a non-empty list"
            raise Refused(f"{word} operator requires {size} of conditions")


def _all(parts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {"and": list(parts)} if parts else {}


def _filters(word: str, given: object) -> list[Mapping[str, Any]]:
    if not isinstance(given, list):
        raise Refused(f"{word} filter value must be a list of filter dicts, got {type(given).__name__}")
    for at, one in enumerate(cast(list[object], given)):
        if not isinstance(one, Mapping):
            kind = type(one).__name__
            raise Refused(f"{word} filter list item at index {at} must be a dict, got {kind}: {one!r}")
    return cast(list[Mapping[str, Any]], given)


def _field(name: str, operand: object) -> list[dict[str, Any]]:
    field = "metadata." + str(name).replace("\\", "\\\\")
    if isinstance(operand, Mapping):
        operators = cast(Mapping[str, Any], operand)
        unknown = [word for word in operators if word not in _OPERATORS]
        if unknown or not operators:
            known = ", ".join(_OPERATORS)
            raise Refused(f"Unsupported filter operator(s) for field '{name}': {unknown}. Supported: {known}")
        return [_OPERATORS[word](field, _plain(value)) for word, value in operators.items()]
    if operand == _ANY:
        return []
    return [_among(field, operand) if isinstance(operand, list) else _equal(field, _plain(operand))]


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, date) else value


def _equal(field: str, value: Any) -> dict[str, Any]:
    return {"or": [{field: {"eq": value}}, _holds(field, value)]}


def _holds(field: str, value: Any) -> dict[str, Any]:
    """Return the condition that a field is a list with the value in it: no text, which contains texts too."""
    return {"and": [{field: {"contains": value}}, {"not": {field: {"starts": ""}}}]}


def _among(field: str, values: Any) -> dict[str, Any]:
    if not isinstance(values, Sequence) or isinstance(values, str):
        raise Refused(f"in and nin take a list, got {values!r}")
    members = [_holds(field, value) for value in cast(Sequence[Any], values)]
    return {"or": [{field: {"in": list(cast(Sequence[Any], values))}}, *members]}


def _outside(field: str, values: Any) -> dict[str, Any]:
    if not isinstance(values, Sequence) or isinstance(values, str):
        raise Refused(f"in and nin take a list, got {values!r}")
    return {field: {"exists": True, "nin": [*cast(Sequence[Any], values), None]}}


def _plainly(word: str) -> Callable[[str, Any], dict[str, Any]]:
    return lambda field, value: {field: {word: value}}


_OPERATORS: Final[Mapping[str, Callable[[str, Any], dict[str, Any]]]] = {
    "eq": _equal,
    "ne": lambda field, value: _outside(field, [value]),
    "in": _among,
    "nin": _outside,
    **{word: _plainly(word) for word in ("gt", "gte", "lt", "lte", "contains", "icontains")},
}
