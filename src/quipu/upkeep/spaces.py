"""Spaces of a database, and how much each holds."""

from __future__ import annotations

from dataclasses import dataclass

from quipu.kernel.db import queries
from quipu.kernel.db.database import Database

_SQL = queries.load("quipu.upkeep")


@dataclass(frozen=True, slots=True)
class SpaceCounts:
    """A space: its name, how many memories can be recalled in it, and how many sessions it has."""

    name: str
    entries: int
    sessions: int


async def count(
    database: Database, *, after: str | None = None, limit: int | None = None
) -> list[SpaceCounts]:
    """Count what spaces hold, by name, each at one moment: all, or at most ``limit`` after a name.

    Only the owner of the database sees all names. The content of a space cannot be seen from outside, not
    even by the owner unless a superuser; so each is entered to count, a millisecond for each.
    """
    found: list[SpaceCounts] = []
    names = sorted(space.name for space in await database.spaces())
    for name in [one for one in names if after is None or one > after][:limit]:
        async with database.snapshot_read(name) as tx:
            if tx is None:  # it was forgotten meanwhile
                continue
            row = await (await tx.conn.execute(_SQL["count_sessions"], {"space": tx.space.id})).fetchone()
            assert row is not None
            found.append(SpaceCounts(name, tx.space.entries, row[0]))
    return found
