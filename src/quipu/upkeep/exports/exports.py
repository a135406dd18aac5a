"""Noting a file before it is handed out, so that none can be handed out that nobody knows of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from hashlib import file_digest
from pathlib import Path
from typing import Literal
from uuid import uuid4

from anyio import to_thread

from quipu.errors import Conflict
from quipu.kernel.db import queries
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kernel.db.space import AsOf

ExportKind = Literal["tables", "longterm", "transcripts", "archive"]

_SQL = queries.load("quipu.upkeep.exports")


@dataclass(frozen=True, slots=True)
class Export:
    """A file that was handed out: ``sha256`` and ``bytes`` are those of the file as it was written."""

    id: str
    kind: ExportKind
    sha256: str
    bytes: int
    written_at: datetime


async def note(
    database: Database, made: Path, *, kind: ExportKind, spaces: Mapping[str, AsOf], now: datetime
) -> Export:
    """Note the file ``made`` as an export of spaces, under one id; call it before the file gets its name.

    ``spaces`` maps each name to the state in which the space was read. If the process ends in between, a file
    is noted that was never handed out. An erasure that starts too late to be seen here sees the note instead.

    Raises:
        Conflict: something was forgotten in one of them since.
    """
    await _check(database, spaces)
    sha256, size = await to_thread.run_sync(_digest, made)
    export = Export(str(uuid4()), kind, sha256, size, now)
    for space in spaces:
        async with database.transaction(space) as tx:
            if tx is not None:
                await tx.execute(_SQL["note_export"], **asdict(export))
    await _check(database, spaces)
    return export


async def of_space(tx: SpaceTransaction) -> list[Export]:
    """Return every export of a space, oldest first."""
    return await tx.fetch(Export, _SQL["exports_of_space"])


async def _check(database: Database, spaces: Mapping[str, AsOf]) -> None:
    for space, as_of in spaces.items():
        if not await database.is_as_of(space, as_of):
            raise Conflict(
                f"Something was forgotten in the space {space!r} while the file was written.",
                hint="Nothing was handed out. Try again.",
            )


def _digest(path: Path) -> tuple[str, int]:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest(), path.stat().st_size
