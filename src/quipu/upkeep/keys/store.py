"""The queries of keys, one short function each."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from psycopg.rows import class_row

from quipu.kernel.db import queries
from quipu.kernel.db.database import Connection, SpaceTransaction
from quipu.upkeep.keys.model import Issued, Key, Lock, sha256

_SQL = queries.load("quipu.upkeep.keys")


async def create(owner: Connection, issued: Issued) -> None:
    """Keep a new key, without its token."""
    key = issued.key
    values = {
        "id": key.id,
        "name": key.name,
        "space": key.space,
        "user": key.user,
        "level": key.level,
        "requests_per_minute": key.requests_per_minute,
        "token_sha256": sha256(issued.token),
        "created_at": key.created_at,
    }
    await owner.execute(_SQL["create"], values)


async def keys(owner: Connection, space: str | None) -> list[Key]:
    """Return the keys, newest first; those of one space if it is named."""
    async with owner.cursor(row_factory=class_row(Key)) as cursor:
        return await (await cursor.execute(_SQL["list"], {"space": space})).fetchall()


async def revoke(owner: Connection, key: str, *, space: str | None, at: datetime) -> Key | None:
    """End a key, now or before; None where there is no such key of the space."""
    async with owner.cursor(row_factory=class_row(Key)) as cursor:
        return await (await cursor.execute(_SQL["revoke"], {"id": key, "space": space, "at": at})).fetchone()


async def find(conn: Connection, key: str) -> Lock | None:
    """Return a key by its id, revoked or not."""
    row = await (await conn.execute(_SQL["find"], {"id": key})).fetchone()
    return None if row is None else Lock(Key(*row[:-1]), row[-1])


async def count(conn: Connection) -> int:
    """Count the keys that open anything."""
    row = await (await conn.execute(_SQL["count"])).fetchone()
    assert row is not None
    return row[0]


async def touch(conn: Connection, keys: Sequence[str], *, at: datetime) -> None:
    """Note when keys were last used."""
    await conn.execute(_SQL["touch"], {"ids": list(keys), "at": at})


async def count_of_space(tx: SpaceTransaction) -> int:
    """Count the keys of the space."""
    ((count,),) = await tx.rows(_SQL["count_of_space"])
    return count


async def drop_of_space(tx: SpaceTransaction) -> None:
    """Forget the keys of the space."""
    await tx.execute(_SQL["drop_of_space"])


async def count_of_person(tx: SpaceTransaction, user: str) -> int:
    """Count the keys of the space that are bound to a user."""
    ((count,),) = await tx.rows(_SQL["count_of_person"], user=user)
    return count


async def drop_of_person(tx: SpaceTransaction, user: str) -> None:
    """Forget the keys of the space that are bound to a user."""
    await tx.execute(_SQL["drop_of_person"], user=user)
