"""Memories that SQL wrote, filed before they are looked for, as messages are that a sync took in."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Any, Final

from quipu.kernel.db import queries
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kinds.transcripts.extract.sameness import normal_hash
from quipu.kinds.transcripts.indexing import messages
from quipu.kinds.transcripts.lessons.indexing import TRANSCRIPTS, Entry, draft
from quipu.recall import search
from quipu.recall.generations import Models
from quipu.recall.unfiled import Row, Rows


def _row(row: tuple[Any, ...], fallback: str) -> Row:
    id_, fact, happened_at, recorded_at = row
    entry = draft(Entry(id_, fact, happened_at), fallback=fallback, now=recorded_at)
    return Row(id_, fact, normal_hash(fact), entry)


_ROWS: Final = Rows(queries.load("quipu.kinds.transcripts.lessons"), _row)


async def catch_up(database: Database, models: Models, space: str) -> None:
    """File memories that SQL wrote, and the latest messages for about a second."""
    await _file(database, models, space)
    await messages.catch_up(database, models, space)


def filed(
    database: Database, models: Models, space: str
) -> AbstractAsyncContextManager[SpaceTransaction | None]:
    """Open the space for reading, after filing lessons that SQL wrote, but no messages."""
    return search.filed(database, models, space, {TRANSCRIPTS: _file})


async def _file(database: Database, models: Models, space: str) -> None:
    await _ROWS.file(database, models, space)
