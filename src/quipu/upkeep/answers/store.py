"""The queries of kept answers, one short function each."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import datetime

from psycopg.types.json import Jsonb

from quipu.kernel.db import queries
from quipu.kernel.db.database import Connection, SpaceTransaction
from quipu.upkeep.answers.model import Asking, KeptAnswer

_SQL = queries.load("quipu.upkeep.answers")


def _values(tx: SpaceTransaction, asking: Asking) -> Mapping[str, object]:
    return {
        "space": tx.space.id,
        "caller": asking.caller,
        "key": hashlib.sha256(asking.key.encode()).digest(),
        "sha256": asking.sha256,
    }


async def begin(
    tx: SpaceTransaction, asking: Asking, *, now: datetime, expired: datetime, abandoned: datetime
) -> bool:
    """Take a request on; False where it is being done or was answered."""
    values = {**_values(tx, asking), "now": now, "expired": expired, "abandoned": abandoned}
    return await (await tx.conn.execute(_SQL["begin"], values)).fetchone() is not None


async def find(tx: SpaceTransaction, asking: Asking) -> tuple[bytes, KeptAnswer | None] | None:
    """Return the SHA-256 of the request that came under this key, and its answer if there is one yet."""
    row = await (await tx.conn.execute(_SQL["find"], _values(tx, asking))).fetchone()
    if row is None:
        return None
    sha256, status, headers, body = row
    return sha256, None if status is None else KeptAnswer(status, headers, body)


async def keep(tx: SpaceTransaction, asking: Asking, answer: KeptAnswer) -> None:
    """Keep an answer."""
    values = {
        **_values(tx, asking),
        "status": answer.status,
        "headers": Jsonb(dict(answer.headers)),
        "body": answer.body,
    }
    await tx.conn.execute(_SQL["keep"], values)


async def release(tx: SpaceTransaction, asking: Asking) -> None:
    """Give a request back that failed."""
    await tx.conn.execute(_SQL["release"], _values(tx, asking))


async def drop_old(conn: Connection, before: datetime) -> int:
    """Drop what was begun before, in every space; how many."""
    row = await (await conn.execute(_SQL["drop_old"], {"before": before})).fetchone()
    assert row is not None
    return row[0]


async def drop_of_space(tx: SpaceTransaction) -> None:
    """Drop all of the space."""
    await tx.conn.execute(_SQL["drop_of_space"], {"space": tx.space.id})
