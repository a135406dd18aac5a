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
class Shape:
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


class AskedShape:
    """A table that was named: asked while its space is entered (``ask``), told then (``shape``)."""

    def __init__(self, schema: str, table: object) -> None:
        """Prepare to look for a table; ``schema`` is its short name, ``table`` may be anything."""
        self._schema = schema
        self._table = table
        self._rows: Rows | None = None

    async def ask(self, conn: Connection) -> None:
        """Ask in a pipeline."""
        name = bare_table(self._table)
        if name is not None:
            self._rows = await ask(conn, _SQL["shape"], {"schema": self._schema, "table": name})

    async def found(self, schema: StoredSchema) -> Shape | None:
        """Return the table; None if there is none of that name.

        Raises:
            BadInput: that is no name of a table.
        """
        name = check_table(self._table, schema=schema.name)
        return None if self._rows is None else _shape(schema, name, await _read(self._rows))

    async def shape(self, tx: SpaceTransaction, schema: StoredSchema) -> Shape:
        """Return the table, which must exist.

        Raises:
            NotFound: it is not; names the nearest.
        """
        found = await self.found(schema)
        if found is None:
            raise await _missing(tx, schema, check_table(self._table, schema=schema.name))
        return found


async def find_shape(tx: SpaceTransaction, schema: StoredSchema, table: str) -> Shape | None:
    """Return a table in a transaction that has entered the space; None if there is none of that name."""
    return _shape(schema, table, await _rows(tx, "shape", {"schema": schema.name, "table": table}))


def _shape(schema: StoredSchema, table: str, rows: Sequence[Mapping[str, Any]]) -> Shape | None:
    for row in rows:
        types = dict(zip(row["columns"], map(schema.names.in_sql, row["types"]), strict=True))
        protected = row["owner"] != schema.writer
        fields = row["fields"] if row["key"] else ()
        return Shape(table, row["relation"], types, row["key"], row["is_table"], protected, fields)
    return None


async def _missing(tx: SpaceTransaction, schema: StoredSchema, table: str) -> NotFound:
    names = [name for name in await table_names(tx, schema) if name not in PROTECTED]
    return NotFound(f"There is no table {table!r} in {schema.name}.", hint=nearest(table, names))


async def table_names(tx: SpaceTransaction, schema: StoredSchema) -> list[str]:
    """Return what can be named in a schema."""
    return [row["relname"] for row in await _rows(tx, "table_names", {"schema_name": schema.schema_name})]


async def listing(
    tx: SpaceTransaction, schema: StoredSchema, *, table: str | None = None, with_columns: bool = True
) -> Listing:
    """Return the tables of a schema, by name, or the one that is named.

    Raises:
        NotFound: there is none of that name.
    """
    given = {"schema_name": schema.schema_name, "table": table}
    async with tx.conn.pipeline():  # all in one journey
        asked = await _ask(tx, "tables", {**given, "writer": schema.writer, "schema": schema.id})
        described = await _ask(tx, "columns", given) if with_columns else None
        others = await _ask(tx, "extensions", {})
    tables = await _read(asked)
    if table is not None and not tables and await find_shape(tx, schema, table) is None:
        raise await _missing(tx, schema, table)
    columns: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in await _read(described) if described else ():
        columns[row.pop("table_name")].append(row)
    (there,) = await _read(others)
    return Listing(
        schema=schema.name,
        tables=tuple(_table(schema, row, columns[row["name"]]) for row in tables),
        extensions=Extensions(**there),
    )


def _table(schema: StoredSchema, row: Mapping[str, Any], columns: Sequence[Mapping[str, Any]]) -> Table:
    return Table(
        name=row["name"],
        schema=schema.name,
        description=row["about"],
        embed_fields=row["fields"],
        key=row["key"],
        rows=row["rows"],
        columns=tuple(_column(schema, one, row["fields"]) for one in columns),
        protected=row["protected"],
    )


def _column(schema: StoredSchema, row: Mapping[str, Any], fields: Sequence[str]) -> Column:
    default = row["default_text"]
    return Column(
        name=row["name"],
        type=schema.names.in_sql(row["type"]),
        nullable=row["nullable"],
        default=None if default is None else schema.names.in_sql(default),
        description=row["description"],
        embedded=row["name"] in fields,
    )


async def _rows(tx: SpaceTransaction, name: str, values: Mapping[str, object]) -> list[dict[str, Any]]:
    return await _read(await _ask(tx, name, values))


async def _ask(tx: SpaceTransaction, name: str, values: Mapping[str, object]) -> Rows:
    return await tx.run(_SQL[name], values)


async def _read(cursor: Rows) -> list[dict[str, Any]]:
    names = [column.name for column in cursor.description or ()]
    return [dict(zip(names, row, strict=True)) for row in await cursor.fetchall()]
