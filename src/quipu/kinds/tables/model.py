"""Schemas of agents, what is in them, and what may be done there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypeAlias

from quipu.kernel.db.schema_names import SchemaNames

Permission: TypeAlias = Literal["read", "write", "admin"]
PERMISSIONS: tuple[Permission, ...] = ("read", "write", "admin")


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """A schema of a space.

    ``writer`` and ``reader`` are its login roles; ``version`` counts the changes of its structure.
    """

    id: int
    name: str
    description: str | None
    writer: str
    reader: str
    version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSchema(Schema):
    """A schema with ``schema_name``, which PostgreSQL calls it and no answer shows.

    ``permission``: what the agent may do there that it was read for.
    """

    schema_name: str
    permission: Permission | None = None

    @property
    def names(self) -> SchemaNames:
        """Both names, to translate what PostgreSQL writes."""
        return SchemaNames(self.name, self.schema_name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """Permission of an agent in a schema."""

    schema: str
    agent: str
    permission: Permission
    granted_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column of an agent's table; ``type`` as PostgreSQL writes it."""

    name: str
    type: str
    nullable: bool
    default: str | None
    description: str | None
    embedded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """An agent's table. ``rows`` is the estimate of PostgreSQL's statistics; ``key`` the primary key.

    ``protected``: it belongs to the engine.
    """

    name: str
    schema: str
    description: str | None
    embed_fields: Sequence[str]
    key: Sequence[str]
    rows: int
    columns: Sequence[Column]
    protected: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Extensions:
    """Availability of the extensions that agents' SQL may use."""

    postgis: bool
    pg_trgm: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """The tables of a schema, and the extensions that its SQL can use."""

    schema: str
    tables: Sequence[Table]
    extensions: Extensions


@dataclass(frozen=True, slots=True, kw_only=True)
class DroppedSchema:
    """A schema that was dropped, or would be: its tables, with an estimate of their rows."""

    schema: str
    tables: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """Outcome of a statement: PostgreSQL's word for it, and the rows that it touched or returned.

    ``returned``: rows that it returned, at most so many; ``embedded``: vectors made or taken out; ``note``:
    what else there is to know. ``lost``: what it takes away, a line each, where it was compared; ``undone``:
    nothing was changed.
    """

    status: str
    rows: int
    returned: Sequence[Mapping[str, Any]] = ()
    embedded: int = 0
    note: str | None = None
    lost: Sequence[str] = ()
    undone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Selected:
    """The rows of a query. ``limited``: there were more; ``note`` says what bound them."""

    columns: Sequence[str]
    results: Sequence[Mapping[str, Any]]
    limit: int
    limited: bool
    note: str | None = None

    @property
    def count(self) -> int:
        """Number of rows that came back."""
        return len(self.results)


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """Rows that were inserted, updated or deleted: their primary keys, and how many vectors followed.

    Where it is ``undone``, nothing was changed: those that would be, with the keys of the first 20. ``lost``:
    what goes along in other tables or is replaced there, a line each, where it was compared. ``which`` is a
    digest of the keys of all rows that are updated or deleted.
    """

    table: str
    rows: int
    keys: Sequence[Mapping[str, Any]]
    embedded: int = 0
    note: str | None = None
    lost: Sequence[str] = ()
    undone: bool = False
    which: str = ""

    def counts(self) -> dict[str, object]:
        """Return the parts of a preview that count: the rows, their number, and what goes along."""
        return {"rows": self.rows, "lost": list(self.lost), "which": self.which}
