"""Inserting, updating and deleting rows of agents' tables, on the writer's login."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

import psycopg
from psycopg import errors as pg
from psycopg import sql

from quipu.errors import BadInput, Conflict, QuipuError
from quipu.kernel.db.database import Connection
from quipu.kinds.tables import catalogue, rows
from quipu.kinds.tables.access import Place
from quipu.kinds.tables.catalogue import Shape
from quipu.kinds.tables.embedding.ahead import Ahead, embedding_ahead
from quipu.kinds.tables.engine import Engine, settled
from quipu.kinds.tables.exchange import Rows
from quipu.kinds.tables.habits import Habit
from quipu.kinds.tables.model import Changed, Schema
from quipu.kinds.tables.names import check_table
from quipu.kinds.tables.refusals import Asked, refusal
from quipu.kinds.tables.rows import Prepared
from quipu.kinds.tables.running import run
from quipu.kinds.tables.templates import fill
from quipu.kinds.tables.values import MOST_ROWS, as_json, parsed, row

_KEY: Final = re.compile(r"Key \(([^)]*)\)")


async def insert(engine: Engine, place: Place, table: object, data: object) -> Changed:
    """Insert one row, or several: either all of them or none."""
    given = _rows(engine, parsed(data, field="data"))
    async with embedding_ahead(engine.models, given) as ahead:
        if habit := engine.habits.of(place, table):
            ahead.begin(habit.fields, generation=habit.generation)
        schema, shape = await _shape(engine, place, table, ahead)
        groups: dict[tuple[str, ...], list[dict[str, Any]]] = {}
        for one in given:
            groups.setdefault(tuple(one), []).append(one)
        for names in groups:
            rows.known(shape, names, field="data")
        prepared = [rows.insert(schema, shape, names, some) for names, some in groups.items()]
        return await _change(engine, place, schema, shape, prepared, given, ahead)


async def update(engine: Engine, place: Place, table: object, data: object, where: object) -> Changed:
    """Change the rows that satisfy ``where``."""
    changed = row(parsed(data, field="data"), field="data", clean=engine.settings.redact)
    if not changed:
        raise BadInput("it names no column to change.", field="data", hint='{"level": 4}')
    schema, shape = await _shape(engine, place, table)
    rows.known(shape, list(changed), field="data")
    prepared = rows.update(schema, shape, changed, where_of(where))
    return await _change(engine, place, schema, shape, [prepared], [changed])


async def delete(engine: Engine, place: Place, table: object, where: object) -> Changed:
    """Delete the rows that satisfy ``where``."""
    schema, shape = await _shape(engine, place, table)
    return await _change(engine, place, schema, shape, [rows.delete(schema, shape, where_of(where))], [])


def where_of(where: object) -> object:
    """A condition as it was given: an object, its JSON, or SQL."""
    if isinstance(where, str) and where.lstrip().startswith("{"):
        return parsed(where, field="where")
    return where


def _rows(engine: Engine, data: object) -> list[dict[str, Any]]:
    clean = engine.settings.redact
    if not isinstance(data, Sequence) or isinstance(data, str):
        return [row(data, field="data", clean=clean)]
    several = cast("Sequence[Any]", data)
    if not 0 < len(several) <= MOST_ROWS:
        raise BadInput(
            f"1 to {MOST_ROWS:,} rows, not {len(several):,}.", field="data", hint="Send them in parts."
        )
    return [row(one, field=f"data[{place}]", clean=clean) for place, one in enumerate(several)]


async def _shape(
    engine: Engine, place: Place, table: object, ahead: Ahead | None = None
) -> tuple[Schema, Shape]:
    """The schema and the table; what is embedded of it is begun with."""
    async with engine.access.entered(place, "write") as (within, schema):
        name = check_table(table, schema=schema.schema_name)
        shape = await catalogue.shape(within, schema, name)
        if ahead is not None:
            generation = within.space.generation
            ahead.begin(shape.fields, generation=generation)
            engine.habits.learn(place, table, Habit(shape.fields, generation))
        return schema, shape


async def _change(
    engine: Engine,
    place: Place,
    schema: Schema,
    shape: Shape,
    prepared: Sequence[Prepared],
    data: Sequence[Mapping[str, Any]],
    ahead: Ahead | None = None,
) -> Changed:
    asked = Asked(
        schema=schema,
        field="where" if not data else "data",
        seconds=engine.seconds,
        columns=list(shape.types),
    )

    async def work(conn: Connection) -> list[Rows]:
        try:
            if len(prepared) == 1 and not shape.protected:
                return [await run(conn, prepared[0].statement, prepared[0].values)]
            async with settled(conn):
                return [await run(conn, one.statement, one.values) for one in prepared]
        except psycopg.Error as error:
            raise await _explained(conn, error, asked, shape, data) from error

    done = await engine.run(place.space, asked, "writer", work)
    embedded = await engine.followed(place.space, schema, ahead)
    return Changed(
        table=f"{schema.schema_name}.{shape.name}",
        rows=sum(one.touched for one in done),
        keys=tuple(key for one in done for key in one.rows),
        embedded=embedded,
    )


async def _explained(
    conn: Connection, error: psycopg.Error, asked: Asked, shape: Shape, data: Sequence[Mapping[str, Any]]
) -> QuipuError:
    """The refusal, with the column that it is about where that can be told."""
    told = refusal(error, asked)
    column = error.diag.column_name
    if column is None and (key := _KEY.search(error.diag.message_detail or "")):
        column = key[1]
    if column is None and isinstance(error, (pg.DataError, pg.InternalError_)) and not conn.closed:
        column = await _misfit(conn, asked, shape, data)
    if column is not None and isinstance(told, BadInput):
        said = told.message.removeprefix(f"{asked.field}: ")
        hint = None if isinstance(told, Conflict) else _type_hint(shape, column)
        return type(told)(said, field=f"data.{column}", hint=hint or told.hint)
    return told


def _type_hint(shape: Shape, column: str) -> str | None:
    return f"{column} is {shape.types[column]}." if column in shape.types else None


async def _misfit(
    conn: Connection, asked: Asked, shape: Shape, data: Sequence[Mapping[str, Any]]
) -> str | None:
    """The first column whose values cannot be read as its type."""
    for name in dict.fromkeys(name for one in data for name in one):
        values = as_json([{name: one[name]} for one in data if one.get(name) is not None])
        table = sql.Identifier(asked.schema.schema_name, shape.name)
        tried = fill("try_column", column=sql.Identifier(name), table=table)
        try:
            await run(conn, tried, [values])
        except psycopg.Error:
            return name
    return None
