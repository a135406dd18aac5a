"""Agents' tables row by row, as pages show them: ``memory.tables.browse`` and its like."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Final, cast

from annotated_types import Interval
from psycopg import sql
from typing_extensions import Doc

from quipu.errors import NotFound
from quipu.kernel.base import scope
from quipu.kernel.base.parameters import Agent, Example, SchemaName, Space
from quipu.kernel.db import queries
from quipu.kernel.db.database import Connection
from quipu.kinds.tables.access import Access, SchemaPlace
from quipu.kinds.tables.browse import statements
from quipu.kinds.tables.catalogue import RelationShape, ShapeQuery
from quipu.kinds.tables.engine import Engine
from quipu.kinds.tables.exchange import Rows, reading, run
from quipu.kinds.tables.model import StoredSchema
from quipu.kinds.tables.refusals import Request
from quipu.kinds.tables.rows import PreparedStatement
from quipu.kinds.tables.select import select
from quipu.kinds.tables.templates import fill
from quipu.recall.generations import Models

_SQL = queries.load("quipu.kinds.tables")
_MOST_ROWS: Final = 200
_MOST_CHARACTERS: Final = 20_000
_MOST_VECTORS: Final = 50

TableName = Annotated[str, Doc("The name of the table."), Example("dwarves")]
RowKey = Annotated[
    str,
    Doc("The primary key as text, or a JSON array of texts where it has several columns."),
    Example("1"),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """A row: ``values`` as PostgreSQL writes them, None for null, long ones cut.

    ``key``: its primary key as text, or a JSON array of texts where that has several columns; None where the
    table has no primary key.
    """

    key: str | None
    values: Mapping[str, str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRows:
    """A page of rows. ``after``: hand it in to get the next page; None where this is the last."""

    table: str
    columns: Mapping[str, str]
    key: Sequence[str]
    rows: Sequence[TableRow]
    after: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignKey:
    """A foreign key: ``columns`` of ``table`` name a row of ``other`` by its ``other_columns``."""

    table: str
    columns: Sequence[str]
    other: str
    other_columns: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class NearRow:
    """A row that is near a text: which field (or part of it) is, and how near: -1 to 1."""

    key: str
    field: str
    content: str
    nearness: float


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedField:
    """The vector of a field of a row, or of a part of it (``chunk`` from 1; 0: the whole field).

    ``numbers`` are those of the vector, ``length`` is its Euclidean length; none while it is being made.
    """

    field: str
    chunk: int
    content: str | None
    content_hash: str
    updated_at: datetime
    numbers: Sequence[float]
    length: float


class AsyncBrowsing:
    """Look at rows without SQL."""

    _engine: Engine
    _models: Models
    _access: Access

    async def browse(
        self,
        table: TableName,
        *,
        match: Annotated[
            Mapping[str, Any] | None,
            Doc("Column to the value that it has, or to operators, as for an update."),
            Example({"age": {">": 30}}),
        ] = None,
        contains: Annotated[
            Mapping[str, str] | None, Doc("Column to a text in it."), Example({"name": "thor"})
        ] = None,
        sort: Annotated[
            str | None, Doc("The column to sort by; the primary key, if not given."), Example("age")
        ] = None,
        descending: Annotated[bool, Doc("The greatest first.")] = False,
        after: Annotated[str | None, Doc("Continue after a page: its `after`.")] = None,
        limit: Annotated[int, Doc("The most rows to return."), Interval(ge=1, le=_MOST_ROWS)] = 50,
        characters: Annotated[
            int, Doc("The most characters of a value."), Interval(ge=1, le=_MOST_CHARACTERS)
        ] = 200,
        space: Space,
        schema: SchemaName = "memory",
        agent: Agent = None,
    ) -> TableRows:
        """Look at the rows of a table, page by page.

        Without a primary key there is one page.

        Raises:
            BadInput: A column or a value does not fit, or an argument is out of range.
            NotFound: There is no such schema or table.
        """
        wanted = statements.Wanted(
            match=match or {},
            contains=contains or {},
            sort=sort,
            descending=descending,
            after=after,
            limit=scope.whole("limit", limit, most=_MOST_ROWS),
            characters=scope.whole("characters", characters, most=_MOST_CHARACTERS),
        )
        place = SchemaPlace.of(space, schema, agent)
        where, shape = await self._shape(place, table)
        rows = await self._read(place, where, shape, statements.browse(where, shape, wanted), field="match")
        page = rows.rows[: wanted.limit]
        more = len(rows.rows) > len(page) and bool(shape.key)
        return TableRows(
            table=shape.name,
            columns=shape.types,
            key=shape.key,
            rows=tuple(_row(one, shape) for one in page),
            after=page[-1][statements.PLACE] if more else None,
        )

    async def row(
        self,
        table: TableName,
        key: RowKey,
        *,
        space: Space,
        schema: SchemaName = "memory",
        agent: Agent = None,
    ) -> TableRow:
        """Show a row, each value up to 20,000 characters.

        Raises:
            BadInput: It is no key of the table.
            NotFound: There is no such schema, table or row.
        """
        _, shape = await self._shape(SchemaPlace.of(space, schema, agent), table)
        page = await self.browse(
            table,
            match=statements.by_key(shape, key),
            limit=1,
            characters=_MOST_CHARACTERS,
            space=space,
            schema=schema,
            agent=agent,
        )
        if not page.rows:
            raise NotFound(f"There is no row {key!r} in {shape.name}.", hint="It may be deleted.")
        return page.rows[0]

    async def references(
        self, table: TableName, *, space: Space, schema: SchemaName = "memory", agent: Agent = None
    ) -> Sequence[ForeignKey]:
        """List the foreign keys of a table, and those of other tables of the schema that point to it.

        Raises:
            NotFound: There is no such schema or table.
        """
        place = SchemaPlace.of(space, schema, agent)
        query = ShapeQuery(place.schema, table)
        async with self._access.entered(place, "read", ask=query.ask) as (tx, row):
            shape = await query.shape(tx, row)
            return await tx.fetch(
                ForeignKey, _SQL["references"], relation=shape.relation, schema_name=row.schema_name
            )

    async def near(
        self,
        table: TableName,
        text: Annotated[str, Doc("The text to be near to."), Example("an old warrior")],
        *,
        limit: Annotated[int, Doc("The most rows to return."), Interval(ge=1, le=_MOST_ROWS)] = 20,
        space: Space,
        schema: SchemaName = "memory",
        agent: Agent = None,
    ) -> Sequence[NearRow]:
        """Find the rows whose embedded fields are nearest to a text in meaning, the nearest first.

        Raises:
            BadInput: The text is empty, or the limit is out of range.
            NotFound: There is no such schema or table.
        """
        place = SchemaPlace.of(space, schema, agent)
        most = scope.whole("limit", limit, most=_MOST_ROWS)
        where, shape = await self._shape(place, table)
        query = fill(
            "near",
            embeddings=sql.Identifier(where.schema_name, "embeddings"),
            table=sql.Literal(shape.name),
            limit=sql.Literal(most),
        )
        hits = await select(
            self._engine, self._models, place, query.as_string(), search_text=text, limit=most
        )
        return [
            NearRow(
                key=one["source_id"],
                field=one["field_name"],
                content=one["content"],
                nearness=float(one["nearness"]),
            )
            for one in hits.results
        ]

    async def embedded(
        self,
        table: TableName,
        key: RowKey,
        *,
        space: Space,
        schema: SchemaName = "memory",
        agent: Agent = None,
    ) -> Sequence[EmbeddedField]:
        """Show the vectors of a row, by field: what they stand for, and their numbers.

        Raises:
            NotFound: There is no such schema or table.
        """
        place = SchemaPlace.of(space, schema, agent)
        where, shape = await self._shape(place, table)
        statement = fill(
            "embedded",
            embeddings=sql.Identifier(where.schema_name, "embeddings"),
            characters=sql.Literal(_MOST_CHARACTERS),
            limit=sql.Literal(_MOST_VECTORS),
        )
        rows = await self._read(
            place, where, shape, PreparedStatement(statement, (shape.name, key)), field="key"
        )
        return [_embedded(one) for one in rows.rows]

    async def _shape(self, place: SchemaPlace, table: object) -> tuple[StoredSchema, RelationShape]:
        query = ShapeQuery(place.schema, table)
        async with self._access.entered(place, "read", ask=query.ask) as (tx, schema):
            return schema, await query.shape(tx, schema)

    async def _read(
        self,
        place: SchemaPlace,
        schema: StoredSchema,
        shape: RelationShape,
        prepared: PreparedStatement,
        *,
        field: str,
    ) -> Rows:
        request = Request(
            schema=schema,
            field=field,
            seconds=self._engine.seconds,
            reads=True,
            columns=list(shape.types),
        )

        async def work(conn: Connection) -> Rows:
            async with reading(conn):
                return await run(conn, prepared.statement, prepared.values)

        return await self._engine.run(place.space, request, "reader", work)


def _row(row: Mapping[str, Any], shape: RelationShape) -> TableRow:
    return TableRow(key=row[statements.KEY], values={name: row[name] for name in shape.types})


def _embedded(row: Mapping[str, Any]) -> EmbeddedField:
    written = cast("str", row["numbers"] or "").strip("[]")
    numbers: Sequence[float] = tuple(float(one) for one in written.split(",") if one)
    return EmbeddedField(
        field=row["field_name"],
        chunk=row["chunk_index"],
        content=row["content"],
        content_hash=row["content_hash"],
        updated_at=datetime.fromisoformat(row["updated_at"]),
        numbers=numbers,
        length=math.sqrt(sum(one * one for one in numbers)),
    )
