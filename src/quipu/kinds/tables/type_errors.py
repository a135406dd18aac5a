"""Misfits: the value in a call about rows that PostgreSQL could not take, found by trying."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, cast

import psycopg
from psycopg import errors as pg
from psycopg import sql

from quipu.errors import BadInput, Conflict, QuipuError
from quipu.kernel.db.database import Connection
from quipu.kinds.tables import rows
from quipu.kinds.tables.catalogue import RelationShape
from quipu.kinds.tables.exchange import run
from quipu.kinds.tables.refusals import Request, refusal
from quipu.kinds.tables.templates import fill
from quipu.kinds.tables.values import as_json

_KEY: Final = re.compile(r"Key \(([^)]*)\)")


async def explained(
    conn: Connection,
    error: psycopg.Error,
    request: Request,
    shape: RelationShape,
    data: Sequence[Mapping[str, Any]],
    where: object,
) -> QuipuError:
    """Return the refusal, with the column that it is about if that can be found."""
    column = error.diag.column_name
    if column is None and (key := _KEY.search(error.diag.message_detail or "")):
        column = key[1]
    place = f"data.{column}" if data else "where"
    if column is None and isinstance(error, (pg.DataError, pg.InternalError_)) and not conn.closed:
        place, column = await _wrong_value(conn, request, shape, data, where)
    if column is None and where is not None and not isinstance(error, pg.IntegrityError):
        request = replace(request, field="where")  # the columns of the data are there, and its values fit
    told = refusal(error, request)
    if column is not None and isinstance(told, BadInput):
        has_type = column in shape.types and not isinstance(told, Conflict)
        return told.at(place, hint=f"{column} is {shape.types[column]}." if has_type else None)
    return told


async def try_where(conn: Connection, request: Request, shape: RelationShape, where: object) -> None:
    """Read the values of a condition that no row satisfied: where no row was looked at, they were not read.

    Raises:
        psycopg.Error: one of them cannot be read as the type of its column.
    """
    compared = _compared(shape, where)
    for name in dict.fromkeys(name for one in compared for name in one):
        await _try(conn, request, shape, name, [one.get(name) for one in compared])


def _compared(shape: RelationShape, where: object) -> list[dict[str, Any]]:
    return rows.compared(shape, cast("Mapping[str, Any]", where)) if isinstance(where, Mapping) else []


async def _wrong_value(
    conn: Connection, request: Request, shape: RelationShape, data: Sequence[Mapping[str, Any]], where: object
) -> tuple[str, str | None]:
    """Return place and column of the first value that cannot be read as its column's type."""
    compared = _compared(shape, where)
    for field, given in (("data", data), ("where", compared)):
        for name in dict.fromkeys(name for one in given for name in one):
            first = await _first_wrong_value(conn, request, shape, name, [one.get(name) for one in given])
            if first is not None:
                number = f"[{first}]" if field == "data" and len(data) > 1 else ""
                return f"{field}{number}.{name}", name
    return "", None


async def _first_wrong_value(
    conn: Connection, request: Request, shape: RelationShape, name: str, values: Sequence[Any]
) -> int | None:
    """Return the place of the first value that cannot be read as the column's type."""
    if await _fit(conn, request, shape, name, values):
        return None
    first, beyond = 0, len(values)
    while beyond - first > 1:
        middle = (first + beyond) // 2
        if await _fit(conn, request, shape, name, values[first:middle]):
            first = middle
        else:
            beyond = middle
    return first


async def _fit(
    conn: Connection, request: Request, shape: RelationShape, name: str, values: Sequence[Any]
) -> bool:
    try:
        await _try(conn, request, shape, name, values)
    except psycopg.Error:
        return False
    return True


async def _try(
    conn: Connection, request: Request, shape: RelationShape, name: str, values: Sequence[Any]
) -> None:
    table = sql.Identifier(request.schema.schema_name, shape.name)
    tried = fill("try_column", column=sql.Identifier(name), table=table)
    await run(conn, tried, [as_json([{name: one} for one in values if one is not None])])
