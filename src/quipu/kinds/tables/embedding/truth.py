"""What the tables themselves say: read on the writer's own login, where code of an agent runs as the agent.

A value is taken as the output function of its type writes it, exactly as the triggers do.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Final, LiteralString, cast

import psycopg
from psycopg import sql

from quipu.errors import QuipuError
from quipu.kernel.db.database import Connection, Database
from quipu.kinds.tables.embedding.model import Relation, Values
from quipu.kinds.tables.embedding.rules import MOST_CHARACTERS, key_values
from quipu.kinds.tables.logins import Logins
from quipu.kinds.tables.model import Schema
from quipu.kinds.tables.running import bounded

SECONDS: Final = 60.0
_AT_ONCE: Final = 5_000
_BEGIN: Final = (  # several statements in one journey
    "begin isolation level repeatable read read only; set local statement_timeout = '60s'"
)

Page = Sequence[tuple[str, Sequence[str]]]
"""Rows by their key, each with the hashes of its fields; that of an empty field is empty."""


class Unreadable(Exception):
    """A table cannot be read by its own writer: what its owner made of it refuses, or takes too long."""

    def __init__(self, relation: int) -> None:
        self.relation = relation
        super().__init__(f"relation {relation}")


class Truth:
    """Reads rows of the tables of one schema."""

    def __init__(self, database: Database, logins: Logins, space: str, schema: Schema) -> None:
        self._database = database
        self._logins = logins
        self._space = space
        self._schema = schema

    async def values(self, relation: Relation, source_ids: Sequence[str]) -> Values:
        """The embedded fields of those rows that are there.

        Raises:
            Unreadable: they cannot be read.
        """
        fields = sql.SQL(", ").join(
            sql.SQL("pg_catalog.left({}, {})").format(_text(name), MOST_CHARACTERS)
            for name in relation.fields
        )
        rows = await self._rows(relation, fields, source_ids)
        return {
            row[0]: {name: text for name, text in zip(relation.fields, row[1:], strict=True) if text}
            for row in rows
        }

    async def there(self, relation: Relation, source_ids: Sequence[str]) -> set[str]:
        """Which of those rows are there.

        Raises:
            Unreadable: they cannot be read.
        """
        return {row[0] for row in await self._rows(relation, sql.SQL("null"), source_ids)}

    @asynccontextmanager
    async def pages(self, relation: Relation) -> AsyncGenerator[AsyncGenerator[Page]]:
        """All rows of a table as of one moment, some thousand at a time, with the hashes of their fields.

        Raises:
            Unreadable: they cannot be read.
        """
        hashes = sql.SQL(", ").join(
            sql.SQL(
                "case when {0} <> '' then pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to("
                "pg_catalog.left({0}, {1}), 'UTF8')), 'hex') else '' end"
            ).format(_text(name), MOST_CHARACTERS)
            for name in relation.fields
        )
        query = sql.SQL("select {}, {} from {} t").format(_key(relation), hashes, _name(relation))
        with _unreadable(relation):
            async with self._logins.lend(self._space, self._schema, "writer") as conn, _reading(conn):
                await conn.execute(sql.SQL("declare all_rows no scroll cursor for {}").format(query))
                yield self._fetched(conn)

    async def _fetched(self, conn: Connection) -> AsyncGenerator[Page]:
        fetch = sql.SQL("fetch forward {} from all_rows").format(_AT_ONCE)

        async def work() -> list[Any]:
            return await (await conn.execute(fetch)).fetchall()

        while rows := await bounded(self._database, conn, SECONDS, work):
            yield [(row[0], row[1:]) for row in rows]

    async def _rows(
        self, relation: Relation, shown: sql.Composable, source_ids: Sequence[str]
    ) -> list[tuple[Any, ...]]:
        async def work(conn: Connection) -> list[tuple[Any, ...]]:
            try:
                return await _by_key(conn, relation, shown, source_ids)
            except psycopg.DataError:  # keys of before have another type than those of now
                return await _by_text(conn, relation, shown, source_ids)

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
    conn: Connection, relation: Relation, shown: sql.Composable, source_ids: Sequence[str]
) -> list[tuple[Any, ...]]:
    found = [key for one in source_ids if (key := key_values(one, len(relation.key))) is not None]
    columns = [[key[place] for key in found] for place in range(len(relation.key))]
    names = [sql.Identifier(f"k{place}") for place in range(len(columns))]
    given = sql.SQL(", ").join([sql.SQL("%s::text[]")] * len(columns))
    same = sql.SQL(" and ").join(
        sql.SQL("t.{} = v.{}::{}").format(sql.Identifier(name), given_name, _as_written(kind))
        for name, given_name, kind in zip(relation.key, names, relation.types, strict=True)
    )
    query = sql.SQL(
        "select {key}, {shown} from (select * from unnest({given}) as u ({names}) offset 0) v"
        " join {table} t on {same}"
    ).format(
        key=_key(relation),
        shown=shown,
        given=given,
        names=sql.SQL(", ").join(names),
        table=_name(relation),
        same=same,
    )
    return await _asked(conn, query, columns)


async def _by_text(
    conn: Connection, relation: Relation, shown: sql.Composable, source_ids: Sequence[str]
) -> list[tuple[Any, ...]]:
    query = sql.SQL("select {}, {} from {} t where {} = any(%s::text[])").format(
        _key(relation), shown, _name(relation), _key(relation)
    )
    return await _asked(conn, query, [list(source_ids)])


async def _asked(conn: Connection, query: sql.Composed, values: Sequence[object]) -> list[tuple[Any, ...]]:
    async with _reading(conn):
        return await (await conn.execute(query, values)).fetchall()


@asynccontextmanager
async def _reading(conn: Connection) -> AsyncGenerator[None]:
    """A transaction that reads as of one moment; nothing that it runs can write."""
    await conn.execute(_BEGIN)
    try:
        yield
    finally:
        if not conn.closed:
            await conn.execute("rollback")


def _name(relation: Relation) -> sql.Identifier:
    return sql.Identifier(relation.schema_name, relation.table_name)


def _text(column: str) -> sql.Composed:
    return sql.SQL("pg_catalog.concat(t.{})").format(sql.Identifier(column))


def _key(relation: Relation) -> sql.Composable:
    columns = [_text(name) for name in relation.key]
    if len(columns) == 1:
        return columns[0]
    return sql.SQL("pg_catalog.jsonb_build_array({})::text").format(sql.SQL(", ").join(columns))


def _as_written(kind: str) -> sql.SQL:
    """The name of a type as PostgreSQL itself wrote it."""
    return sql.SQL(cast(LiteralString, kind.replace("%", "%%")))
