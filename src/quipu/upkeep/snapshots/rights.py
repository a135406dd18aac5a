"""Rights that the SQL of an agent granted on its objects: kept with a snapshot, given back, or named. Pure.

The roles of policies and the publications of tables are kept in the same way.

Only unusual rights are kept. It is usual that the owner of an object has all rights, the reader of the schema
reads, and everybody may do what PostgreSQL lets everybody do. A role is known by its name and its number in
the server, so another role of the same name gets nothing.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, cast

from quipu.errors import BadInput
from quipu.kernel.db.tokens import tokens
from quipu.upkeep.snapshots.forms import folded
from quipu.upkeep.snapshots.reader import RIGHT, SPACES, Statement

Key: TypeAlias = tuple[str, tuple[str, ...], tuple[str, ...]]
"""An object of a schema: kind, names within the schema, types of arguments."""

SCHEMA: Final[Key] = ("schema", (), ())
STAYS: Final[frozenset[Key]] = frozenset({SCHEMA, ("published", (), ())})
"""What is of the schema itself, and stays where it stands."""

_ENDS: Final = frozenset({"using", "with"})
"""What may follow the roles of a policy."""
_NOT_GRANTED: Final = frozenset({"schema", "policy", "published", "dependant"})
_WHO: Final = frozenset({"public", "writer", "reader", "role", "publication"})
_PRIVILEGES: Final = frozenset(
    [
        "select",
        "insert",
        "update",
        "delete",
        "truncate",
        "references",
        "trigger",
        "maintain",
        "usage",
        "execute",
        "create",
        "policy",
        "publication",
    ]
)


@dataclass(frozen=True, slots=True)
class Right:
    """Right of somebody. ``role`` and ``number`` are of a role that is not one of the schema's own two."""

    who: str
    role: str
    number: int
    privilege: str
    passed_on: bool


Kept: TypeAlias = Mapping[Key, frozenset[Right]]
"""All rights on each object on which they are not as usual."""


@dataclass(frozen=True, slots=True)
class Granted:
    """An object and what everybody may do with it. ``ahead`` and ``called`` are how GRANT names it."""

    key: Key
    ahead: str
    called: str
    rights: frozenset[Right]
    usual: frozenset[Right]


@dataclass(frozen=True, slots=True)
class RightChange:
    """A right that is granted, or revoked."""

    of: Granted
    right: Right
    act: Literal["grant", "revoke"]


def granted(row: Sequence[Any]) -> Granted:
    """Return an object from a row of `tables.own_rights`."""
    kind, names, args, ahead, called, rights, usual = row
    return Granted((kind, tuple(names), tuple(args)), ahead, called, _rights(rights), _rights(usual))


def kept(granted: Iterable[Granted]) -> Kept:
    """Return the rights that are worth keeping."""
    return {one.key: one.rights for one in granted if one.rights != one.usual}


def roles(of: Kept) -> set[tuple[str, int]]:
    """Return the roles that have rights, without the schema's own, by name and number."""
    return {(one.role, one.number) for rights in of.values() for one in rights if one.who == "role"}


def still(of: Kept, there: Collection[tuple[str, int]]) -> tuple[Kept, tuple[str, ...]]:
    """Return the rights that can be given back with only these roles, and what cannot, a line each."""
    left = {
        key: frozenset(
            one
            for one in rights
            if one.who in {"public", "writer", "reader"} or (one.role, one.number) in there
        )
        for key, rights in of.items()
    }
    lost = [_line(key, one) for key, rights in of.items() for one in rights - left[key]]
    return left, tuple(sorted(lost))


def going(objects: Sequence[Granted]) -> tuple[str, ...]:
    """Return a line for each thing that is lost with the present objects and the agent cannot make again."""
    published = [
        _line(one.key, right) for one in objects if one.key[0] == "published" for right in one.rights
    ]
    others = [
        f"{one.key[1][0]}: it is of another schema and rests on these tables"
        for one in objects
        if one.key[0] == "dependant"
    ]
    return (*published, *others)


def moved(of: Kept, present: Iterable[Granted]) -> tuple[Kept, tuple[str, ...]]:
    """Return the rights of a dump from another place: all of the schema's own roles, else the usual ones.

    Rights that it granted to others are returned as lost, a line each.
    """
    usual = {one.key: one.usual for one in present}
    left: dict[Key, frozenset[Right]] = {}
    lost: list[str] = []
    for key, rights in of.items():
        left[key] = frozenset(
            one for one in rights if one.who in {"writer", "reader"} or one in usual.get(key, ())
        )
        lost += [_line(key, one, "granted where the dump was made") for one in rights - left[key]]
    return left, tuple(sorted(lost))


