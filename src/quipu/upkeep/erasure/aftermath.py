"""Work after an erasure: a vacuum, and a signed note on what is still on the disk and until when."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from quipu.kernel.db import queries
from quipu.kernel.db.database import Database
from quipu.upkeep.backup.model import Backups
from quipu.upkeep.erasure import forgotten
from quipu.upkeep.erasure.chain import ChainEntry, append
from quipu.upkeep.erasure.places import ARCHIVE, ASIDE, BASE, EXPORT, LOG, PAGES, SNAPSHOT
from quipu.upkeep.erasure.rewrite import log_position
from quipu.upkeep.exports import exports
from quipu.upkeep.exports.exports import Export
from quipu.upkeep.maintenance import Name, maintain
from quipu.upkeep.snapshots.model import Snapshot

_SQL = queries.load("quipu.upkeep.erasure")
ELSEWHERE: Final = "not seen from here: the log archive, base backups and replicas of a server of your own"


@dataclass(frozen=True, slots=True, kw_only=True)
class Copies:
    """Copies made before an erasure that hold erased data.

    ``backups`` is None for a separate server; ``aside`` are directories that restores put aside.
    """

    snapshots: Sequence[Snapshot]
    exports: Sequence[Export]
    backups: Backups | None
    aside: Sequence[str] = ()


async def vacuum(database: Database, tables: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Vacuum and analyse tables, and return the facts for a note.

    What other transactions still see stays until they end. Statistics hold some values of a table, so they
    are made again. A table that could not be vacuumed, or that somebody locks, is named.
    """
    touched = sorted(set(tables))
    async with database.owner() as conn:
        waiting = await conn.value(_SQL["held_back"])
    failed = await maintain(database, touched, "vacuum_unlocked")
    async with database.owner() as conn:
        position, segment = await log_position(conn)
    return {
        "vacuumed": _named(one for one in touched if one not in failed),
        "not_vacuumed": _named(failed),
        "open_transactions": waiting,
        "pages": f"freed, not overwritten: bytes may stay in free space of data files until {PAGES}",
        "log": {"position": position, "segment": segment, "until": LOG},
    }


def _named(tables: Iterable[Name]) -> list[str]:
    return sorted(
        {"tables of agents" if schema.startswith("memory") else f"{schema}.{name}" for schema, name in tables}
    )


def kept(copies: Copies) -> dict[str, Any]:
    """Return the earlier copies that hold erased data, with their digests, and what ends them."""
    facts: dict[str, Any] = {
        "snapshots": [
            {"taken_at": one.taken_at.isoformat(), "sha256": one.sha256, "until": SNAPSHOT}
            for one in copies.snapshots
        ],
        "exports": [
            {
                "id": one.id,
                "kind": one.kind,
                "sha256": one.sha256,
                "bytes": one.bytes,
                "written_at": one.written_at.isoformat(),
                "until": EXPORT,
            }
            for one in copies.exports
        ],
    }
    backups = copies.backups
    if backups is None:
        return {**facts, "backups": ELSEWHERE}
    bases = [{"name": name, "until": BASE} for name in backups.names]
    archive = {"kept": backups.log.kept, "segments": backups.log.segments, "until": ARCHIVE}
    aside = [{"name": name, "until": ASIDE} for name in copies.aside]
    return {**facts, "backups": {"bases": bases, "archived_log": archive, "aside": aside}}


async def exports_of(database: Database, space: forgotten.ErasedSpace) -> list[Export]:
    """Return the exports of a space, which may be gone."""
    async with forgotten.tx(database, space) as tx:
        return await exports.of_space(tx)


async def note(
    database: Database,
    receipt: str,
    remains: Mapping[str, Any],
    *,
    space: forgotten.ErasedSpace,
    now: datetime,
    type_: str = "remains",
) -> str:
    """Sign a note to a receipt, keep it in the chain, and return its id."""
    facts = {"type": type_, "of": receipt, **remains}
    async with forgotten.tx(database, space) as tx:
        (id_,) = await append(tx, [ChainEntry(facts=facts, of_receipt=receipt)], now=now)
    return id_
