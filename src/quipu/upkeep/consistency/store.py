"""The queries of the examination."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from psycopg.rows import dict_row

from quipu.kernel.db import queries
from quipu.kernel.db.arrays import halfvecs
from quipu.kernel.db.database import SpaceTransaction
from quipu.upkeep.consistency.heritage import Kept

_SQL = queries.load("quipu.upkeep.consistency")
_HERITAGE: Final = "heritage"

RULES: Final = tuple(name for name in _SQL if name != _HERITAGE)
"""Each is a query that returns what breaks it."""


async def broken(tx: SpaceTransaction) -> dict[str, list[str]]:
    """Return the ids or names that break each rule, asked in one round trip to the server."""
    async with tx.conn.pipeline():
        answers = {rule: await tx.run(_SQL[rule], {}) for rule in RULES}
    return {rule: [row[0] for row in await answer.fetchall()] for rule, answer in answers.items()}


async def heritage(tx: SpaceTransaction, *, after: int, limit: int) -> list[Kept]:
    """Return the next entries beyond ``after``, in the order of their ids."""
    values = {"space": tx.space.id, "after": after, "limit": limit}
    async with tx.conn.cursor(row_factory=dict_row) as cursor:
        rows = await (await cursor.execute(_SQL[_HERITAGE], values, binary=True)).fetchall()
    return [_kept(row) for row in rows]


def _kept(row: dict[str, Any]) -> Kept:
    row["own"], row["context"] = halfvecs(row["own"])[0], halfvecs(row["context"])[0]
    row["bits"] = _signs(row["bits"])
    return Kept(**row)


def _signs(sent: bytes) -> NDArray[np.bool_]:
    """Decode bits as PostgreSQL sends them: their number in four bytes, then eight to a byte."""
    return np.unpackbits(np.frombuffer(sent, dtype=np.uint8, offset=4)).astype(bool)
