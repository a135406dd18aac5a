"""Content of a schema, from PostgreSQL's catalogue. Reading that runs no code of an agent."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from quipu.errors import NotFound
from quipu.kernel.db import queries
from quipu.kernel.db.database import Connection, Rows, SpaceTransaction, ask
from quipu.kinds.tables.model import Column, Extensions, Listing, StoredSchema, Table
from quipu.kinds.tables.names import PROTECTED, bare_table, check_table, nearest

_SQL = queries.load("quipu.kinds.tables")


@dataclass(frozen=True, slots=True)
class RelationShape:
    """A relation as calls about rows need it: its number, columns with their types, the primary key.

    ``fields`` are the columns that are embedded.
    """

    name: str
    relation: int
    types: Mapping[str, str]
    key: Sequence[str]
    is_table: bool
    protected: bool
    fields: Sequence[str] = ()


class ShapeQuery:
    """The query for a table that a call names, sent while its space is entered."""

    def __init__(self, schema: str, table: object) -> None:
        """Prepare to look for a table; ``schema`` is its short name, ``table`` may be anything."""
        self._schema = schema
        self._table = table
        self._rows: Rows | None = None

    async def ask(self, conn: Connection) -> None:
        """Send it, in a pipeline."""
        name = bare_table(self._table)
        if name is not None:
            self._rows = await ask(conn, _SQL["shape"], {"schema": self._schema, "table": name})

    async def find(self, schema: StoredSchema) -> RelationShape | None:
        """Return the table; None if there is none of that name.

        Raises:
            BadInput: that is no name of a table.
        """
        name = check_table(self._table, schema=schema.name)
        return None if self._rows is None else _shape(schema, name, await self._rows.fetchone())

    async def shape(self, tx: SpaceTransaction, schema: StoredSchema) -> RelationShape:
        """Return the table, which must exist.

        Raises:
            NotFound: it is not; names the nearest.
        """
        shape = await self.find(schema)
        if shape is None:
            raise await _missing(tx, schema, check_table(self._table, schema=schema.name))
        return shape


async def find_shape(tx: SpaceTransaction, schema: StoredSchema, table: str) -> RelationShape | None:
    """Return a table in a transaction that has entered the space; None if there is none of that name."""
    rows = await tx.run(_SQL["shape"], {"schema": schema.name, "table": table})
    return _shape(schema, table, await rows.fetchone())


def _shape(schema: StoredSchema, table: str, row: Sequence[Any] | None) -> RelationShape | None:
    if row is None:
        return None
    relation, is_table, owner, columns, types, key, fields = row
    return RelationShape(
        name=table,
        relation=relation,
        types=dict(zip(columns, map(schema.names.in_sql, types), strict=True)),
        key=key,
        is_table=is_table,
        protected=owner != schema.writer,
        fields=fields if key else (),
    )


async def _missing(tx: SpaceTransaction, schema: StoredSchema, table: str) -> NotFound:
    names = [name for name in await table_names(tx, schema) if name not in PROTECTED]
    return NotFound(f"There is no table {table!r} in {schema.name}.", hint=nearest(table, names))


async def table_names(tx: SpaceTransaction, schema: StoredSchema) -> list[str]:
    """Return the names of a schema."""
    return await tx.column(_SQL["table_names"], schema_name=schema.schema_name)


async def listing(
    tx: SpaceTransaction, schema: StoredSchema, *, table: str | None = None, with_columns: bool = True
) -> Listing:
    """Return the tables of a schema, by name, or the one that is named.

    Raises:
        NotFound: there is none of that name.
    """
    values = {"schema_name": schema.schema_name, "table": table}
    async with tx.conn.pipeline():  # one round trip
        table_rows = await tx.run(_SQL["tables"], {**values, "writer": schema.writer, "schema": schema.id})
        column_rows = await tx.run(_SQL["columns"], values) if with_columns else None
        extension_rows = await tx.run(_SQL["extensions"], {})
    tables = await _dicts(table_rows)
    if table is not None and not tables and await find_shape(tx, schema, table) is None:
        raise await _missing(tx, schema, table)
    fields = {one["name"]: one["embed_fields"] for one in tables}
    columns: defaultdict[str, list[Column]] = defaultdict(list)
    for row in await _dicts(column_rows) if column_rows else ():
        name = row.pop("table_name")
        columns[name].append(_column(schema, row, fields[name]))
    (extensions,) = await _dicts(extension_rows)
    return Listing(
        schema=schema.name,
        tables=tuple(Table(schema=schema.name, columns=tuple(columns[one["name"]]), **one) for one in tables),
        extensions=Extensions(**extensions),
    )


def _column(schema: StoredSchema, row: dict[str, Any], fields: Sequence[str]) -> Column:
    default = row["default"]
    row["type"] = schema.names.in_sql(row["type"])
    row["default"] = None if default is None else schema.names.in_sql(default)
    return Column(embedded=row["name"] in fields, **row)


async def _dicts(cursor: Rows) -> list[dict[str, Any]]:
    names = [column.name for column in cursor.description or ()]
    return [dict(zip(names, row, strict=True)) for row in await cursor.fetchall()]
