"""The statements that read and write the rows of any table, filled in from its columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from psycopg import sql

from quipu.kernel.db import queries
from quipu.upkeep.archive.records import JSON_NULLS, CarriedColumn, Layout
from quipu.upkeep.archive.tables import CARRIED, Carried

_OF_PERSON: Final = {one.table: one.of_person for one in CARRIED if one.of_person}
_fill = queries.load("quipu.upkeep.archive", folder="templates").fill


def _name(name: str) -> sql.Identifier:
    return sql.Identifier(name)


def _relation(name: str) -> sql.Identifier:
    return sql.Identifier(*name.split(".", 1))


def _listed(parts: Iterable[sql.Composable], by: str = ", ") -> sql.Composed:
    return (sql.SQL(" and ") if by == "and" else sql.SQL(", ")).join(parts)


def carry_out(of: Layout, space: int, *, person: bool, beside: bool = False) -> sql.Composed:
    """Return the COPY that sends the rows of a table in a space, one JSON object a line.

    ``person``: those of the person of the transaction; ``beside``: with what others said beside them.
    """
    carried = of.carried
    relation = carried.beside if beside else (carried.of_person if person else "")
    relation = relation or carried.reads or carried.table
    sessions = [
        _fill(
            "sessions",
            relation=_relation("core.sessions_of_person" if person else "core.sessions"),
            space=sql.Literal(space),
            column=_name(one),
        )
        for one in carried.sessions
    ]
    columns: list[sql.Composable] = [_column(carried, one.name, person=person) for one in of.columns]
    if of.may_lack_json:
        nulls = [_fill("json_null", column=_name(one), name=one) for one in of.may_lack_json]
        columns.append(_fill("json_nulls", columns=_listed(nulls)))
    order = [_fill("by_bytes" if one.is_text else "as_is", column=_name(one.name)) for one in of.key]
    return _fill(
        "carry_out",
        columns=_listed(columns),
        relation=_relation(relation),
        sessions=sql.SQL("").join(sessions),
        space=sql.Literal(space),
        order=_listed(order),
    )


def _column(carried: Carried, name: str, *, person: bool) -> sql.Composed:
    if person and name in carried.weak:
        other = carried.weak[name]
        return _fill("weak", relation=_relation(_OF_PERSON.get(other, other)), column=_name(name))
    return _fill("session" if name in carried.sessions else "plain", column=_name(name))


def carry_in(of: Layout, space: int, fields: Sequence[str]) -> sql.Composed:
    """Return the INSERT of records with these fields; ``lines`` is an array of them."""
    carried = of.carried
    columns = [one for one in of.columns if one.name in fields]
    return _fill(
        "carry_in",
        table=_relation(carried.table),
        columns=_listed(_name(one.name) for one in columns),
        space=sql.Literal(space),
        values=_listed(_value(of, one, space, fields) for one in columns),
        replaced=sql.Literal(list(carried.sessions)),
    )


def carry_later(of: Layout, space: int, fields: Sequence[str]) -> sql.Composed | None:
    """Return the UPDATE of columns that refer to rows further on; None if there are none."""
    later = [name for name in of.carried.later if name in fields]
    if not later:
        return None
    return _fill(
        "carry_later",
        table=_relation(of.carried.table),
        columns=_listed(map(_name, later)),
        values=_listed(_fill("value", column=_name(one)) for one in later),
        space=sql.Literal(space),
        same=_listed((_fill("same", column=_name(one.name)) for one in of.key), by="and"),
    )


def has_rows(of: Layout, space: int) -> sql.Composed:
    """Return the question whether a table has rows of the space."""
    return _fill("has_rows", table=_relation(of.carried.table), space=sql.Literal(space))


def _value(of: Layout, column: CarriedColumn, space: int, fields: Sequence[str]) -> sql.Composable:
    name, carried = column.name, of.carried
    if name in carried.sessions:
        return _fill("value_of_session", space=sql.Literal(space), name=name)
    if name in carried.later:
        return _fill(carried.first.get(name, "value_later"))
    if column.type == "jsonb" and not column.nullable:
        return _fill("value_of_json", column=_name(name))
    if column.type == "jsonb" and JSON_NULLS in fields:
        return _fill("value_of_json_or_none", column=_name(name), name=name)
    return _fill("value", column=_name(name))
