"""The queries of erasure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from psycopg.types.json import Jsonb

from quipu.kernel.db import queries
from quipu.kernel.db.database import Within

_SQL = queries.load("quipu.upkeep.erasure")


async def write_receipt(
    within: Within, hashes: Mapping[str, str | None], counts: Mapping[str, int], *, erased_at: datetime
) -> str:
    """Keep the proof; returns its id."""
    values = {"space": within.space.id, "counts": Jsonb(dict(counts)), "erased_at": erased_at}
    values |= {f"{name}_hash": hashed for name, hashed in hashes.items()}
    row = await (await within.conn.execute(_SQL["write_receipt"], values)).fetchone()
    assert row is not None
    return row[0]


async def remove_space(within: Within) -> None:
    """Remove the row of the space, which is empty by now."""
    await within.conn.execute(_SQL["remove_space"], {"space": within.space.id})
