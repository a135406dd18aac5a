"""Looking at agents' tables row by row, as pages show them: ``memory.tables.browse`` and its like."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final, cast

from psycopg import sql
from psycopg.rows import class_row

from quipu.errors import NotFound
from quipu.kernel.db import queries
from quipu.kernel.db.database import Connection
from quipu.kinds.tables import asking, running
from quipu.kinds.tables.access import Access, Place
from quipu.kinds.tables.browsing import statements
from quipu.kinds.tables.browsing.model import EmbeddedField, ForeignKey, NearRow, TableRow, TableRows
from quipu.kinds.tables.catalogue import AskedShape, Shape
from quipu.kinds.tables.engine import Engine
from quipu.kinds.tables.exchange import Rows
from quipu.kinds.tables.model import Schema
from quipu.kinds.tables.refusals import Asked
from quipu.kinds.tables.rows import Prepared
from quipu.kinds.tables.templates import fill
from quipu.recall.generations import Models
from quipu.record import given

_SQL = queries.load("quipu.kinds.tables")
_MOST_ROWS: Final = 200
_MOST_CHARACTERS: Final = 20_000
_MOST_VECTORS: Final = 50


class AsyncBrowsing:
    """Looks at rows. A query of one's own (``query``) can do the same; this needs no SQL."""

    _engine: Engine
    _models: Models
    _access: Access

    async def browse(
        self,
        table: str,
        *,
        match: Mapping[str, Any] | None = None,
        contains: Mapping[str, str] | None = None,
        sort: str | None = None,
        descending: bool = False,
        after: str | None = None,
        limit: int = 50,
        characters: int = 200,
        space: str,
        schema: str = "memory",
        agent: str | None = None,
    ) -> TableRows:
        """A page of rows, by their key or by the column ``sort``, the greatest first if ``descending``.

        ``match`` are columns with the values that they must have (or operators, as for ``update``),
        ``contains`` columns with a text that must be in them. Values are cut to so many ``characters``.
        ``after`` goes on behind a page (``TableRows.after``). Without a primary key there is one page.

        Raises:
            NotFound: there is no such table.
            BadInput: a column or a value does not fit, or an argument is out of range.
        """
        wanted = statements.Wanted(
            match=match or {},
            contains=contains or {},
            sort=sort,
            descending=descending,
            after=after,
            limit=given.whole("limit", limit, most=_MOST_ROWS),
            characters=given.whole("characters", characters, most=_MOST_CHARACTERS),
        )
        place = Place.of(space, schema, agent)
        where, shape = await self._shape(place, table)
        found = await self._read(place, where, shape, statements.browse(where, shape, wanted), field="match")
        page = found.rows[: wanted.limit]
        more = len(found.rows) > len(page) and bool(shape.key)
        return TableRows(
            table=shape.name,
            columns=shape.types,
            key=shape.key,
            rows=tuple(_row(one, shape) for one in page),
            after=page[-1][statements.PLACE] if more else None,
        )

    async def row(
        self, table: str, key: str, *, space: str, schema: str = "memory", agent: str | None = None
    ) -> TableRow:
        """One row by its key (``TableRow.key``), each value up to 20,000 characters.

        Raises:
            NotFound: there is no such table, or no such row.
            BadInput: it is no key of the table.
        """
        _, shape = await self._shape(Place.of(space, schema, agent), table)
        found = await self.browse(
            table,
            match=statements.by_key(shape, key),
            limit=1,
            characters=_MOST_CHARACTERS,
            space=space,
            schema=schema,
            agent=agent,
        )
        if not found.rows:
            raise NotFound(f"There is no row {key!r} in {shape.name}.", hint="It may be deleted.")
        return found.rows[0]

    async def references(
        self, table: str, *, space: str, schema: str = "memory", agent: str | None = None
    ) -> list[ForeignKey]:
        """The foreign keys of a table, and those of other tables of the schema that point to it.

        Raises:
            NotFound: there is no such table.
        """
        place = Place.of(space, schema, agent)
        asked = AskedShape(place.schema, table)
        async with self._access.entered(place, "read", ask=asked.ask) as (within, found):
            shape = await asked.shape(within, found)
            values = {"relation": shape.relation, "schema_name": found.schema_name}
            async with within.conn.cursor(row_factory=class_row(ForeignKey)) as cursor:
                return await (await cursor.execute(_SQL["references"], values)).fetchall()

    async def near(
        self,
        table: str,
        text: str,
        *,
        limit: int = 20,
        space: str,
        schema: str = "memory",
        agent: str | None = None,
    ) -> list[NearRow]:
        """The rows whose embedded fields are nearest to a text in meaning, the nearest first.

        Raises:
            NotFound: there is no such table.
            BadInput: the text is empty, or ``limit`` is not 1 to 200.
        """
        place = Place.of(space, schema, agent)
        most = given.whole("limit", limit, most=_MOST_ROWS)
        where, shape = await self._shape(place, table)
        query = fill(
            "near",
            embeddings=sql.Identifier(where.schema_name, "embeddings"),
            table=sql.Literal(shape.name),
            limit=sql.Literal(most),
        )
        found = await asking.query(
            self._engine, self._models, place, query.as_string(), search_text=text, limit=most
        )
        return [
            NearRow(
                key=one["source_id"],
                field=one["field_name"],
                content=one["content"],
                nearness=float(one["nearness"]),
            )
            for one in found.results
        ]

    async def embedded(
        self, table: str, key: str, *, space: str, schema: str = "memory", agent: str | None = None
    ) -> list[EmbeddedField]:
        """The vectors of a row, by field: what they stand for, and their numbers.

        Raises:
            NotFound: there is no such table.
        """
        place = Place.of(space, schema, agent)
        where, shape = await self._shape(place, table)
        statement = fill(
            "embedded",
            embeddings=sql.Identifier(where.schema_name, "embeddings"),
            characters=sql.Literal(_MOST_CHARACTERS),
            limit=sql.Literal(_MOST_VECTORS),
        )
        found = await self._read(place, where, shape, Prepared(statement, (shape.name, key)), field="key")
        return [_embedded(one) for one in found.rows]

    async def _shape(self, place: Place, table: object) -> tuple[Schema, Shape]:
        asked = AskedShape(place.schema, table)
        async with self._access.entered(place, "read", ask=asked.ask) as (within, schema):
            return schema, await asked.shape(within, schema)

    async def _read(
        self, place: Place, schema: Schema, shape: Shape, prepared: Prepared, *, field: str
    ) -> Rows:
        asked = Asked(
            schema=schema,
            field=field,
            seconds=self._engine.seconds,
            reads=True,
            columns=list(shape.types),
        )

        async def work(conn: Connection) -> Rows:
            await conn.execute("begin isolation level repeatable read read only")
            rows = await running.run(conn, prepared.statement, prepared.values)
            await conn.execute("rollback")
            return rows

        return await self._engine.run(place.space, asked, "reader", work)


def _row(found: Mapping[str, Any], shape: Shape) -> TableRow:
    return TableRow(key=found[statements.KEY], values={name: found[name] for name in shape.types})


def _embedded(found: Mapping[str, Any]) -> EmbeddedField:
    written = cast("str", found["numbers"] or "").strip("[]")
    numbers: Sequence[float] = tuple(float(one) for one in written.split(",") if one)
    return EmbeddedField(
        field=found["field_name"],
        chunk=found["chunk_index"],
        content=found["content"],
        content_hash=found["content_hash"],
        updated_at=datetime.fromisoformat(found["updated_at"]),
        numbers=numbers,
        length=math.sqrt(sum(one * one for one in numbers)),
    )
