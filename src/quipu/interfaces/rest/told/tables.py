"""What agents' tables tell."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from quipu.interfaces.rest.models import Told
from quipu.kinds.tables.model import Permission

Confirm = Annotated[
    str | None,
    Field(
        description="Nothing was changed, since something would go: send it back to have it done.",
        examples=[None],
    ),
]


class SchemaTold(Told):
    """A schema of a space.

    `name` is what callers call it; `schema_name` what it is called in SQL; `writer` and `reader` are
    its login roles; `version` counts the changes of its structure.
    """

    id: int
    name: str
    schema_name: str
    description: str | None
    writer: str
    reader: str
    version: int


class GrantTold(Told):
    """What an agent may do in a schema."""

    schema_: Annotated[str, Field(alias="schema")]
    agent: str
    permission: Permission
    granted_at: datetime


class ColumnTold(Told):
    """A column of an agent's table; `type` as PostgreSQL writes it."""

    name: str
    type: str
    nullable: bool
    default: str | None
    description: str | None
    embedded: bool


class TableTold(Told):
    """An agent's table. `rows` is the estimate of PostgreSQL's statistics; `key` the primary key.

    `protected`: it belongs to the engine.
    """

    name: str
    schema_: Annotated[str, Field(alias="schema")]
    description: str | None
    embed_fields: list[str]
    key: list[str]
    rows: int
    columns: list[ColumnTold]
    protected: bool


class ExtensionsTold(Told):
    """Which of the extensions that agents' SQL may use are there."""

    postgis: bool
    pg_trgm: bool


class TablesTold(Told):
    """The tables of a schema, and the extensions that its SQL can use."""

    schema_: Annotated[str, Field(alias="schema")]
    tables: list[TableTold]
    extensions: ExtensionsTold


class StatementTold(Told):
    """What a statement did: PostgreSQL's word for it, and how many rows it touched or returned.

    `returned`: rows that it returned, at most so many; `embedded`: vectors made or taken out; `note`:
    what else there is to know. `lost`: what it takes away, a line each, where that was asked for;
    `undone`: nothing was changed.
    """

    status: str
    rows: int
    returned: list[dict[str, Any]]
    embedded: int
    note: str | None
    lost: list[str]
    undone: bool
    confirm: Confirm = None


class ChangedRowsTold(Told):
    """Rows that were inserted, updated or deleted: their primary keys, and how many vectors followed.

    With `dry_run` those that would be, with the keys of the first 20: nothing was changed.
    """

    table: str
    rows: int
    keys: list[dict[str, Any]]
    embedded: int
    note: str | None
    dry_run: bool
    lost: Annotated[list[str], Field(description="What goes along elsewhere, where nothing was changed.")]
    undone: Annotated[bool, Field(description="Nothing was changed.")]
    confirm: Confirm = None


class SelectedTold(Told):
    """The rows of a query. `limited`: there were more; `note` says what bound them."""

    columns: list[str]
    results: list[dict[str, Any]]
    limit: int
    limited: bool
    note: str | None


class RecreatedTold(Told):
    """What was done, or with `dry_run` what would be: the steps in their order, and what differs.

    `diff`: lines that begin with `+`, `-` or `~` and name a column, a constraint or a setting of the table,
    with the definition before and after. `rows` are carried over; a trial carries the first `tried` of them,
    at most 100,000, and undoes that. `lost` names what cannot come along.
    """

    table: str
    dry_run: bool
    steps: list[str]
    diff: list[str]
    lost: list[str]
    rows: int
    tried: int
    embedded: int
    confirm: Confirm = None


class BriefingTold(Told):
    """The text, about how many tokens it has (characters by four), and the version of the schema."""

    text: str
    tokens: int
    schema_: Annotated[str, Field(alias="schema")]
    version: int
