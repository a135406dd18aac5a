"""Tables that an agent designs itself, as a program sees them: ``memory.tables``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from annotated_types import Interval
from typing_extensions import Doc

from quipu.kernel.base.parameters import Agent, Example, SchemaName, Space
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.kinds.tables import catalogue, ddl, names, tools
from quipu.kinds.tables import data as row_data
from quipu.kinds.tables.access import Access, SchemaPlace
from quipu.kinds.tables.browse.browse import AsyncBrowsing, TableName
from quipu.kinds.tables.engine import Engine, Follow
from quipu.kinds.tables.logins import Logins
from quipu.kinds.tables.model import Changed, Done, Listing, Selected, StoredSchema
from quipu.kinds.tables.recreate import Recreated, recreate
from quipu.kinds.tables.schemas import AsyncSchemas
from quipu.kinds.tables.select import select
from quipu.kinds.tables.system_prompt import Briefing, briefing
from quipu.recall.generations import Models

Data = Mapping[str, Any] | Sequence[Mapping[str, Any]]
Where = Mapping[str, Any] | str

Rows = Annotated[
    Data,
    Doc("A row, column to value, or a list of up to 10,000 of them."),
    Example({"name": "Thorin", "age": 195}),
]
Values = Annotated[Mapping[str, Any], Doc("Column to new value."), Example({"age": 196})]
WhichRows = Annotated[
    Where, Doc('Which rows: `{"id": 5}`, `{"age": {">": 30}}`, or a condition in SQL.'), Example({"id": 5})
]
ShowFirst = Annotated[bool, Doc("Show it first even where it takes nothing away.")]
Definition = Annotated[
    str,
    Doc("One CREATE TABLE."),
    Example("create table dwarves (id int generated always as identity primary key, name text)"),
]
Descriptions = Annotated[
    Mapping[str, str] | None,
    Doc("The meaning of each column: column to text."),
    Example({"age": "In years."}),
]


class AsyncTables(AsyncBrowsing, AsyncSchemas):
    """Tables in schemas of PostgreSQL that belong to agents: made, filled and asked in SQL.

    Every call names the ``space``; ``schema`` is ``memory`` or the short name of another one. ``agent`` names
    who asks: it may do what was granted to it there, and whoever uses ``memory`` first administers it.
    Without an agent it is the program itself, which may do everything. What an agent sends runs on logins of
    its schema, which reach nothing else.
    """

    def __init__(
        self,
        database: Database,
        models: Models,
        logins: Logins,
        *,
        settings: Settings,
        follow: Follow | None = None,
    ) -> None:
        self._database = database
        self._models = models
        self._access = Access(database)
        self._engine = Engine(
            database=database,
            logins=logins,
            access=self._access,
            models=models,
            settings=settings,
            follow=follow,
        )
        self._briefings: dict[SchemaPlace, tuple[StoredSchema, Briefing]] = {}

    async def create_table(
        self,
        name: Annotated[str, Doc("The name of the table."), Example("dwarves")],
        sql: Definition,
        *,
        description: Annotated[str, Doc("The purpose of the table."), Example("Who goes along.")],
        embed_fields: Annotated[
            Sequence[str] | str,
            Doc("The columns to be found by meaning; empty if there are none."),
            Example(["name"]),
        ],
        column_descriptions: Descriptions = None,
        space: Space,
        schema: SchemaName = "memory",
        agent: Agent = None,
    ) -> Done:
        """Make a table, and register what it is for.

        Both are done in one transaction.

        Raises:
            BadInput: The statement is refused, makes another table, or names a column that is not there.
            NotFound: There is no such schema.
        """
        return await ddl.create_table(
            self._engine,
            SchemaPlace.of(space, schema, agent),
            name,
            sql,
            description=description,
            embed_fields=embed_fields,
            column_descriptions=column_descriptions,
        )

    async def execute(
        self,
        sql: Annotated[
            str, Doc("One statement that is no CREATE TABLE."), Example("create index on dwarves (name)")
        ],
        *,
        confirm: Annotated[
            bool | Done, Doc("Do it whatever it takes away, or exactly as this preview shows it.")
        ] = False,
        show_first: ShowFirst = False,
        space: Space,
        schema: SchemaName = "memory",
        agent: Agent = None,
    ) -> Done:
        """Run one other statement, such as CREATE INDEX, DROP TABLE or INSERT with a SELECT.

        What takes nothing away is done at once. Where rows are deleted or changed, or objects go or are
        replaced, it is undone: `undone` is true, `lost` says what that is, and it needs to be confirmed.
        This is found by comparing what there is before and after.

        Raises:
            BadInput: It is refused. ALTER TABLE is answered with the call of `recreate` that replaces it.
            NotFound: There is no such schema.
            Conflict: A row with that key, or that table, is there.
            Outdated: Something else than the preview shows would be lost by now.
        """
        place = SchemaPlace.of(space, schema, agent)
        return await ddl.execute(self._engine, place, sql, confirm=confirm, show_first=show_first)

    async def list(
        self,
        *,
        table: Annotated[str | None, Doc("Only this table."), Example("dwarves")] = None,
        show_columns: Annotated[bool, Doc("With their columns.")] = True,
        space: Space,
        schema: SchemaName = "memory",
        agent: Agent = None,
    ) -> Listing:
        """List the tables of a schema.

        With columns, descriptions and row estimates, and which extensions there are.

        Raises:
            NotFound: There is no such schema or table.
        """
        async with self._access.entered(SchemaPlace.of(space, schema, agent), "read") as (tx, row):
            name = None if table is None else names.check_table(table, schema=row.name)
            return await catalogue.listing(tx, row, table=name, with_columns=show_columns)

    async def query(
        self,
        sql: Annotated[str, Doc("One SELECT."), Example("select name from dwarves order by age desc")],
        *,
        search_text: Annotated[
            str | None,
            Doc("The text to look for by meaning: its vector is `:search_embedding` in the query."),
            Example("an old warrior"),
        ] = None,
        limit: Annotated[
            int | None, Doc("The most rows to return; 50, if not given."), Interval(ge=1, le=1_000)
        ] = None,
        space: Space,
        schema: SchemaName = "memory",
        agent: Agent = None,
    ) -> Selected:
        """Ask in SQL.

        The query can only read. It returns at most 1 MB, and takes no longer than `QUIPU_STATEMENT_SECONDS`.

        Raises:
            BadInput: The query is refused.
            DatabaseError: It took too long.
            NotFound: There is no such schema or table.
        """
        place = SchemaPlace.of(space, schema, agent)
        return await select(self._engine, self._models, place, sql, search_text=search_text, limit=limit)

    async def insert(
        self,
        table: TableName,
        data: Rows,
        *,
        confirm: Annotated[
            bool | Changed,
            Doc(
                "If false, what takes something away elsewhere, as a trigger may, is only shown; "
                "a preview is done exactly as it shows it."
            ),
        ] = True,
        space: Space,
        schema: SchemaName = "memory",
        agent: Agent = None,
    ) -> Changed:
        """Insert a row, or several: all or none.

        Embedded fields are embedded. An insert takes nothing away by itself; a trigger of the table may.

        Raises:
            BadInput: A column or a value does not fit; it is named.
            Conflict: A row with that key is there.
            NotFound: There is no such schema or table.
            Outdated: Something else than the preview shows would be taken away by now.
        """
        place = SchemaPlace.of(space, schema, agent)
        return await row_data.insert(self._engine, place, table, data, confirm=confirm)

    async def update(
        self,
        table: TableName,
        data: Values,
        *,
        where: WhichRows,
        confirm: Annotated[
            bool | Changed,
            Doc("Do it whatever it takes away elsewhere, or exactly as this preview shows it."),
        ] = False,
        show_first: ShowFirst = False,
        space: Space,
        schema: SchemaName = "memory",
        agent: Agent = None,
    ) -> Changed:
        """Change rows.

        A column `updated_at` follows by itself. What takes something away elsewhere, by a trigger, a cascade
        or a function, is undone: `undone` is true, `lost` says what that is, and it needs to be confirmed.

        Raises:
            BadInput: A column or a value does not fit; it is named.
            Conflict: A row with that key is there.
            NotFound: There is no such schema or table.
            Outdated: It would change other rows than the preview shows, or take other away.
        """
        place = SchemaPlace.of(space, schema, agent)
        return await row_data.update(
            self._engine, place, table, data, where, confirm=confirm, show_first=show_first
        )

    async def delete(
        self,
        table: TableName,
        *,
        where: WhichRows,
        confirm: Annotated[
            bool | Changed, Doc("Do it, or do exactly what this preview shows; without it, only show it.")
        ] = False,
        space: Space,
        schema: SchemaName = "memory",
        agent: Agent = None,
    ) -> Changed:
        """Delete rows, after a preview of which would go.

        Their vectors go with them. A preview tries it and undoes it: how many rows would go, the keys of the
        first 20, and in `lost` what goes along elsewhere.

        Raises:
            BadInput: `where` says nothing, or names what there is not.
            Conflict: Another row refers to one of them.
            NotFound: There is no such schema or table.
            Outdated: Other rows than the preview shows would go, or take other along.
        """
        place = SchemaPlace.of(space, schema, agent)
        return await row_data.delete(self._engine, place, table, where, confirm=confirm)

    async def recreate(
        self,
        table: TableName,
        sql: Annotated[
            str,
            Doc("One CREATE TABLE of the same name: the whole new definition."),
            Example("create table dwarves (id int, name text, age int)"),
        ],
        *,
        mapping: Annotated[
            Mapping[str, str] | None,
            Doc("New column to old one, where the name differs."),
            Example({"years": "age"}),
        ] = None,
        embed_fields: Annotated[
            Sequence[str] | str | None, Doc("The columns to be found by meaning; as before, if not given.")
        ] = None,
        description: Annotated[str | None, Doc("The purpose of the table; as before, if not given.")] = None,
        column_descriptions: Descriptions = None,
        confirm: Annotated[
            bool | Recreated,
            Doc("Do it, or do exactly what this plan shows; without it, only show the plan."),
        ] = False,
        space: Space,
        schema: SchemaName = "memory",
        agent: Agent = None,
    ) -> Recreated:
        """Recreate a table with another definition, after a preview of what would differ.

        It is one transaction. Rows come along by column, and what hangs on a column follows its new name.
        Vectors, registry, indexes, views, references of other tables, triggers, rules, policies, rights,
        statistics and comments come along where they can; `lost` names what cannot. The plan is tried with
        the first 100,000 rows, and undone.

        Raises:
            BadInput: The statement is refused, rows do not fit the new definition, or something else depends
                on the table (a partition, an heir, a function, a column of its row type); it is named.
            NotFound: There is no such schema or table.
            Conflict: A row with that key is there twice.
            Outdated: It would differ otherwise, or lose other than the plan shows.
        """
        return await recreate(
            self._engine,
            SchemaPlace.of(space, schema, agent),
            table,
            sql,
            mapping=mapping,
            embed_fields=embed_fields,
            description=description,
            column_descriptions=column_descriptions,
            confirm=confirm,
        )

    async def prompt(self, *, space: Space, schema: SchemaName = "memory", agent: Agent = None) -> Briefing:
        """Show the part of a system prompt about a schema, its tools and tables.

        With an estimate of its tokens. It is kept until the structure changes.

        Raises:
            NotFound: There is no such schema.
        """
        place = SchemaPlace.of(space, schema, agent)
        async with self._access.entered(place, "read") as (tx, row):
            of, kept = self._briefings.get(place, (None, None))
            if kept is None or of != row:  # a schema that was dropped and recreated has another id
                kept = briefing(await catalogue.listing(tx, row), version=row.version)
                self._briefings[place] = (row, kept)
        return kept

    async def call(
        self,
        tool: Annotated[
            str, Doc("The name of the tool; underscores do as well."), Example("memory:schema:create-table")
        ],
        arguments: Annotated[
            Mapping[str, Any] | None, Doc("The arguments that a model hands to the tool.")
        ] = None,
        *,
        space: Space,
        schema: SchemaName = "memory",
        agent: Agent = None,
    ) -> tools.Envelope:
        """Call a tool as a model does, by its name.

        Returns `{"output": …, "is_error": …}`; what goes wrong is told in there and not raised. A tool does
        what it is told at once, unless it is told `dry_run`: whoever runs it asks its user.
        """
        return await tools.call(
            self, tool, {} if arguments is None else arguments, space=space, schema=schema, agent=agent
        )
