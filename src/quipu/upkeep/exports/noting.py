"""Noting a file before it is handed out, so that none can be handed out that nobody knows of."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from hashlib import file_digest
from pathlib import Path
from uuid import uuid4

from anyio import to_thread

from quipu.errors import Conflict
from quipu.kernel.db.database import Database
from quipu.kernel.db.space import AsOf
from quipu.upkeep.exports import store
from quipu.upkeep.exports.model import Export, ExportKind


async def note(
    database: Database, made: Path, *, kind: ExportKind, spaces: Mapping[str, AsOf], now: datetime
) -> Export:
    """Note the file ``made`` as an export of spaces, under one id; call it before the file gets its name.

    ``spaces`` are named with when they were read. Where the process ends in between, a file is noted that was
    never handed out. An erasure that is not seen here sees the file among those that were noted.

    Raises:
        Conflict: something was forgotten in one of them since.
    """
    await _check(database, spaces)
    sha256, size = await to_thread.run_sync(_digest, made)
    export = Export(str(uuid4()), kind, sha256, size, now)
    for space in spaces:
        async with database.transaction(space) as tx:
            if tx is not None:
                await store.note(tx, export)
    await _check(database, spaces)
    return export


async def _check(database: Database, spaces: Mapping[str, AsOf]) -> None:
    for space, as_of in spaces.items():
        if not await database.is_as_of(space, as_of):
            raise Conflict(
                f"Something was forgotten in the space {space!r} while the file was written.",
                hint="Nothing was handed out. Say the same again.",
            )


def _digest(path: Path) -> tuple[str, int]:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest(), path.stat().st_size
