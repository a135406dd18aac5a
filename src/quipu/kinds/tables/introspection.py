"""A table taken apart: what its definition says, what hangs on it, and what does not let it go."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from quipu.kernel.db.database import Connection, SpaceTransaction
from quipu.kernel.db.schema_names import SchemaNames
from quipu.kinds.tables.catalogue import RelationShape
from quipu.kinds.tables.exchange import run
from quipu.kinds.tables.model import StoredSchema
from quipu.kinds.tables.store import SQL
from quipu.kinds.tables.templates import TEMPLATES, fill

_COLUMNS: Final = ("column", "computed column")
_DEFINED: Final = (*_COLUMNS, "constraint", "setting")
VIEWS: Final = ("view", "materialized view")
_HINDRANCES: Final = ("shape", "dependant")


@dataclass(frozen=True, slots=True)
class Part:
    """Part of a table as the catalogue has it, from ``tables.parts_of``.

    ``of``: the relation that it depends on, if it is not the table's own definition; of a sequence that
    somebody named, its column. ``definition``: how a CREATE TABLE writes it. ``statement``: makes it again.
    """

    kind: str
    of: str | None
    name: str
    definition: str | None
    statement: str | None

    @property
    def words(self) -> str:
        """Name in a report."""
        return f"{self.kind} {self.name}"


@dataclass(frozen=True, slots=True)
class TableStructure:
    """All parts of a table, in the order in which they are made again."""

    parts: Sequence[Part]

    @property
    def columns(self) -> dict[str, str]:
        """The columns with their definitions."""
        return {one.name: one.definition or "" for one in self.parts if one.kind in _COLUMNS}

    @property
    def computed(self) -> set[str]:
        """The columns that PostgreSQL computes."""
        return {one.name for one in self.parts if one.kind == "computed column"}

    @property
    def defined(self) -> list[Part]:
        """The constraints and settings that a CREATE TABLE says."""
        return [one for one in self.parts if one.kind in _DEFINED and one.kind not in _COLUMNS]

    @property
    def constraints(self) -> list[Part]:
        """The constraints; ``of`` is the table itself where one refers to it."""
        return [one for one in self.parts if one.kind == "constraint"]

    @property
    def has_key(self) -> bool:
        """True if the table has a primary key."""
        return any((one.definition or "").startswith("PRIMARY KEY") for one in self.defined)

    @property
    def names(self) -> list[Part]:
        """Constraints, indexes and sequences: names in the schema that another table may want."""
        return [one for one in self.parts if one.kind == "name"]

    @property
    def named_sequences(self) -> list[Part]:
        """The sequences of columns that have another name than PostgreSQL gives those of a serial."""
        return [one for one in self.names if one.of is not None]

    @property
    def hindrances(self) -> list[str]:
        """Reasons why the table cannot be recreated."""
        return [one.name for one in self.parts if one.kind in _HINDRANCES]

    @property
    def hanging(self) -> list[Part]:
        """Parts that depend on the table and its views: each has a statement that makes it again."""
        return [one for one in self.parts if one.statement is not None]

    @property
    def views(self) -> list[Part]:
        """The views that read the table, those that rest on others last."""
        return [one for one in self.parts if one.kind in VIEWS]

    def create(self, schema: StoredSchema, table: str) -> str:
        """Return the statement that would make such a table, as an agent writes it."""
        lines = [f"    {_quoted(name)} {definition}" for name, definition in self.columns.items()]
        lines += [f"    constraint {_quoted(one.name)} {one.definition}" for one in self.constraints]
        parts = schema.names.in_sql(",\n".join(lines))
        return TEMPLATES["create"].format(table=_quoted(table), parts=parts)


async def structure(tx: SpaceTransaction, shape: RelationShape) -> TableStructure:
    """Take a table apart. Reads the catalogue and nothing else."""
    return TableStructure(await tx.fetch(Part, SQL["parts"], relation=shape.relation))


async def own_structure(conn: Connection, table: str) -> TableStructure:
    """Take apart a table of the writer who is logged in, as the transaction sees it."""
    return TableStructure([Part(**row) for row in (await run(conn, fill("parts"), [table])).rows])


def differences(
    before: TableStructure, after: TableStructure, called: Mapping[str, str], names: SchemaNames
) -> tuple[str, ...]:
    """Compare what two CREATE TABLE would say: columns, constraints, settings; a line for each difference.

    ``called`` is what each column of ``before`` is called in ``after``, or would be.
    """
    lines: list[str] = []
    was = {new: old for old, new in called.items()}
    for new, definition in after.columns.items():
        old = was.get(new)
        if old is None:
            lines.append(f"+ {new} {names.in_sql(definition)}")
        elif (old, before.columns[old]) != (new, definition):
            was_so, is_so = names.in_sql(before.columns[old]), names.in_sql(definition)
            lines.append(f"~ {old} {was_so} -> {new} {is_so}")
    lines += [
        f"- {old} {names.in_sql(kind)}"
        for old, kind in before.columns.items()
        if called[old] not in after.columns
    ]
    gone, come = Counter(map(_said, before.defined)), Counter(map(_said, after.defined))
    lines += [f"+ {names.in_sql(said)}" for said in (come - gone).elements()]
    lines += [f"- {names.in_sql(said)}" for said in (gone - come).elements()]
    return tuple(lines)


def _said(part: Part) -> str:
    return f"{part.kind} {part.definition}"


def _quoted(name: str) -> str:
    return (
        name
        if name.isidentifier() and name.islower() and name.isascii()
        else '"' + name.replace('"', '""') + '"'
    )
