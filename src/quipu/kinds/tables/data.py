"""Inserting, updating and deleting rows of agents' tables, on the writer's login."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, cast

import psycopg

from quipu.errors import BadInput
from quipu.kernel.db.database import Connection
from quipu.kinds.tables import rows
from quipu.kinds.tables.access import SchemaPlace
from quipu.kinds.tables.catalogue import RelationShape, ShapeQuery
from quipu.kinds.tables.embedding.ahead import Ahead, Habit, embedding_ahead
from quipu.kinds.tables.engine import Engine, Undone, settled, undone
from quipu.kinds.tables.exchange import Rows, run
from quipu.kinds.tables.losses import State, beside, count_again, outdated, own_state
from quipu.kinds.tables.model import Changed, StoredSchema
from quipu.kinds.tables.refusals import Request
from quipu.kinds.tables.rows import PreparedStatement
from quipu.kinds.tables.templates import fill
from quipu.kinds.tables.type_errors import explained, try_where
from quipu.kinds.tables.values import MOST_ROWS, parsed, row

_FIRST: Final = 20


async def insert(
    engine: Engine, place: SchemaPlace, table: object, data: object, *, confirm: bool | Changed
) -> Changed:
    """Insert one row, or several: either all of them or none."""
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
        return await _Change(
            engine=engine,
            place=place,
            schema=schema,
            shape=shape,
            prepared=prepared,
            data=given,
            ahead=ahead,
            confirm=confirm,
        ).make()


async def update(
    engine: Engine,
    place: SchemaPlace,
    table: object,
    data: object,
    where: object,
    *,
    confirm: bool | Changed,
    show_first: bool,
) -> Changed:
    """Change the rows that satisfy ``where``."""
    changed = row(parsed(data, field="data"), field="data", clean=engine.settings.redact)
    if not changed:
        raise BadInput("it names no column to change.", field="data", hint='{"level": 4}')
    schema, shape = await _shape(engine, place, table)
    rows.known(shape, list(changed), field="data")
    wanted = where_of(where)
    return await _Change(
        engine=engine,
        place=place,
        schema=schema,
        shape=shape,
        prepared=[rows.update(schema, shape, changed, wanted)],
        data=[changed],
        where=wanted,
        confirm=confirm,
        show_first=show_first,
        word="changed",
    ).make()


async def delete(
    engine: Engine, place: SchemaPlace, table: object, where: object, *, confirm: bool | Changed
) -> Changed:
    """Delete the rows that satisfy ``where``.

    A count would not do for a preview: triggers, policies and references of the table may keep rows or
    refuse. So it is done and undone.
    """
    schema, shape = await _shape(engine, place, table)
    wanted = where_of(where)
    return await _Change(
        engine=engine,
        place=place,
        schema=schema,
        shape=shape,
        prepared=[rows.delete(schema, shape, wanted)],
        data=[],
        where=wanted,
        confirm=confirm,
        word="deleted",
    ).make()


def where_of(where: object) -> object:
    """Return a condition as it was given: an object, its JSON, or SQL."""
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
    engine: Engine, place: SchemaPlace, table: object, ahead: Ahead | None = None
) -> tuple[StoredSchema, RelationShape]:
    """Return the schema and the table; begin to embed its fields."""
    query = ShapeQuery(place.schema, table)
    space, schema = await engine.access.find(place, "write", ask=query.ask)
    shape = await query.find(schema)
    if shape is None:
        async with engine.access.entered(place, "write", ask=query.ask) as (tx, schema):
            return schema, await query.shape(tx, schema)
    if ahead is not None:
        await ahead.begin(shape.fields, generation=space.generation)
        engine.habits.learn(place, table, Habit(shape.fields, space.generation))
    return schema, shape


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outcome:
    """Outcome of statements, or its preview: ``undone`` if nothing was changed."""

    done: Sequence[Rows]
    lost: tuple[str, ...] = ()
    undone: bool = False

    @property
    def touched(self) -> int:
        """Number of rows that were written or deleted."""
        return sum(one.touched for one in self.done)

    @property
    def rows(self) -> list[Mapping[str, Any]]:
        """The rows that came back."""
        return [one for several in self.done for one in several.rows]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Change:
    """Statements that change rows of one table, and whether they may.

    ``confirm`` is True, or the preview that is confirmed; False undoes what takes something away.
    ``show_first`` undoes what does not, too. ``word`` is what `losses` says of the rows that they are to
    change.
    """

    engine: Engine
    place: SchemaPlace
    schema: StoredSchema
    shape: RelationShape
    prepared: Sequence[PreparedStatement]
    data: Sequence[Mapping[str, Any]]
    where: object = None
    ahead: Ahead | None = None
    confirm: bool | Changed
    show_first: bool = False
    word: str = ""

    @property
    def request(self) -> Request:
        """Request that a refusal may name."""
        return Request(
            schema=self.schema,
            field="data" if self.data else "where",
            seconds=self.engine.seconds,
            columns=list(self.shape.types),
        )

    async def make(self) -> Changed:
        """Run the statements, and have the vectors follow."""
        outcome = await self.engine.run(self.place.space, self.request, "writer", self._work)
        changed = self._changed(outcome)
        if outcome.undone:
            return changed
        if self.ahead is not None:
            self.ahead.take(rows.written(self.shape, outcome.rows))
        embedded = await self.engine.followed(self.place.space, self.schema, self.ahead)
        return replace(changed, embedded=embedded)

    async def _work(self, conn: Connection) -> _Outcome:
        """Run the statements, and explain what PostgreSQL refuses."""
        try:
            outcome = await self._run(conn)
            if not outcome.touched:
                await try_where(conn, self.request, self.shape, self.where)
        except psycopg.Error as error:
            raise await explained(conn, error, self.request, self.shape, self.data, self.where) from error
        return outcome

    async def _run(self, conn: Connection) -> _Outcome:
        if self.confirm is not True:
            return await self._run_compared(conn)
        if len(self.prepared) == 1 and not self.shape.protected:
            return _Outcome(done=await self._statements(conn))
        async with settled(conn):
            return _Outcome(done=await self._statements(conn))

    async def _run_compared(self, conn: Connection) -> _Outcome:
        """Compare what there is before and after; undo what is not confirmed."""
        before: Mapping[str, State] = {}
        outcome = _Outcome(done=())
        trial = self.show_first and self.confirm is False
        async with undone(conn) if trial else settled(conn):
            before = await own_state(conn)
            done = await self._statements(conn)
            await conn.execute(fill("end_of_statement"))
            table = f"{self.schema.schema_name}.{self.shape.name}"
            lost = beside(before, await own_state(conn), table=table, word=self.word)
            lost = tuple(map(self.schema.names.in_message, lost))
            outcome = _Outcome(done=done, lost=lost, undone=trial)
            if not trial and not self._may(outcome):
                outcome = replace(outcome, undone=True)
                raise Undone
        if outcome.undone:
            await count_again(conn, before)
            if isinstance(self.confirm, Changed):
                raise outdated()
        return outcome

    def _may(self, outcome: _Outcome) -> bool:
        """Return True if what was done is confirmed, or takes nothing away."""
        if isinstance(self.confirm, Changed):
            return self._changed(outcome).counts() == self.confirm.counts()
        return not outcome.lost and not (self.word == "deleted" and outcome.touched)

    async def _statements(self, conn: Connection) -> list[Rows]:
        return [await run(conn, one.statement, one.values) for one in self.prepared]

    def _changed(self, outcome: _Outcome) -> Changed:
        keys = rows.keys(self.shape, outcome.rows)
        return Changed(
            table=self.shape.name,
            rows=outcome.touched,
            keys=keys[:_FIRST] if outcome.undone else keys,
            lost=outcome.lost,
            undone=outcome.undone,
            which=_digest(keys) if self.word else "",
        )


def _digest(keys: Sequence[Mapping[str, Any]]) -> str:
    told = "\n".join(sorted(str(key) for key in keys))
    return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()
