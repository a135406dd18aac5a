"""Inserting, updating and deleting rows of agents' tables, on the writer's login."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final, cast

import psycopg

from quipu.errors import BadInput
from quipu.kernel.db.database import Connection
from quipu.kinds.tables import rows
from quipu.kinds.tables.access import Place
from quipu.kinds.tables.catalogue import AskedShape, Shape
from quipu.kinds.tables.embedding.ahead import Ahead, embedding_ahead
from quipu.kinds.tables.engine import Engine, settled, undone
from quipu.kinds.tables.exchange import Rows
from quipu.kinds.tables.habits import Habit
from quipu.kinds.tables.losses import State, beside, count_again, outdated, own_state
from quipu.kinds.tables.misfits import explained, try_where
from quipu.kinds.tables.model import Changed, Schema
from quipu.kinds.tables.refusals import Asked
from quipu.kinds.tables.rows import Prepared
from quipu.kinds.tables.running import run
from quipu.kinds.tables.templates import fill
from quipu.kinds.tables.values import MOST_ROWS, parsed, row

_FIRST: Final = 20


async def insert(
    engine: Engine,
    place: Place,
    table: object,
    data: object,
    *,
    lossless: bool = False,
    as_tried: Changed | None = None,
) -> Changed:
    """Insert one row, or several: either all of them or none.

    What takes something else away, as by a trigger, is undone with ``lossless``; so for `update`. What does
    other than a trial did, ``as_tried``, is refused.
    """
    given = _rows(engine, parsed(data, field="data"))
    async with embedding_ahead(engine.models, given) as ahead:
        if habit := engine.habits.of(place, table):
            await ahead.begin(habit.fields, generation=habit.generation)
        schema, shape = await _shape(engine, place, table, ahead)
        groups: dict[tuple[str, ...], list[dict[str, Any]]] = {}
        for one in given:
            groups.setdefault(tuple(one), []).append(one)
        for names in groups:
            rows.known(shape, names, field="data")
        told = ahead.begun
        prepared = [rows.insert(schema, shape, names, some, told=told) for names, some in groups.items()]
        return await _change(
            engine, place, schema, shape, prepared, given, ahead=ahead, lossless=lossless, as_tried=as_tried
        )


async def update(
    engine: Engine,
    place: Place,
    table: object,
    data: object,
    where: object,
    *,
    dry_run: object = False,
    lossless: bool = False,
    as_tried: Changed | None = None,
) -> Changed:
    """Change the rows that satisfy ``where``, or with ``dry_run`` try it and undo it."""
    trying = _flag(dry_run)
    changed = row(parsed(data, field="data"), field="data", clean=engine.settings.redact)
    if not changed:
        raise BadInput("it names no column to change.", field="data", hint='{"level": 4}')
    schema, shape = await _shape(engine, place, table)
    rows.known(shape, list(changed), field="data")
    wanted = where_of(where)
    prepared = rows.update(schema, shape, changed, wanted)
    return await _change(
        engine,
        place,
        schema,
        shape,
        [prepared],
        [changed],
        where=wanted,
        trying=trying,
        lossless=lossless,
        as_tried=as_tried,
        word="changed",
    )


async def delete(
    engine: Engine,
    place: Place,
    table: object,
    where: object,
    *,
    dry_run: object = False,
    lossless: bool = False,
    as_tried: Changed | None = None,
) -> Changed:
    """Delete the rows that satisfy ``where``, or with ``dry_run`` try it and undo it.

    A count would not do: triggers, policies and references of the table may keep rows or refuse. With
    ``lossless`` it is undone if any row goes.
    """
    trying = _flag(dry_run)
    schema, shape = await _shape(engine, place, table)
    wanted = where_of(where)
    prepared = rows.delete(schema, shape, wanted)
    return await _change(
        engine,
        place,
        schema,
        shape,
        [prepared],
        [],
        where=wanted,
        trying=trying,
        lossless=lossless,
        as_tried=as_tried,
        word="deleted",
    )


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise BadInput("true or false.", field="dry_run")
    return value


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
    if not several:
        raise BadInput("there are no rows.", field="data", hint='{"name": "Thorin"}, or a list of such rows.')
    if len(several) > MOST_ROWS:
        raise BadInput(
            f"1 to {MOST_ROWS:,} rows, not {len(several):,}.", field="data", hint="Send them in parts."
        )
    return [row(one, field=f"data[{place}]", clean=clean) for place, one in enumerate(several)]


async def _shape(
    engine: Engine, place: Place, table: object, ahead: Ahead | None = None
) -> tuple[Schema, Shape]:
    """The schema and the table; what is embedded of it is begun with."""
    asked = AskedShape(place.schema, table)
    space, schema = await engine.access.asked(place, "write", ask=asked.ask)
    shape = await asked.found(schema)
    if shape is None:
        async with engine.access.entered(place, "write", ask=asked.ask) as (within, schema):
            return schema, await asked.shape(within, schema)
    if ahead is not None:
        await ahead.begin(shape.fields, generation=space.generation)
        engine.habits.learn(place, table, Habit(shape.fields, space.generation))
    return schema, shape


class _Undone(Exception):
    """It takes away more than was asked for."""


async def _change(
    engine: Engine,
    place: Place,
    schema: Schema,
    shape: Shape,
    prepared: Sequence[Prepared],
    data: Sequence[Mapping[str, Any]],
    *,
    where: object = None,
    ahead: Ahead | None = None,
    trying: bool = False,
    lossless: bool = False,
    as_tried: Changed | None = None,
    word: str = "",
) -> Changed:
    """Run the statements; ``word`` is what `losses` says of the rows that they are to change."""
    name = f"{schema.schema_name}.{shape.name}"
    asked = Asked(
        schema=schema,
        field="where" if not data else "data",
        seconds=engine.seconds,
        columns=list(shape.types),
    )

    lost: tuple[str, ...] = ()
    kept = not trying

    def changed_by(done: Sequence[Rows]) -> Changed:
        returned = [one for several in done for one in several.rows]
        keys = rows.keys(shape, returned)
        return Changed(
            table=name,
            rows=sum(one.touched for one in done),
            keys=keys if kept else keys[:_FIRST],
            dry_run=trying,
            lost=lost,
            undone=not kept,
            which=_digest(keys) if word else "",
        )

    async def work(conn: Connection) -> list[Rows]:
        nonlocal lost, kept
        changed = False
        done: list[Rows] = []
        try:
            if trying or lossless or as_tried is not None:
                before: Mapping[str, State] = {}
                with suppress(_Undone):
                    async with undone(conn) if trying else settled(conn):
                        before = await own_state(conn)
                        done = [await run(conn, one.statement, one.values) for one in prepared]
                        await conn.execute(fill("end_of_statement"))
                        lost = beside(before, await own_state(conn), table=name, word=word)
                        goes = word == "deleted" and any(one.touched for one in done)
                        changed = as_tried is not None and changed_by(done).counts() != as_tried.counts()
                        if changed or ((lost or goes) and lossless and not trying):
                            kept = False
                            raise _Undone
                if not kept:
                    await count_again(conn, before)
                    if changed:
                        raise outdated()
            elif len(prepared) == 1 and not shape.protected:
                done = [await run(conn, prepared[0].statement, prepared[0].values)]
            else:
                async with settled(conn):
                    done = [await run(conn, one.statement, one.values) for one in prepared]
            if not any(one.touched for one in done):
                await try_where(conn, asked, shape, where)
            return done
        except psycopg.Error as error:
            raise await explained(conn, error, asked, shape, data, where) from error

    done = await engine.run(place.space, asked, "writer", work)
    returned = [one for several in done for one in several.rows]
    if ahead is not None and kept:
        ahead.take(rows.written(shape, returned))
    embedded = await engine.followed(place.space, schema, ahead) if kept else 0
    return replace(changed_by(done), embedded=embedded)


def _digest(keys: Sequence[Mapping[str, Any]]) -> str:
    told = "\n".join(sorted(str(key) for key in keys))
    return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()
