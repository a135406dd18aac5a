"""A table taken apart: what its definition says, and what hangs on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from psycopg.rows import dict_row

from quipu.kernel.db import queries
from quipu.kernel.db.database import Within
from quipu.kinds.tables.catalogue import Shape
from quipu.kinds.tables.model import Schema
from quipu.kinds.tables.templates import TEMPLATES

_SQL = queries.load("quipu.kinds.tables")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A column or a constraint, an index, a view or a trigger: its name and how it is written.

    ``table``: of which table, where that is another one. ``own``: it is not a constraint's, or for a column:
    it is not computed. ``counted``: numbers itself.
    """

    name: str
    definition: str
    table: str | None = None
    own: bool = True
    counted: bool = False
    description: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Anatomy:
    """What a table is made of. ``referring``: foreign keys of other tables; ``views`` that read it."""

    columns: Sequence[Part]
    constraints: Sequence[Part]
    indexes: Sequence[Part]
    referring: Sequence[Part]
    views: Sequence[Part]
    triggers: Sequence[Part]

    def create(self, schema: Schema, table: str) -> str:
        """The statement that would make such a table."""
        lines = [f"    {_quoted(one.name)} {one.definition}" for one in self.columns]
        lines += [f"    constraint {_quoted(one.name)} {one.definition}" for one in self.constraints]
        name = f"{schema.schema_name}.{_quoted(table)}"
        return TEMPLATES["create"].format(table=name, parts=",\n".join(lines))


async def anatomy(within: Within, shape: Shape) -> Anatomy:
    """Take a table apart. Reads the catalogue and nothing else."""
    name = shape.relation
    columns = [
        Part(
            name=row["name"],
            definition=row["definition"],
            own=not row["generated"],
            counted=row["counted"],
            description=row["description"],
        )
        for row in await _rows(within, "definition", name)
    ]
    indexes = [
        Part(name=row["name"], definition=row["definition"], own=not row["of_constraint"])
        for row in await _rows(within, "named", name)
    ]
    views = [
        Part(name=row["name"], definition=row["definition"], own=not row["materialised"])
        for row in await _rows(within, "resting", name)
    ]
    referring = [
        Part(name=row["name"], definition=row["definition"], table=row["table_name"])
        for row in await _rows(within, "referring", name)
    ]
    return Anatomy(
        columns=columns,
        constraints=[Part(**row) for row in await _rows(within, "constraints", name)],
        indexes=indexes,
        referring=referring,
        views=views,
        triggers=[Part(**row) for row in await _rows(within, "triggers", name)],
    )


async def _rows(within: Within, query: str, relation: int) -> list[Mapping[str, Any]]:
    async with within.conn.cursor(row_factory=dict_row) as cursor:
        return list(await (await cursor.execute(_SQL[query], {"relation": relation})).fetchall())


def _quoted(name: str) -> str:
    return (
        name
        if name.isidentifier() and name.islower() and name.isascii()
        else '"' + name.replace('"', '""') + '"'
    )
