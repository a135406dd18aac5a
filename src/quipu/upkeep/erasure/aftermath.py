"""After an erasure: tables are vacuumed, and a note says what is still on the disk, where, and until when."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from psycopg import sql

from quipu.kernel.db.database import Database
from quipu.upkeep.backup.model import Backups
from quipu.upkeep.erasure import store
from quipu.upkeep.erasure.chain import Entry, append
from quipu.upkeep.erasure.templates import fill
from quipu.upkeep.snapshots.model import Snapshot

PAGES = "freed, not overwritten: bytes may stay in free space of data files until it is written to again"
LOG = "changes stay in the write-ahead log until its segments are recycled, after the next checkpoints"
ELSEWHERE = "not seen from here: the log archive, base backups and replicas of a server of your own"
EXPORTS = "not known: dumps and files that were handed out are not recorded"


async def vacuum(database: Database, tables: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Vacuum tables; what is said of it. What other transactions still see stays until they end."""
    done: list[str] = []
    async with database.owner() as conn:
        waiting = await store.held_back(conn)
        for schema, table in sorted(set(tables)):
            await conn.execute(fill("vacuum", table=sql.Identifier(schema, table)))
            done.append("tables of agents" if schema.startswith("memory") else f"{schema}.{table}")
        position = await store.log_position(conn)
    return {
        "vacuumed": sorted(set(done)),
        "open_transactions": waiting,
        "pages": PAGES,
        "log": {"position": position, "says": LOG},
    }


def kept(snapshots: Sequence[Snapshot], backups: Backups | None) -> dict[str, Any]:
    """Copies that were made before and hold what was erased, with their digests, and what ends them."""
    found: dict[str, Any] = {
        "snapshots": [
            {
                "taken_at": one.taken_at.isoformat(),
                "sha256": one.sha256,
                "until": "the retention of snapshots is over, or it is deleted",
            }
            for one in snapshots
        ],
        "exports": EXPORTS,
    }
    if backups is None:
        return {**found, "backups": ELSEWHERE}
    bases = [{"name": one.name, "until": "it is removed (quipu backup base --keep)"} for one in backups.bases]
    archive = {"kept": backups.log.kept, "segments": backups.log.segments}
    return {**found, "backups": {"bases": bases, "archived_log": archive}}


async def note(
    database: Database, receipt: str, remains: Mapping[str, Any], *, space: str, now: datetime
) -> str | None:
    """Sign the note and keep it in the chain; its id."""
    facts = {"type": "remains", "of": receipt, **remains}
    async with database.space(space) as within:
        if within is None:
            return None
        (id_,) = await append(within, [Entry(facts=facts, of_receipt=receipt)], now=now)
    return id_
