"""The statements that read rows page by page. Names are quoted, values are parameters. Pure.

Pages go on behind a row (its key, and its value in the column that is sorted by), never at a number of rows:
the last page of a long table costs no more than the first. Null sorts last either way.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from psycopg import sql

from quipu.errors import BadInput
from quipu.kinds.tables import rows
from quipu.kinds.tables.catalogue import RelationShape
from quipu.kinds.tables.model import StoredSchema
from quipu.kinds.tables.rows import PreparedStatement, Values
from quipu.kinds.tables.templates import fill

KEY: Final = "key of the row"
PLACE: Final = "place of the row"
"""What two columns of the answer are called; names of agents' columns that collide are refused."""

# Types without an order, and jsonb, whose order says nothing to people.
_UNSORTED: Final = ("json", "xml", "point", "line", "lseg", "box", "path", "polygon", "circle")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Filter, order and start of rows: ``match`` exactly, ``contains`` a text in a column."""

    match: Mapping[str, Any]
    contains: Mapping[str, str]
    sort: str | None
    descending: bool
    after: str | None
    limit: int
    characters: int


def browse(schema: StoredSchema, shape: RelationShape, wanted: Wanted) -> PreparedStatement:
    """Return a page of rows, one more than is asked for.

    Raises:
        BadInput: a column is not there or cannot be sorted by, or ``after`` is from elsewhere.
    """
    if {KEY, PLACE} & set(shape.types):
        raise BadInput(f"a column called {KEY!r} or {PLACE!r} cannot be looked at.", field="table")
    order = _order(shape, wanted.sort)
    values = Values()
    where = [rows.condition(schema, shape, wanted.match, values)] if wanted.match else []
    where += _contains(shape, wanted.contains, values)
    if wanted.after is not None:
        where.append(_behind(schema, shape, order, wanted, values))
    statement = fill(
        "browse",
        columns=sql.SQL(", ").join(_shown(name, wanted.characters) for name in shape.types),
        key=_key(shape.key),
        place_key=sql.Identifier(KEY),
        place=_array([column(name) for name in order]),
        place_name=sql.Identifier(PLACE),
        table=sql.Identifier(schema.schema_name, shape.name),
        where=sql.SQL(" and ").join(where) if where else sql.SQL("true"),
        order=_ordered(order, wanted),
        limit=sql.Literal(wanted.limit + 1),
    )
    return PreparedStatement(statement, values.given)


def by_key(shape: RelationShape, key: str) -> dict[str, Mapping[str, Any]]:
    """Return the columns of the primary key with the values that a key names.

    Raises:
        BadInput: it is no key of the table.
    """
    parts = [key] if len(shape.key) == 1 else _texts(key)
    if not shape.key or parts is None or len(parts) != len(shape.key) or None in parts:
        raise BadInput(f"that is no key of {shape.name}.", field="key")
    named = zip(shape.key, cast("Sequence[str]", parts), strict=True)
    return {name: {"=": _value(shape, name, text)} for name, text in named}


def _value(shape: RelationShape, name: str, text: str) -> Any:
    """Return a column's value that was given as text."""
    if shape.types[name] != "jsonb":
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise BadInput(f"{name} of {shape.name} is a document.", field="key") from None


def column(name: str) -> sql.Composed:
    """Return a column of the table."""
    return sql.SQL("t.{}").format(sql.Identifier(name))


def _order(shape: RelationShape, sort: str | None) -> list[str]:
    """Return the columns that order the rows."""
    if sort is not None:
        rows.known(shape, [sort], field="sort")
        if shape.types[sort].startswith(_UNSORTED):
            raise BadInput(f"{shape.types[sort]} has no order.", field="sort")
    return [*([sort] if sort and [sort] != list(shape.key) else []), *shape.key]


def _ordered(order: Sequence[str], wanted: Wanted) -> sql.Composable:
    if not order:
        return sql.SQL("1" if wanted.sort is None else "true")
    said = [sql.SQL("{} asc nulls last").format(column(name)) for name in order]
    if wanted.descending:
        said[0] = sql.SQL("{} desc nulls last").format(column(order[0]))
    return sql.SQL(", ").join(said)


def _behind(
    schema: StoredSchema, shape: RelationShape, order: Sequence[str], wanted: Wanted, values: Values
) -> sql.Composable:
    """Return the condition of rows behind a place."""
    place = None if wanted.after is None else _texts(wanted.after)
    if not shape.key or place is None or len(place) != len(order) or None in place[-len(shape.key) :]:
        raise BadInput("that is no place in this table.", field="after", hint="Begin at the first page.")
    beyond: sql.Composable = sql.SQL("false")
    for name, value in reversed(list(zip(order, place, strict=True))):
        sign = "<" if wanted.descending and name == order[0] else ">"
        further = _condition(schema, shape, name, sign, value, values)
        if name == order[-1]:
            beyond = further
        else:
            same = _condition(schema, shape, name, "=", value, values)
            beyond = sql.SQL("({} or {} and {})").format(further, same, beyond)
    return beyond


def _condition(
    schema: StoredSchema, shape: RelationShape, name: str, sign: str, value: str | None, values: Values
) -> sql.Composable:
    """Return the condition that a column compares so to a value; null stands behind everything else."""
    if value is None:
        return sql.SQL("{} is null" if sign == "=" else "false").format(column(name))
    compared = rows.condition(schema, shape, {name: {sign: _value(shape, name, value)}}, values)
    if sign == "=" or name in shape.key:
        return compared
    return sql.SQL("({} or {} is null)").format(compared, column(name))


def _contains(shape: RelationShape, wanted: Mapping[str, str], values: Values) -> list[sql.Composable]:
    rows.known(shape, list(wanted), field="contains")
    return [fill("like_text", column=column(name), text=values.text(text)) for name, text in wanted.items()]


def _shown(name: str, characters: int) -> sql.Composed:
    return fill("shown", column=column(name), characters=sql.Literal(characters), name=sql.Identifier(name))


def _key(names: Sequence[str]) -> sql.Composable:
    if not names:
        return sql.SQL("null::text")
    if len(names) == 1:
        return fill("written", column=column(names[0]))
    return _array([column(name) for name in names])


def _array(columns: Sequence[sql.Composable]) -> sql.Composed:
    texts = sql.SQL(", ").join(fill("written", column=one) for one in columns)
    return sql.SQL("pg_catalog.jsonb_build_array({})::text").format(texts)


def _texts(written: str) -> list[str | None] | None:
    """Return the texts of a JSON array; None if it is none."""
    try:
        listed = cast("object", json.loads(written))
    except (ValueError, RecursionError):
        return None
    if not isinstance(listed, list):
        return None
    texts = cast("list[object]", listed)
    return (
        cast("list[str | None]", texts) if all(one is None or isinstance(one, str) for one in texts) else None
    )
