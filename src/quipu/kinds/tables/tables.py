"""Tables that an agent designs itself, as a program sees them: ``memory.tables``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from quipu.errors import BadInput, NotFound
from quipu.kernel.base.scope import check_name
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.kinds.tables import asking, catalogue, data, ddl, founding, names, store, tools
from quipu.kinds.tables.access import Access, Place
from quipu.kinds.tables.briefing import Briefing, briefing
from quipu.kinds.tables.browsing.browsing import AsyncBrowsing
from quipu.kinds.tables.engine import Engine, Follow
from quipu.kinds.tables.logins import Logins
from quipu.kinds.tables.model import PERMISSIONS, Changed, Done, Grant, Listing, Permission, Schema, Selected
from quipu.kinds.tables.recreate import Recreated, recreate
from quipu.recall.generations import Models

Data = Mapping[str, Any] | Sequence[Mapping[str, Any]]
Where = Mapping[str, Any] | str


class AsyncTables(AsyncBrowsing):
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
        self._briefings: dict[Place, tuple[Schema, Briefing]] = {}

    async def create_table(
        self,
        name: str,
        sql: str,
        *,
        description: str,
        embed_fields: Sequence[str] | str,
        column_descriptions: Mapping[str, str] | None = None,
        space: str,
        schema: str = "memory",
        agent: str | None = None,
    ) -> Done:
        """Make the table that ``sql`` (one CREATE TABLE) defines, and register what it is for.

        ``embed_fields`` are the columns to be found by meaning; an empty list if none. In one transaction.

        Raises:
            BadInput: the statement is refused, makes another table, or a column that is named is not there.
        """
        return await ddl.create_table(
            self._engine,
            Place.of(space, schema, agent),
            name,
            sql,
            description=description,
            embed_fields=embed_fields,
            column_descriptions=column_descriptions,
        )

    async def execute(
        self,
        sql: str,
        *,
        dry_run: bool = False,
        lossless: bool = False,
        as_tried: Done | None = None,
        space: str,
        schema: str = "memory",
        agent: str | None = None,
    ) -> Done:
        """Run one other statement: CREATE INDEX, DROP TABLE, INSERT ... SELECT.

        ``dry_run`` tries it and undoes it; ``Done.lost`` says what it would take away: rows that are deleted
        or changed, objects that go or are replaced, found by comparing what there is before and after.
        ``lossless`` does it if nothing is lost and otherwise undoes it (``Done.undone``). ``as_tried`` is
        what either returned: it is done if exactly that is lost.

        Raises:
            Outdated: something else than ``as_tried`` would be lost by now.
            BadInput: it is refused. ALTER TABLE is answered with the call of ``recreate`` that replaces it.
        """
        place = Place.of(space, schema, agent)
        return await ddl.execute(
            self._engine, place, sql, dry_run=dry_run, lossless=lossless, as_tried=as_tried
        )

    async def list_tables(
        self,
        *,
        table: str | None = None,
        show_columns: bool = True,
        space: str,
        schema: str = "memory",
        agent: str | None = None,
    ) -> Listing:
        """The tables with columns, descriptions and row estimates, and which extensions there are.

        Raises:
            NotFound: there is no such table.
        """
        async with self._access.entered(Place.of(space, schema, agent), "read") as (within, found):
            name = None if table is None else names.check_table(table, schema=found.schema_name)
            return await catalogue.listing(within, found, table=name, with_columns=show_columns)

    async def query(
        self,
        sql: str,
        *,
        search_text: str | None = None,
        limit: int | None = None,
        space: str,
        schema: str = "memory",
        agent: str | None = None,
    ) -> Selected:
        """The rows of one SELECT, at most ``limit`` (50; up to 1,000) and 1 MB, within
        ``QUIPU_STATEMENT_SECONDS``.

        ``:search_embedding`` in the query stands for the vector of ``search_text``.

        Raises:
            BadInput: it is refused.
            DatabaseError: it took too long.
        """
        place = Place.of(space, schema, agent)
        return await asking.query(
            self._engine, self._models, place, sql, search_text=search_text, limit=limit
        )

    async def insert(
        self,
        table: str,
        data: Data,
        *,
        lossless: bool = False,
        as_tried: Changed | None = None,
        space: str,
        schema: str = "memory",
        agent: str | None = None,
    ) -> Changed:
        """Insert a row, or up to 10,000 of them (all or none); embedded fields are embedded.

        ``lossless`` undoes it if it takes anything away, as a trigger may: ``Changed.lost`` says what.
        ``as_tried`` as for `execute`.

        Raises:
            Outdated: something else than ``as_tried`` would be taken away by now.
            BadInput: a column or a value does not fit; names it.
            Conflict: a row with that key is there.
            NotFound: there is no such table.
        """
        place = Place.of(space, schema, agent)
        return await _insert(self._engine, place, table, data, lossless=lossless, as_tried=as_tried)

    async def update(
        self,
        table: str,
        data: Mapping[str, Any],
        *,
        where: Where,
        dry_run: bool = False,
        lossless: bool = False,
        as_tried: Changed | None = None,
        space: str,
        schema: str = "memory",
        agent: str | None = None,
    ) -> Changed:
        """Change the rows that satisfy ``where``: ``{"id": 5}``, ``{"age": {">": 30}}``, or SQL.

        A column ``updated_at`` follows by itself. ``dry_run`` tries it and undoes it: how many rows it would
        be, the keys of the first 20, and in ``Changed.lost`` what it takes away elsewhere, by a trigger, a
        cascade or a function. ``lossless`` undoes it if that is anything. ``as_tried`` as for
        `execute`.

        Raises:
            Outdated: it would change other rows than ``as_tried``, or take other away.
            BadInput: a column or a value does not fit; names it.
            NotFound: there is no such table.
        """
        place = Place.of(space, schema, agent)
        return await _update(
            self._engine,
            place,
            table,
            data,
            where,
            dry_run=dry_run,
            lossless=lossless,
            as_tried=as_tried,
        )

    async def delete(
        self,
        table: str,
        *,
        where: Where,
        dry_run: bool = False,
        lossless: bool = False,
        as_tried: Changed | None = None,
        space: str,
        schema: str = "memory",
        agent: str | None = None,
    ) -> Changed:
        """Delete the rows that satisfy ``where``; their vectors go with them.

        ``dry_run`` tries it and undoes it: how many rows would go, the keys of the first 20, and in
        ``Changed.lost`` what goes along elsewhere. ``lossless`` undoes it if any row goes. ``as_tried`` as
        for `execute`: rows are known by their keys.

        Raises:
            Outdated: other rows than ``as_tried`` would go, or take other along.
            BadInput: ``where`` says nothing, or what there is not.
            NotFound: there is no such table.
        """
        place = Place.of(space, schema, agent)
        return await _delete(
            self._engine, place, table, where, dry_run=dry_run, lossless=lossless, as_tried=as_tried
        )

    async def recreate(
        self,
        table: str,
        sql: str,
        *,
        mapping: Mapping[str, str] | None = None,
        embed_fields: Sequence[str] | str | None = None,
        description: str | None = None,
        column_descriptions: Mapping[str, str] | None = None,
        dry_run: bool = False,
        as_tried: Recreated | None = None,
        space: str,
        schema: str = "memory",
        agent: str | None = None,
    ) -> Recreated:
        """Make a table anew as ``sql`` (one CREATE TABLE of the same name) defines it, in one transaction.

        Rows come along by column; ``mapping`` names new columns that were called otherwise (``{"new":
        "old"}``), and what hangs on them follows. Vectors, registry, indexes, views, references of other
        tables, triggers, rules, policies, rights, statistics and comments come along where they can; ``lost``
        names what cannot. ``dry_run`` tries it with the first 100,000 rows and undoes it; ``as_tried`` is
        what that returned: it is done if it differs in nothing else and loses nothing else.

        Raises:
            Outdated: it would differ otherwise, or lose other than ``as_tried``.
            BadInput: the statement is refused, rows do not fit the new definition, or something else depends
                on the table (a partition, an heir, a function, a column of its row type); it is named.
        """
        return await recreate(
            self._engine,
            Place.of(space, schema, agent),
            table,
            sql,
            mapping=mapping,
            embed_fields=embed_fields,
            description=description,
            column_descriptions=column_descriptions,
            dry_run=dry_run,
            as_tried=as_tried,
        )

    async def prompt(self, *, space: str, schema: str = "memory", agent: str | None = None) -> Briefing:
        """The part of a system prompt about the schema, its tools and tables, with a token estimate.

        It is kept until the structure changes.
        """
        place = Place.of(space, schema, agent)
        async with self._access.entered(place, "read") as (within, found):
            of, kept = self._briefings.get(place, (None, None))
            if kept is None or of != found:  # a schema that was dropped and made anew has another id
                kept = briefing(await catalogue.listing(within, found), version=found.version)
                self._briefings[place] = (found, kept)
        return kept

    async def call(
        self,
        tool: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        space: str,
        schema: str = "memory",
        agent: str | None = None,
    ) -> tools.Envelope:
        """Call a tool by the name of the seed (``memory:schema:create-table``; underscores do as well).

        Returns ``{"output": …, "is_error": …}``; what goes wrong is told in there and not raised.
        """
        return await tools.call(
            self, tool, {} if arguments is None else arguments, space=space, schema=schema, agent=agent
        )

    async def schemas(self, *, space: str) -> list[Schema]:
        """The schemas of a space, the default first."""
        async with self._database.space(check_name("space", space)) as within:
            return [] if within is None else await store.schemas(within)

    async def create_schema(self, name: str, *, description: str | None = None, space: str) -> Schema:
        """The schema of that short name, made with its two login roles if it is not there yet.

        Raises:
            DatabaseUnsuitable: our account may not make roles on this server.
        """
        place = Place.of(space, name, None)
        if description is not None:
            description = self._engine.clean(description)
        await founding.found(self._database, place.space, place.schema, description)
        async with self._access.entered(place, "admin") as (within, schema):
            if description is not None and description != schema.description:
                await store.describe(within, schema.id, description)
        return await self._access.schema(place, "admin")

    async def drop_schema(self, name: str, *, space: str) -> bool:
        """Drop a schema with everything in it; False if there is none. It cannot be undone."""
        place = Place.of(space, name, None)
        async with self._database.erasing(place.space) as within:
            found = None if within is None else await store.schema(within, place.schema, None)
            if within is None or found is None:
                return False
            await store.discard(within, found[0].id)
        return True

    async def grants(self, *, schema: str | None = None, space: str) -> list[Grant]:
        """Which agent may do what, in one schema or in all of them."""
        name = None if schema is None else names.check_schema(schema)
        async with self._database.space(check_name("space", space)) as within:
            if within is None:
                return []
            granted = await store.grants(within, None)
        return [one for one in granted if name is None or one.schema == name]

    async def grant(self, agent: str, permission: Permission, *, schema: str = "memory", space: str) -> None:
        """Let an agent ``read``, ``write`` (rows) or ``admin`` (structure and rows) a schema from now on."""
        if cast(object, permission) not in PERMISSIONS:
            raise BadInput(f"{permission!r} is none of {', '.join(PERMISSIONS)}.", field="permission")
        place = Place.of(space, schema, None)
        async with self._access.entered(place, "admin", make=True) as (within, found):
            await store.grant(within, found.id, check_name("agent", agent), permission)

    async def revoke(self, agent: str, *, schema: str = "memory", space: str) -> None:
        """Let an agent do nothing in a schema from now on.

        Raises:
            NotFound: it could do nothing there.
        """
        async with self._access.entered(Place.of(space, schema, None), "admin") as (within, found):
            if not await store.revoke(within, found.id, check_name("agent", agent)):
                raise NotFound(f"{agent!r} may do nothing in schema {schema!r}.")


_insert, _update, _delete = data.insert, data.update, data.delete
