"""Rewriting tables, so that the data files no longer hold what was taken out of them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import anyio
import psycopg

from quipu.errors import Conflict
from quipu.kernel.db import queries
from quipu.kernel.db.database import Connection, Database
from quipu.upkeep.erasure.everywhere import fill
from quipu.upkeep.maintenance import maintain

_SQL = queries.load("quipu.upkeep.erasure")
_BYTES_A_SECOND: Final = 20_000_000
_ARCHIVING_SECONDS: Final = 120.0
_ENDING_SECONDS: Final = 2.0
_PAUSE_SECONDS: Final = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewritten:
    """Outcome of rewriting the tables, or (``done`` is false) its preview.

    ``bytes`` is the size of the tables with their indices, ``seconds`` a rough guess of how long they are
    locked, one after the other. ``refused`` are tables that could not be rewritten, ``log_renewed``
    says whether the write-ahead log was written over, ``note`` is the id of the signed note.
    """

    done: bool
    tables: int
    bytes: int
    seconds: float
    refused: Sequence[str] = ()
    log_renewed: bool = False
    note: str | None = None

    @property
    def clean(self) -> bool:
        """True if every table was rewritten."""
        return self.done and not self.refused


@dataclass(frozen=True, slots=True)
class _Table:
    """A table that can be rewritten; ``file`` is the number of the file that keeps it now."""

    oid: int
    schema: str
    table: str
    bytes: int
    file: int


async def look(database: Database, schemas: Sequence[str]) -> Rewritten:
    """Preview it: our tables, the agents' tables of ``schemas``, and the statistics of all."""
    async with database.owner() as conn:
        tables = await conn.fetch(_Table, _SQL["rewritable"], schemas=list(schemas))
    size = sum(one.bytes for one in tables)
    return Rewritten(done=False, tables=len(tables), bytes=size, seconds=size / _BYTES_A_SECOND)


async def rewrite(database: Database, schemas: Sequence[str]) -> tuple[Rewritten, dict[str, Any]]:
    """Rewrite tables and log; return the outcome, and the facts for a signed note.

    Raises:
        Conflict: transactions are open that still see what was taken out: it would be copied.
    """
    async with database.owner() as conn:
        conn.endures = True
        await conn.set_autocommit(True)
        if waiting := await _looking_back(conn):
            raise Conflict(
                f"{waiting} transactions are open that may still see what was erased.",
                hint="Wait until they end, or end them (pg_stat_activity), and try again.",
            )
        tables = await conn.fetch(_Table, _SQL["rewritable"], schemas=list(schemas))
        failed = await maintain(database, [(one.schema, one.table) for one in tables], "vacuum_full")
        refused = [
            f"{one.schema}.{one.table}"
            for one in tables
            if (one.schema, one.table) in failed or await conn.value(_SQL["file_of"], oid=one.oid) == one.file
        ]
        position, segment = await log_position(conn)
        renewed = await _renewed(conn, segment)
    size = sum(one.bytes for one in tables)
    done = Rewritten(
        done=True,
        tables=len(tables),
        bytes=size,
        seconds=size / _BYTES_A_SECOND,
        refused=refused,
        log_renewed=renewed,
    )
    facts = {
        "clean": done.clean,
        "tables": len(tables),
        "refused": len(refused),
        "log": {"position": position, "segment": segment, "written_over": renewed},
    }
    return done, facts


async def _looking_back(conn: Connection) -> int:
    """Count the open transactions, after a moment in which short ones can end."""
    end = time.monotonic() + _ENDING_SECONDS
    while time.monotonic() < end:
        if not await conn.value(_SQL["looking_back"]):
            return 0
        await anyio.sleep(_PAUSE_SECONDS)
    return await conn.value(_SQL["looking_back"])


async def _renewed(conn: Connection, segment: str) -> bool:
    """Write over the log up to a segment; return False if that cannot be done here.

    Once the segment is closed, archived and behind a checkpoint, it and those before it are recycled: they
    wait with their old bytes until they are written to again. So each is filled and closed once; a segment
    that is closed early is filled with zeros. It cannot be done if this user lacks the right, or if segments
    are kept for a replica or for an archive that does not take them.
    """
    try:
        await conn.execute(_SQL["close_segment"])
        await _archived(conn, segment)
        await conn.execute(fill("checkpoint"))
        kept = await log_segments(conn)
        for _ in range(len(kept) + 1):
            await conn.execute(_SQL["close_segment"])
    except psycopg.errors.InsufficientPrivilege:
        return False
    return all(name[8:24] > segment[8:24] for name in kept)


async def _archived(conn: Connection, segment: str) -> None:
    """Wait until a segment is archived, for as long as an archive that works may take."""
    until = time.monotonic() + _ARCHIVING_SECONDS
    while time.monotonic() < until:
        if await conn.value(_SQL["is_archived"], segment=segment):
            return
        await anyio.sleep(_PAUSE_SECONDS)


async def log_position(conn: Connection) -> tuple[str, str]:
    """Return the position of the write-ahead log, and its segment."""
    position = await (await conn.execute(_SQL["log_position"])).fetchone()
    assert position is not None
    return position[0], position[1]


async def log_segments(conn: Connection) -> list[str]:
    """Return the segments of the write-ahead log, as the server lists them."""
    return [name for (name,) in await (await conn.execute(_SQL["log_segments"])).fetchall()]
