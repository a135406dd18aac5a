"""The schemas of a space, and who may do what in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from typing_extensions import Doc

from quipu.errors import NotFound
from quipu.kernel.base.parameters import Example, OnlySchema, SchemaName, Space
from quipu.kernel.base.scope import check_name, one_of
from quipu.kernel.db.database import Database
from quipu.kinds.tables import catalogue, names, provision, store
from quipu.kinds.tables.access import Access, SchemaPlace
from quipu.kinds.tables.engine import Engine
from quipu.kinds.tables.model import PERMISSIONS, DroppedSchema, Grant, Permission, Schema
from quipu.kinds.tables.store import SQL

ItsName = Annotated[str, Doc("The short name of the schema."), Example("expedition")]
WhichAgent = Annotated[str, Doc("The name of the agent."), Example("scout")]


class AsyncSchemas:
    """Make and drop schemas, and grant agents rights in them. It is for people, not for agents."""

    _database: Database
    _engine: Engine
    _access: Access

    async def schemas(self, *, space: Space) -> Sequence[Schema]:
        """List the schemas of a space, the default first."""
        async with self._database.transaction(check_name("space", space)) as tx:
            return [] if tx is None else await tx.fetch(Schema, SQL["shown_schemas"])

    async def create_schema(
        self,
        name: ItsName,
        *,
        description: Annotated[
            str | None, Doc("The purpose of the schema."), Example("What the party knows.")
        ] = None,
        space: Space,
    ) -> Schema:
        """Make a schema with two login roles of its own, if it is not there yet.

        Raises:
            DatabaseUnsuitable: Our account may not make roles on this server.
        """
        place = SchemaPlace.of(space, name, None)
        if description is not None:
            description = self._engine.clean(description)
        await provision.create(self._database, place.space, place.schema, description)
        async with self._access.entered(place, "admin") as (tx, schema):
            if description is not None and description != schema.description:
                await tx.execute(SQL["describe_schema"], schema=schema.id, description=description)
        return next(one for one in await self.schemas(space=space) if one.name == place.schema)

    async def drop_schema(
        self,
        name: ItsName,
        *,
        confirm: Annotated[bool, Doc("Do it; without it, only show the tables that would go.")] = False,
        space: Space,
    ) -> DroppedSchema:
        """Drop a schema with everything in it, after a preview of what would go.

        It cannot be undone.

        Raises:
            NotFound: There is no such schema.
        """
        place = SchemaPlace.of(space, name, None)
        entered = self._database.erase if confirm else self._database.transaction
        async with entered(place.space) as tx:
            row = None if tx is None else await store.schema(tx, place.schema, None)
            if tx is None or row is None:
                raise NotFound(
                    f"There is no schema {place.schema!r}.", hint="The list of schemas shows them."
                )
            held = await catalogue.listing(tx, row, with_columns=False)
            if confirm:
                await store.discard(tx, row.id)
        tables = {one.name: one.rows for one in held.tables}
        return DroppedSchema(schema=place.schema, tables=tables)

    async def grants(self, *, schema: OnlySchema = None, space: Space) -> Sequence[Grant]:
        """List the rights of each agent, in one schema or in all of them."""
        name = None if schema is None else names.check_schema(schema)
        async with self._database.transaction(check_name("space", space)) as tx:
            if tx is None:
                return []
            granted = await store.grants(tx, None)
        return [one for one in granted if name is None or one.schema == name]

    async def grant(
        self,
        agent: WhichAgent,
        permission: Annotated[Permission, Doc("`read`, `write` (rows) or `admin` (structure and rows).")],
        *,
        schema: SchemaName = "memory",
        space: Space,
    ) -> Sequence[Grant]:
        """Let an agent read, write or administer a schema, from now on.

        Returns who may do what in that schema now.
        """
        one_of("permission", permission, PERMISSIONS)
        place = SchemaPlace.of(space, schema, None)
        async with self._access.entered(place, "admin", make=True) as (tx, row):
            await store.grant(tx, row.id, check_name("agent", agent), permission)
        return await self.grants(schema=schema, space=space)

    async def revoke(
        self, agent: WhichAgent, *, schema: SchemaName = "memory", space: Space
    ) -> Sequence[Grant]:
        """Let an agent do nothing in a schema, from now on.

        Returns who may still do what there.

        Raises:
            NotFound: There is no such schema, or the agent may do nothing there.
        """
        async with self._access.entered(SchemaPlace.of(space, schema, None), "admin") as (tx, row):
            agent = check_name("agent", agent)
            if not await tx.execute(SQL["revoke"], schema=row.id, agent=agent):
                raise NotFound(f"{agent!r} may do nothing in schema {schema!r}.")
        return await self.grants(schema=schema, space=space)
