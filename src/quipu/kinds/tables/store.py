"""The queries of schemas and grants, one short function each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from quipu.kernel.db import queries
from quipu.kernel.db.database import Ask, Connection, Rows, SpaceTransaction, ask
from quipu.kinds.tables.model import Grant, Permission, StoredSchema

_SQL = queries.load("quipu.kinds.tables")


async def schemas(tx: SpaceTransaction) -> list[StoredSchema]:
    """Return the schemas of the space, the default first."""
    return await tx.fetch(StoredSchema, _SQL["schemas"])


class AskedSchema:
    """A schema, and what an agent may do in it: asked while its space is entered (``ask``), told then.

    What ``beside`` runs goes along.
    """

    def __init__(self, name: str, agent: str | None, *, beside: Ask | None = None) -> None:
        self._name = name
        self._agent = agent
        self._beside = beside
        self._rows: Rows | None = None

    async def ask(self, conn: Connection) -> None:
        """Ask in a pipeline."""
        self._rows = await ask(conn, _SQL["schema"], {"name": self._name, "agent": self._agent})
        if self._beside is not None:
            await self._beside(conn)

    async def found(self) -> tuple[StoredSchema, Permission | None] | None:
        """Return the schema of that name, and the agent's permission in it; None if there is none."""
        row = None if self._rows is None else await self._rows.fetchone()
        return None if row is None else _placed(row)


async def schema(
    tx: SpaceTransaction, name: str, agent: str | None
) -> tuple[StoredSchema, Permission | None] | None:
    """Return a schema and the agent's permission in a transaction that has entered the space."""
    row = await _row(tx, "schema", {"name": name, "agent": agent})
    return None if row is None else _placed(row)


def _placed(row: Sequence[Any]) -> tuple[StoredSchema, Permission | None]:
    names = ("id", "name", "schema_name", "description", "writer", "reader", "version")
    return StoredSchema(**dict(zip(names, row, strict=False))), cast("Permission | None", row[-1])


async def count_tables(tx: SpaceTransaction) -> int:
    """Count the tables that agents have made in the space."""
    row = await _row(tx, "count_tables", {})
    return 0 if row is None else row[0]


async def discard(tx: SpaceTransaction, schema_id: int) -> None:
    """Drop a schema with everything in it."""
    await tx.execute(_SQL["discard"], schema=schema_id)


async def describe(tx: SpaceTransaction, schema_id: int, description: str) -> None:
    """Say what a schema is for."""
    await tx.execute(_SQL["describe_schema"], schema=schema_id, description=description)


async def grants(tx: SpaceTransaction, schema_id: int | None) -> list[Grant]:
    """Return the permissions of agents."""
    return await tx.fetch(Grant, _SQL["grants"], schema=schema_id)


async def grant(tx: SpaceTransaction, schema_id: int, agent: str, permission: Permission) -> None:
    """Let an agent do this much from now on."""
    await tx.execute(_SQL["grant"], schema=schema_id, agent=agent, permission=permission)


async def revoke(tx: SpaceTransaction, schema_id: int, agent: str) -> bool:
    """Let an agent do nothing there from now on; False where it could do nothing before."""
    return await tx.execute(_SQL["revoke"], schema=schema_id, agent=agent) > 0


async def enter(conn: Connection, space: str) -> int | None:
    """Enter one space as the owner; return its number, or None if there is none."""
    row = await (await conn.execute(_SQL["enter"], {"name": space})).fetchone()
    return None if row is None else row[0]


async def is_there(conn: Connection, name: str) -> bool:
    """Return True if the entered space has a schema of that name; for the owner."""
    values = {"name": name, "agent": None}
    return await (await conn.execute(_SQL["schema"], values)).fetchone() is not None


async def found(conn: Connection, values: Mapping[str, object]) -> None:
    """Make a schema and its roles, as the owner."""
    await conn.execute(_SQL["found"], values)


async def hold_founding(conn: Connection, space: str) -> None:
    """Keep others from making a schema of the space until the transaction ends."""
    await conn.execute(_SQL["hold_founding"], {"name": space})


async def drop_discarded_roles(conn: Connection) -> None:
    """Drop the roles of schemas that are gone, as the owner."""
    await conn.execute(_SQL["drop_discarded_roles"])


async def passwords(conn: Connection, space_id: int, schema_id: int) -> tuple[str, str, bool] | None:
    """Return the passwords of writer and reader, and if they can take advisory locks; for the owner."""
    row = await (await conn.execute(_SQL["passwords"], {"space": space_id, "schema": schema_id})).fetchone()
    return cast("tuple[str, str, bool] | None", row)


async def set_passwords(conn: Connection, values: Mapping[str, object]) -> None:
    """Give both roles of a schema new passwords, as the owner."""
    await conn.execute(_SQL["set_passwords"], values)


async def keep_own(conn: Connection) -> None:
    """Keep the writer's tables within reach of upkeep, on the writer's connection."""
    await conn.execute(_SQL["keep_own"])


async def settle(conn: Connection) -> int | None:
    """Let registry and relations follow the structure, on the writer's connection; return its version."""
    row = await (await conn.execute(_SQL["settle"])).fetchone()
    return None if row is None else row[0]


async def _row(tx: SpaceTransaction, name: str, values: Mapping[str, object]) -> Sequence[Any] | None:
    cursor = await tx.run(_SQL[name], values)
    return await cursor.fetchone()
