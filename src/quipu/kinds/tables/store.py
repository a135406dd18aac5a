"""The queries of schemas and grants that several modules run."""

from __future__ import annotations

from quipu.kernel.db import queries
from quipu.kernel.db.database import Ask, Connection, Rows, SpaceTransaction, ask
from quipu.kinds.tables.model import Grant, Permission, StoredSchema

SQL = queries.load("quipu.kinds.tables")
_COLUMNS = ("id", "name", "schema_name", "description", "writer", "reader", "version", "permission")


async def schemas(tx: SpaceTransaction) -> list[StoredSchema]:
    """Return the schemas of the space, the default first."""
    return await tx.fetch(StoredSchema, SQL["schemas"])


async def schema(tx: SpaceTransaction, name: str, agent: str | None) -> StoredSchema | None:
    """Return a schema with the agent's permission in it; None if there is none of that name."""
    return await tx.fetch_one(StoredSchema, SQL["schema"], name=name, agent=agent)


class SchemaQuery:
    """The query for a schema and an agent's permission in it, sent while its space is entered.

    The queries of ``beside`` go along.
    """

    def __init__(self, name: str, agent: str | None, *, beside: Ask | None = None) -> None:
        self._values = {"name": name, "agent": agent}
        self._beside = beside
        self._rows: Rows | None = None

    async def ask(self, conn: Connection) -> None:
        """Send it, in a pipeline."""
        self._rows = await ask(conn, SQL["schema"], self._values)
        if self._beside is not None:
            await self._beside(conn)

    async def schema(self) -> StoredSchema | None:
        """Return the schema; None if there is none of that name."""
        row = None if self._rows is None else await self._rows.fetchone()
        return None if row is None else StoredSchema(**dict(zip(_COLUMNS, row, strict=True)))


async def discard(tx: SpaceTransaction, schema_id: int) -> None:
    """Drop a schema with everything in it."""
    await tx.execute(SQL["discard"], schema=schema_id)


async def grants(tx: SpaceTransaction, schema_id: int | None) -> list[Grant]:
    """Return the permissions of agents."""
    return await tx.fetch(Grant, SQL["grants"], schema=schema_id)


async def grant(tx: SpaceTransaction, schema_id: int, agent: str, permission: Permission) -> None:
    """Let an agent do this much from now on."""
    await tx.execute(SQL["grant"], schema=schema_id, agent=agent, permission=permission)


async def enter(conn: Connection, space: str) -> int | None:
    """Enter one space as the owner; return its number, or None if there is none."""
    row = await (await conn.execute(SQL["enter"], {"name": space})).fetchone()
    return None if row is None else row[0]
