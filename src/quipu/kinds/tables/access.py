"""Access to schemas: who may do what, looked up at every call."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from quipu.errors import BadInput, NotFound
from quipu.kernel.base.scope import check_name, optional_name
from quipu.kernel.db.database import Ask, Database, Space, SpaceTransaction
from quipu.kinds.tables import names, provision, store
from quipu.kinds.tables.model import PERMISSIONS, Permission, StoredSchema


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaPlace:
    """The space, schema and agent of a call; ``agent`` is None for the program itself."""

    space: str
    schema: str
    agent: str | None

    @classmethod
    def of(cls, space: object, schema: object, agent: object) -> SchemaPlace:
        """Return the place, checked.

        Raises:
            BadInput: one of the names is none.
        """
        return cls(
            space=check_name("space", space),
            schema=names.check_schema(schema),
            agent=optional_name("agent", agent),
        )


class Access:
    """Finds schemas for those who may use them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @asynccontextmanager
    async def entered(
        self, place: SchemaPlace, need: Permission, *, make: bool = False, ask: Ask | None = None
    ) -> AsyncGenerator[tuple[SpaceTransaction, StoredSchema]]:
        """Open a transaction of the space with the schema, for somebody who may do what is needed.

        The queries of ``ask`` go to the server in the round trip that looks for the schema.

        ``memory`` is made when it is first used; the agent that uses it first administers it. Another schema
        is made where ``make`` is set and no agent but the program itself asks.

        Raises:
            NotFound: there is no such schema.
            BadInput: the agent may not do that.
        """
        for made in (False, True):
            query = store.SchemaQuery(place.schema, place.agent, beside=ask)
            async with self._database.transaction(place.space, ask=query.ask) as tx:
                schema = _allowed(place, need, await query.schema())
                if tx is not None and schema is not None:
                    yield tx, schema
                    return
            if not made:
                await self._there(place, make=make)
        raise _gone(place)

    async def find(
        self, place: SchemaPlace, need: Permission, *, make: bool = False, ask: Ask | None = None
    ) -> tuple[Space, StoredSchema]:
        """Return the space and the schema without a transaction; ``ask`` may only read."""
        for made in (False, True):
            query = store.SchemaQuery(place.schema, place.agent, beside=ask)
            space = await self._database.ask(place.space, query.ask)
            schema = _allowed(place, need, await query.schema())
            if space is not None and schema is not None:
                return space, schema
            if not made:
                await self._there(place, make=make)
        raise _gone(place)

    async def schema(self, place: SchemaPlace, need: Permission, *, make: bool = False) -> StoredSchema:
        """Return the schema alone."""
        return (await self.find(place, need, make=make))[1]

    async def _there(self, place: SchemaPlace, *, make: bool) -> None:
        known: list[str] = []
        async with self._database.transaction(place.space) as tx:
            if tx is not None:
                if await store.schema(tx, place.schema, place.agent) is not None:
                    return
                known = [schema.name for schema in await store.schemas(tx)]
        if place.schema != names.DEFAULT and not (make and place.agent is None):
            raise NotFound(
                f"There is no schema {place.schema!r}.",
                hint=f"{names.nearest(place.schema, known)} Create it first.",
            )
        await provision.create(self._database, place.space, place.schema, None)
        if place.agent is not None:
            await self._first(place, place.agent)

    async def _first(self, place: SchemaPlace, agent: str) -> None:
        """Let the first agent that uses a schema administer it, unless somebody was named before."""
        async with self._database.erase(place.space) as tx:  # alone: two could be first otherwise
            row = None if tx is None else await store.schema(tx, place.schema, agent)
            if tx is not None and row is not None and not await store.grants(tx, row.id):
                await store.grant(tx, row.id, agent, "admin")


def _gone(place: SchemaPlace) -> NotFound:
    return NotFound(f"The schema {place.schema!r} is gone.", hint="It was dropped meanwhile.")


def _allowed(place: SchemaPlace, need: Permission, schema: StoredSchema | None) -> StoredSchema | None:
    """Return the schema, if there is one.

    Raises:
        BadInput: the agent may not use it so.
    """
    if schema is None or place.agent is None:
        return schema
    has = schema.permission
    if has is None or PERMISSIONS.index(has) < PERMISSIONS.index(need):
        may = f"may {has}" if has else "may do nothing"
        raise BadInput(
            f"{place.agent!r} {may} in schema {place.schema!r}; this needs {need!r}.",
            field="agent",
            hint=f"A person can grant {place.agent!r} the level {need} on the schema {place.schema}.",
        )
    return schema
