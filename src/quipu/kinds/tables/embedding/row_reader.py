"""Rows of agents' tables, read on the writer's own login, where an agent's code runs as the agent."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from typing import Any, Final, LiteralString, cast

import psycopg
from psycopg import AsyncRawCursor, sql
from psycopg.pq import TransactionStatus

from quipu.errors import QuipuError
from quipu.kernel.db.bounds import bounded
from quipu.kernel.db.database import Connection, Database, Rows
from quipu.kinds.tables.embedding import row_text
from quipu.kinds.tables.embedding.model import Relation, Values
from quipu.kinds.tables.embedding.rules import MOST_CHARACTERS, key_values
from quipu.kinds.tables.exchange import BEGIN_TO_READ, reading
from quipu.kinds.tables.logins import Logins
from quipu.kinds.tables.model import StoredSchema
from quipu.kinds.tables.templates import fill

SECONDS: Final = 60.0
_AT_ONCE: Final = 5_000
_LIMITED: Final = "set local statement_timeout = '60s'"

Page = Sequence[tuple[str, Sequence[str]]]
"""Rows by their key, each with the hashes of its fields; that of an empty field is empty."""


class Unreadable(Exception):
    """A table cannot be read by its own writer: what its owner made of it refuses, or takes too long."""

    def __init__(self, relation: int) -> None:
        self.relation = relation
        super().__init__(f"relation {relation}")


class RowReader:
    """Reads rows of the tables of one schema."""

    def __init__(self, database: Database, logins: Logins, space: str, schema: StoredSchema) -> None:
        self._database = database
        self._logins = logins
        self._space = space
        self._schema = schema

    async def values(self, relation: Relation, source_ids: Sequence[str]) -> Values:
        """Return the embedded fields of the rows that exist.

        Raises:
            Unreadable: they cannot be read.
        """
        rows = await self._rows(relation, row_text.fields(relation.fields), source_ids)
        return {
            row[0]: {name: text for name, text in zip(relation.fields, row[1:], strict=True) if text}
            for row in rows
        }

    async def there(self, relation: Relation, source_ids: Sequence[str]) -> set[str]:
        """Return the rows that exist.

        Raises:
            Unreadable: they cannot be read.
        """
        return {row[0] for row in await self._rows(relation, sql.SQL("null"), source_ids)}

    @asynccontextmanager
    async def pages(self, relation: Relation) -> AsyncGenerator[AsyncGenerator[Page]]:
        """Open all rows of a table as of one moment, some thousand at a time, with their fields' hashes.

        Raises:
            Unreadable: they cannot be read.
        """
        most = sql.Literal(MOST_CHARACTERS)
        hashes = sql.SQL(", ").join(
            fill("hash", text=row_text.text(name), most=most) for name in relation.fields
        )
        query = fill("all_rows", key=row_text.key(relation.key), hashes=hashes, table=_name(relation))
        async with AsyncExitStack() as stack:
            with _unreadable(relation):
                lent = self._logins.lend(self._space, self._schema, "writer")
                conn = await stack.enter_async_context(lent)
                await stack.enter_async_context(reading(conn))
                await conn.execute(_LIMITED)
                await conn.execute(query)
            yield self._fetched(conn, relation)

    async def _fetched(self, conn: Connection, relation: Relation) -> AsyncGenerator[Page]:
        fetch = fill("next_rows", number=sql.Literal(_AT_ONCE))

        async def work() -> list[Any]:
            return await (await conn.execute(fetch)).fetchall()

        while True:
            with _unreadable(relation):
                rows = await bounded(self._database, conn, SECONDS, work)
            if not rows:
                return
            yield [(row[0], row[1:]) for row in rows]

    async def _rows(
        self, relation: Relation, wanted: sql.Composable, source_ids: Sequence[str]
    ) -> list[tuple[Any, ...]]:
        async def work(conn: Connection) -> list[tuple[Any, ...]]:
            try:
                return await _by_key(conn, relation, wanted, source_ids)
            except psycopg.DataError:  # keys of before have another type than those of now
                return await _by_text(conn, relation, wanted, source_ids)

        with _unreadable(relation):
            async with self._logins.lend(self._space, self._schema, "writer") as conn:
                return await bounded(self._database, conn, SECONDS, lambda: work(conn))


@contextmanager
def _unreadable(relation: Relation) -> Generator[None]:
    try:
        yield
    except (psycopg.Error, QuipuError) as error:
        raise Unreadable(relation.id) from error


async def _by_key(
    conn: Connection, relation: Relation, wanted: sql.Composable, source_ids: Sequence[str]
) -> list[tuple[Any, ...]]:
    keys = [key for one in source_ids if (key := key_values(one, len(relation.key))) is not None]
    columns = [[key[place] for key in keys] for place in range(len(relation.key))]
    names = [sql.Identifier(f"k{place}") for place in range(len(columns))]
    given = [_as_written(f"${place + 1}::text[]") for place in range(len(columns))]
    same = [
        sql.SQL("t.{} = v.{}::{}").format(sql.Identifier(name), taken, _as_written(kind))
        for name, taken, kind in zip(relation.key, names, relation.types, strict=True)
    ]
    query = fill(
        "rows_by_key",
        key=row_text.key(relation.key),
        shown=wanted,
        given=sql.SQL(", ").join(given),
        names=sql.SQL(", ").join(names),
        table=_name(relation),
        same=sql.SQL(" and ").join(same),
    )
    return await _asked(conn, query, columns)


async def _by_text(
    conn: Connection, relation: Relation, wanted: sql.Composable, source_ids: Sequence[str]
) -> list[tuple[Any, ...]]:
    query = fill("rows_by_text", key=row_text.key(relation.key), shown=wanted, table=_name(relation))
    return await _asked(conn, query, [list(source_ids)])


async def _asked(conn: Connection, query: sql.Composed, values: Sequence[object]) -> list[tuple[Any, ...]]:
    cursor: Rows = AsyncRawCursor(conn)
    try:
        async with conn.pipeline() as pipeline:  # all in one round trip
            await conn.execute(BEGIN_TO_READ)
            await conn.execute(_LIMITED)
            await cursor.execute(query, values)
            await pipeline.sync()
            await conn.execute("rollback")
    except BaseException:
        if not conn.closed and conn.info.transaction_status != TransactionStatus.IDLE:
            await conn.execute("rollback")
        raise
    return await cursor.fetchall()


def _name(relation: Relation) -> sql.Identifier:
    return sql.Identifier(relation.schema_name, relation.table_name)


def _as_written(kind: str) -> sql.SQL:
    """Return a type's name as PostgreSQL itself wrote it, or the place of a parameter."""
    return sql.SQL(cast(LiteralString, kind))