def changes(present: Iterable[Granted], wanted: Kept) -> Iterator[RightChange]:
    """Yield the changes that turn the existing rights into the wanted ones; the usual ones by default.

    Rights on the schema itself are not the agent's to give, and a policy is made for whom it is.
    """
    for one in present:
        want = wanted.get(one.key, one.usual)
        if one.key[0] in _NOT_GRANTED:
            continue
        yield from (RightChange(one, right, "revoke") for right in sorted(one.rights - want, key=_order))
        yield from (RightChange(one, right, "grant") for right in sorted(want - one.rights, key=_order))


def plain(of: Kept) -> list[list[Any]]:
    """Return the rights as JSON values."""
    return [
        [
            *map(_listed, key),
            [[r.who, r.role, r.number, r.privilege, r.passed_on] for r in sorted(rights, key=_order)],
        ]
        for key, rights in sorted(of.items())
    ]


def read(values: Iterable[Any]) -> Kept:
    """Read the result of `plain`.

    Raises:
        ValueError, TypeError: it is none.
    """
    return {(str(kind), _texts(names), _texts(args)): _rights(rights) for kind, names, args, rights in values}


def notes(of: Kept) -> bytes:
    """Return the rights as comments at the end of a dump that is handed out."""
    granted_ones = {key: rights for key, rights in of.items() if key[0] not in _NOT_GRANTED}
    return b"".join(RIGHT + json.dumps(one).encode() + b"\n" for one in plain(granted_ones))


def noted(lines: Iterable[tuple[int, bytes]]) -> Kept:
    """Read rights from the comments of a dump, each with the number of its line.

    Raises:
        BadInput: one tells of no right; names the line.
    """
    notes: dict[Key, frozenset[Right]] = {}
    for number, line in lines:
        try:
            notes |= read([json.loads(line.removeprefix(RIGHT))])
        except (ValueError, TypeError, RecursionError) as error:
            raise BadInput(f"line {number}: this tells of no right.", field="file") from error
    return notes


def policy_of(statement: Statement) -> Key | None:
    """Return the policy that a statement makes or comments on; None where it is about something else."""
    if statement.starts("create", "policy"):
        place = 2
    elif statement.starts("comment", "on", "policy"):
        place = 3
    else:
        return None
    # CREATE POLICY name ON schema.table …, COMMENT ON POLICY name ON schema.table IS …
    name, table = statement.words[place], statement.words[place + 4]
    return ("policy", (folded(table), folded(name)), ())


def for_those(statement: Statement, roles: Sequence[str]) -> Statement:
    """Return the statement of a policy for these roles, as SQL writes them; a comment on it stays."""
    words = statement.words
    begins = next((n for n in range(7, len(words)) if statement.lower(n) == "to"), None)
    if not statement.starts("create") or begins is None:
        return statement
    ends = next((n for n in range(begins, len(words)) if statement.lower(n) in _ENDS), None)
    shift = statement.text.index(words[0].text) - words[0].start
    end = len(statement.text) if ends is None else words[ends].start + shift
    text = f"{statement.text[: words[begins].end + shift]} {', '.join(roles)} {statement.text[end:]}"
    return Statement(text, tuple(one for one in tokens(text) if one.sort not in SPACES), statement.line)


def _rights(values: Iterable[Sequence[Any]]) -> frozenset[Right]:
    rights: dict[tuple[str, str, int, str], Right] = {}
    for who, role, number, privilege, passed_on in values:
        one = Right(str(who), str(role), int(number), str(privilege), passed_on is True)
        if one.who not in _WHO or one.privilege not in _PRIVILEGES:
            raise ValueError(f"{who!r} {privilege!r} is no right")
        place = (one.who, one.role, one.number, one.privilege)
        if place not in rights or one.passed_on:
            rights[place] = one
    return frozenset(rights.values())


def _texts(values: object) -> tuple[str, ...]:
    if not isinstance(values, list | tuple):
        raise TypeError("a list is needed")
    return tuple(str(value) for value in cast("Sequence[object]", values))


def _listed(value: str | tuple[str, ...]) -> str | list[str]:
    return value if isinstance(value, str) else list(value)


def _order(one: Right) -> tuple[str, str, int, str, bool]:
    return (one.who, one.role, one.number, one.privilege, one.passed_on)


def _line(key: Key, one: Right, why: str = "there is no such role any more") -> str:
    kind, names, args = key
    if kind == "policy":
        return f"policy {names[1]} on table {names[0]} for {one.role}: {why}"
    if kind == "published":
        place = f"table {names[0]}" if names else "the schema"
        return f"publication {one.role} of {place}: only its owner can add that again"
    words = "new " + names[1] if kind == "default" else f"{kind} {'.'.join(names)}".strip()
    called = f"{words}({', '.join(args)})" if kind == "routine" else words
    return f"right {one.privilege} on {called} of {one.role or one.who}: {why}"
