"""The queries of settings, one short function each."""

from __future__ import annotations

from datetime import datetime

from psycopg.types.json import Jsonb

from quipu.kernel.db import queries
from quipu.kernel.db.database import Connection, SpaceTransaction
from quipu.upkeep.settings.model import SettingValue

_SQL = queries.load("quipu.upkeep.settings")


async def keep(conn: Connection, name: str, value: SettingValue | None, *, now: datetime) -> None:
    """Keep a value for the whole database; None forgets it."""
    if value is None:
        await conn.execute(_SQL["reset_for_all"], {"name": name})
        return
    await conn.execute(_SQL["set_for_all"], {"name": name, "value": Jsonb(value), "now": now})


async def keep_in_space(
    tx: SpaceTransaction, name: str, value: SettingValue | None, *, now: datetime
) -> None:
    """Keep a value for the space; None forgets it."""
    given = {"space": tx.space.id, "name": name}
    if value is None:
        await tx.conn.execute(_SQL["reset_for_space"], given)
        return
    await tx.conn.execute(_SQL["set_for_space"], {**given, "value": Jsonb(value), "now": now})
