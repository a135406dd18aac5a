"""The one language of filters: conditions on the metadata of a memory and on the value of a document.

A filter is a JSON object. A key names a field, its value is what the field must equal, or an object of
operators::

    {"agent_id": "planner", "rank": {"gte": 3, "lt": 10}, "value.state": {"in": ["open", "late"]},
     "or": [{"topic": "travel"}, {"not": {"draft": True}}]}

A field is a path of names with dots between them, in the metadata; ``value`` is the value of a document, and
``value.state`` a member of it. ``metadata.`` may be written out, for a key called value, and a backslash
keeps a dot in a name. All conditions of an object must hold. Operators:

    eq, ne              equal to a JSON value or not; 1 equals 1.0, and what is missing equals nothing
    gt, gte, lt, lte    order of two numbers, or of two texts by code point; other types are in no order
    in, nin             equal to one of a list, or to none
    contains            a text that contains a text, or a list that contains a value
    icontains, starts   a text that contains a text in any case, or begins with one
    exists              true: the field is there, null included; false: it is not

Each condition is true or false, never unknown, so ``not`` and ``ne`` hold where a field is missing. A filter
is compiled to paths of PostgreSQL's SQL/JSON, which go to the server as parameters: a query has
``metadata @@ %(metadata)s::jsonpath`` in its text, and no query is put together from a filter.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, Final, cast

from quipu.errors import BadInput

JSON = Any
ROOTS: Final = ("metadata", "value")
_DEEPEST, _MOST_CONDITIONS, _LONGEST = 20, 1_000, 10_000
_NEVER: Final = "1 == 0"
_NEGATED: Final = {"ne": "eq", "nin": "in"}
_ORDER: Final = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}


@dataclass(frozen=True, slots=True)
class Condition:
    """A field, an operator and its operand. ``path`` begins with the root, ``metadata`` or ``value``."""

    path: tuple[str, ...]
    operator: str
    operand: JSON


@dataclass(frozen=True, slots=True)
class Junction:
    """Filters of which all must hold (``and``), one (``or``), or, of a single one, not (``not``)."""

    word: str
    parts: tuple[Node, ...]


Node = Condition | Junction


@dataclass(frozen=True)
class Filter:
    """A filter that was read. Its paths are to be matched with ``@@``; None sets no condition."""

    node: Node

    @cached_property
    def over_metadata(self) -> str:
        """Path over the metadata of a memory that has no value: conditions on values see a missing field."""
        return _path(self.node, {"metadata": ""})

    @cached_property
    def parameters(self) -> Mapping[str, str | bool | None]:
        """Parameters of a query over documents: paths of which all must hold.

        ``metadata`` and ``value`` are over one of the two, ``both`` over an object of both; None sets no
        condition. ``no_value`` says whether ``value`` holds where there is no value.
        """
        parts: dict[tuple[str, ...], list[Node]] = {}
        for node in _conjuncts(self.node):
            parts.setdefault(tuple(sorted(_roots(node))), []).append(node)
        metadata, value = (parts.pop((root,), []) for root in ROOTS)
        mixed = [node for nodes in parts.values() for node in nodes]
        return {
            "metadata": self._joined(metadata, {"metadata": ""}),
            "value": self._joined(value, {"value": ""}),
            "no_value": all(map(_holds_of_nothing, value)),
            "both": self._joined(mixed, {root: f'."{root}"' for root in ROOTS}),
        }

    def _joined(self, nodes: Sequence[Node], at: Mapping[str, str]) -> str | None:
        return _path(Junction("and", tuple(nodes)), at) if nodes else None

    def equal(self, name: str) -> str | None:
        """Return the text that a field of the metadata must equal, if the whole filter asks for one."""
        for node in _conjuncts(self.node):
            if isinstance(node, Condition) and (node.path, node.operator) == (("metadata", name), "eq"):
                return node.operand if isinstance(node.operand, str) else None
        return None


NO_PARAMETERS: Final[Mapping[str, str | bool | None]] = MappingProxyType(
    {"metadata": None, "value": None, "no_value": True, "both": None}
)
"""The parameters where no filter is set."""


def parse(filter: object) -> Filter | None:
    """Read a filter; None and an empty object set no condition.

    Raises:
        BadInput: It is no JSON object, or a field, an operator or an operand is invalid.
    """
    if filter is None:
        return None
    node = _Reader().object(filter, depth=0)
    return Filter(node) if any(_conjuncts(node)) else None


class _Reader:
    """Reads one filter, and counts its conditions."""

    def __init__(self) -> None:
        self._conditions = 0

    def object(self, given: object, *, depth: int) -> Node:
        if not isinstance(given, Mapping):
            raise _bad(f"{_shown(given)} is no object of conditions.", 'Such as {"topic": "travel"}.')
        if depth > _DEEPEST:
            raise _bad(f"it is nested deeper than {_DEEPEST} times.", "Make it flatter.")
        parts: list[Node] = []
        for name, operand in cast(Mapping[object, object], given).items():
            if name in ("and", "or"):
                parts.append(self._junction(cast(str, name), operand, depth))
            elif name == "not":
                parts.append(Junction("not", (self.object(operand, depth=depth + 1),)))
            else:
                parts += self._field(_field_path(name), operand)
        return parts[0] if len(parts) == 1 else Junction("and", tuple(parts))

    def _junction(self, word: str, parts: object, depth: int) -> Node:
        if isinstance(parts, str) or not isinstance(parts, Sequence) or not parts:
            raise _bad(f"'{word}' takes a list of conditions.", f'Such as {{"{word}": [{{…}}, {{…}}]}}.')
        conditions = cast(Sequence[object], parts)
        return Junction(word, tuple(self.object(part, depth=depth + 1) for part in conditions))

    def _field(self, path: tuple[str, ...], operand: object) -> Iterator[Node]:
        if not isinstance(operand, Mapping):
            yield self._condition(path, "eq", operand)
            return
        operators = cast(Mapping[object, object], operand)
        if not operators:
            raise _bad(f"'{_named(path)}' has no operator.", 'For an empty object write {"eq": {}}.')
        for operator, value in operators.items():
            yield self._condition(path, operator, value)

    def _condition(self, path: tuple[str, ...], operator: object, operand: object) -> Condition:
        name = operator if isinstance(operator, str) else ""
        check = _OPERANDS.get(name)
        if check is None:
            raise _bad(
                f"'{_named(path)}' has no operator {_shown(operator)}.",
                f"Operators are {', '.join(_OPERANDS)}; for an equal object write eq.",
            )
        if not check(operand):
            raise _bad(f"'{name}' of '{_named(path)}' cannot be {_shown(operand)}.", _HINTS.get(name, ""))
        self._conditions += len(cast(Sequence[object], operand)) if name in ("in", "nin") else 1
        if self._conditions > _MOST_CONDITIONS:
            raise _bad(f"it has more than {_MOST_CONDITIONS} conditions.", "Ask in several parts.")
        return Condition(path, name, operand)


def _field_path(name: object) -> tuple[str, ...]:
    """Return the names of a field with its root first."""
    if not isinstance(name, str) or not _is_text(name):
        raise _bad(
            f"{_shown(name)} is no name of a field.", "A field is a text such as topic or value.state."
        )
    names = [""]
    characters = iter(name)
    for character in characters:
        if character == ".":
            names.append("")
        else:
            names[-1] += next(characters, "\\") if character == "\\" else character
    if names[0] not in ROOTS:
        names.insert(0, "metadata")
    if not all(names) or len(names) > _DEEPEST:
        raise _bad(
            f"{_shown(name)} is no path of a field.", "Names with dots between them, such as value.state."
        )
    return tuple(names)


def member(name: object) -> tuple[str, str]:
    """Return the root of a field and the path below it; ``[*]`` behind a name is each element of a list.

    Raises:
        BadInput: It is no field; the error says what one looks like.
    """
    try:
        root, *names = _field_path(name.replace("[*]", ".[*]") if isinstance(name, str) else name)
    except BadInput as error:
        raise error.at("field") from error
    return root, "strict $" + "".join(one if one == "[*]" else f".{_literal(one)}" for one in names)


def field(*names: str) -> str:
    """Return the key of a filter for a field whose names may contain dots, its root first."""
    return ".".join(name.replace("\\", "\\\\").replace(".", "\\.") for name in names)


def _is_text(value: object) -> bool:
    """Return True for a text that PostgreSQL can hold."""
    if not isinstance(value, str) or len(value) > _LONGEST or "\0" in value:
        return False
    return not any("\ud800" <= character <= "\udfff" for character in value)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_json(value: object, depth: int = 0) -> bool:
    if depth > _DEEPEST:
        return False
    if isinstance(value, Mapping):
        members = cast(Mapping[object, object], value).items()
        return all(_is_text(name) and _is_json(one, depth + 1) for name, one in members)
    if isinstance(value, list | tuple):
        return all(_is_json(one, depth + 1) for one in cast(Sequence[object], value))
    return value is None or isinstance(value, bool) or _is_text(value) or _is_number(value)


def _is_list(value: object) -> bool:
    return isinstance(value, list | tuple) and _is_json(cast(object, value))


_OPERANDS: Final[Mapping[str, Callable[[object], bool]]] = {
    "eq": _is_json,
    "ne": _is_json,
    **dict.fromkeys(_ORDER, lambda value: _is_text(value) or _is_number(value)),
    "in": _is_list,
    "nin": _is_list,
    "contains": _is_json,
    "icontains": _is_text,
    "starts": _is_text,
    "exists": lambda value: isinstance(value, bool),
}
_HINTS: Final = {
    **dict.fromkeys(_ORDER, "Only numbers and texts have an order."),
    **dict.fromkeys(("in", "nin"), "It takes a list of JSON values."),
    **dict.fromkeys(("icontains", "starts"), "It takes a text."),
    "exists": "It takes true or false.",
}


def _bad(message: str, hint: str) -> BadInput:
    return BadInput(message, field="filter", hint=hint or None)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


def _named(path: Sequence[str]) -> str:
    return field(*(path[1:] if path[0] == "metadata" and path[1:2] and path[1] not in ROOTS else path))


def _conjuncts(node: Node) -> Iterator[Node]:
    if isinstance(node, Junction) and node.word == "and":
        for part in node.parts:
            yield from _conjuncts(part)
    else:
        yield node


def _roots(node: Node) -> set[str]:
    if isinstance(node, Condition):
        return {node.path[0]}
    return {root for part in node.parts for root in _roots(part)}


def _holds_of_nothing(node: Node) -> bool:
    """Say if a node holds where no field of it is there."""
    if isinstance(node, Condition):
        return node.operator in _NEGATED or (node.operator == "exists" and not node.operand)
    held = [_holds_of_nothing(part) for part in node.parts]
    return not held[0] if node.word == "not" else all(held) if node.word == "and" else any(held)


def _path(node: Node, at: Mapping[str, str]) -> str:
    """Return a node as a path; ``at`` says where the roots that are there stand in what is matched.

    It is strict: a lax one would look into lists by itself.
    """
    return f"strict {_predicate(node, at)}"


def _predicate(node: Node, at: Mapping[str, str]) -> str:
    if isinstance(node, Condition):
        return f"({_condition(node, at)})"
    parts = [_predicate(part, at) for part in node.parts]
    if node.word == "not":
        return f"!({parts[0]})"
    return f"({(' && ' if node.word == 'and' else ' || ').join(parts)})" if parts else "(1 == 1)"


def _condition(one: Condition, at: Mapping[str, str]) -> str:
    negated = "exists" if one.operator == "exists" and not one.operand else _NEGATED.get(one.operator)
    if negated is not None:
        operand = True if negated == "exists" else one.operand
        return f"!({_condition(Condition(one.path, negated, operand), at)})"
    root = at.get(one.path[0])
    if root is None:
        return _NEVER
    # What raises an error, such as a missing member, is unknown; that something passes a test of it is not.
    where = "@" + root + "".join(f".{_literal(name)}" for name in one.path[1:])
    return f"exists($ ? ({_test(where, one.operator, one.operand)}))"


def _test(where: str, operator: str, operand: JSON) -> str:
    match operator:
        case "eq":
            return _equals(where, operand)
        case "in":
            return " || ".join(f"({_sure(_equals(where, one))})" for one in operand) or _NEVER
        case "contains":
            element = _equals("@", operand)
            member = f'{where}.type() == "array" && exists({where}[*] ? ({element}))'
            if not isinstance(operand, str):
                return member
            text = f'{where} like_regex {_literal(operand)} flag "q"'
            return f"({_sure(member)}) || ({_sure(text)})"
        case "icontains":
            return f'{where} like_regex {_literal(operand)} flag "qi"'
        case "starts":
            return f"{where} starts with {_literal(operand)}"
        case "exists":
            return f"exists({where})"
        case _:
            return f"{where} {_ORDER[operator]} {_literal(operand)}"


def _equals(where: str, value: JSON) -> str:
    """Return the test that something equals a JSON value, members and elements included."""
    if isinstance(value, Mapping):
        members = cast(Mapping[str, JSON], value)
        tests = [f'{where}.type() == "object"']
        tests += [_equals(f"{where}.{_literal(name)}", one) for name, one in members.items()]
        others = " && ".join(f"@.key != {_literal(name)}" for name in members) or "1 == 1"
        return " && ".join([*tests, f"!exists({where}.keyvalue() ? ({others}))"])
    if isinstance(value, list | tuple):
        elements = cast(Sequence[JSON], value)
        tests = [f'{where}.type() == "array"', f"{where}.size() == {len(elements)}"]
        return " && ".join(tests + [_equals(f"{where}[{place}]", one) for place, one in enumerate(elements)])
    return f"{where} == {_literal(value)}"


def _sure(test: str) -> str:
    return f"exists(@ ? ({test}))"


def _literal(value: JSON) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
