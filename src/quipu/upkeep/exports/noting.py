"""Noting a file before it is handed out, so that none can be handed out that nobody knows of."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from hashlib import file_digest
from pathlib import Path
from uuid import uuid4

from anyio import to_thread

from quipu.kernel.db.database import Database
from quipu.upkeep.exports import store
from quipu.upkeep.exports.model import Export, ExportKind


async def note(
    database: Database, made: Path, *, kind: ExportKind, spaces: Iterable[str], now: datetime
) -> Export:
    """Note the file ``made`` as an export of spaces, under one id; call it before the file gets its name.

    Where the process ends in between, a file is noted that was never handed out.
    """
    sha256, size = await to_thread.run_sync(_digest, made)
    export = Export(str(uuid4()), kind, sha256, size, now)
    for space in spaces:
        async with database.space(space) as within:
            if within is not None:
                await store.note(within, export)
    return export


def _digest(path: Path) -> tuple[str, int]:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest(), path.stat().st_size
