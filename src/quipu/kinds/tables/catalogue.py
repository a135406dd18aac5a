"""What is in a schema, from PostgreSQL's catalogue. Reading that runs no code of an agent."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from quipu.errors import NotFound
from quipu.kernel.db import queries
from quipu.kernel.db.database import Rows, Within
from quipu.kinds.tables.model import Column, Extensions, Listing, Schema, Table
from quipu.kinds.tables.names import PROTECTED, nearest

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


async def shape(within: Within, schema: Schema, table: str) -> Shape:
    """The table of that name.

    Raises:
        NotFound: there is none; names the nearest.
    """
    found = await find_shape(within, schema, table)
    if found is None:
        names = [name for name in await table_names(within, schema) if name not in PROTECTED]
        raise NotFound(f"There is no table {table!r} in {schema.schema_name}.", hint=nearest(table, names))
    return found


async def find_shape(within: Within, schema: Schema, table: str) -> Shape | None:
    """The same; None where there is none."""
    given = {"schema": schema.id, "schema_name": schema.schema_name, "table": table}
    for row in await _rows(within, "shape", given):
        types = dict(zip(row["columns"], row["types"], strict=True))
        protected = row["owner"] != schema.writer
        fields = row["fields"] if row["key"] else ()
        return Shape(table, row["relation"], types, row["key"], row["is_table"], protected, fields)
    return None


async def table_names(within: Within, schema: Schema) -> list[str]:
    """What can be named in a schema."""
    return [row["relname"] for row in await _rows(within, "table_names", {"schema_name": schema.schema_name})]


async def listing(
    within: Within, schema: Schema, *, table: str | None = None, with_columns: bool = True
) -> Listing:
    """The tables of a schema, by name, or the one that is named.

    Raises:
        NotFound: there is none of that name.
    """
    given = {"schema_name": schema.schema_name, "table": table}
    async with within.conn.pipeline():  # all in one journey
        asked = await _ask(within, "tables", {**given, "writer": schema.writer, "schema": schema.id})
        described = await _ask(within, "columns", given) if with_columns else None
        others = await _ask(within, "extensions", {})
    tables = await _read(asked)
    if table is not None and not tables:
        await shape(within, schema, table)
    columns: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in await _read(described) if described else ():
        columns[row.pop("table_name")].append(row)
    (there,) = await _read(others)
    return Listing(
        schema=schema.schema_name,
        tables=tuple(_table(schema, row, columns[row["name"]]) for row in tables),
        extensions=Extensions(**there),
    )


def _table(schema: Schema, row: Mapping[str, Any], columns: Sequence[Mapping[str, Any]]) -> Table:
    return Table(
        name=row["name"],
        schema=schema.schema_name,
        description=row["about"],
        embed_fields=row["fields"],
        key=row["key"],
        rows=row["rows"],
        columns=tuple(_column(one, row["fields"]) for one in columns),
        protected=row["protected"],
    )


def _column(row: Mapping[str, Any], fields: Sequence[str]) -> Column:
    return Column(
        name=row["name"],
        type=row["type"],
        nullable=row["nullable"],
        default=row["default_text"],
        description=row["description"],
        embedded=row["name"] in fields,
    )


async def _rows(within: Within, name: str, values: Mapping[str, object]) -> list[dict[str, Any]]:
    return await _read(await _ask(within, name, values))


async def _ask(within: Within, name: str, values: Mapping[str, object]) -> Rows:
    return await within.run(_SQL.numbered(name), values)


async def _read(cursor: Rows) -> list[dict[str, Any]]:
    names = [column.name for column in cursor.description or ()]
    return [dict(zip(names, row, strict=True)) for row in await cursor.fetchall()]
