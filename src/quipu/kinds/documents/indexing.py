"""Passages of documents in the index: they are written with their document, and indexed before a recall."""

from __future__ import annotations

import time
from contextlib import AbstractAsyncContextManager
from typing import Any, Final

from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kernel.queue import outbox
from quipu.kernel.queue.model import Payload
from quipu.kinds.documents.store import SQL
from quipu.kinds.plug import Context
from quipu.recall import search, unindexed
from quipu.recall.generations import Models
from quipu.recall.model import Draft
from quipu.recall.terms import bag, tells_time
from quipu.recall.unindexed import Row, Rows

DOCUMENT: Final = 7  # core.recall_kinds.code
TOPIC: Final = "documents-index"
_TABLE: Final = "passages"


def _row(row: tuple[Any, ...], fallback: str) -> Row:
    id_, text, user, happened_at, recorded_at = row
    draft = Draft(
        kind=DOCUMENT,
        bag=bag(text, fallback=fallback),
        vector=None,
        happened_at=happened_at,
        recorded_at=recorded_at,
        speaker=None,
        owner=user,
        by_user=False,
        has_time=tells_time(text),
        source_table=_TABLE,
        source_id=str(id_),
    )
    return Row(id_, text, "", draft)


_ROWS: Final = Rows(SQL, _row, at_once=True)


async def catch_up(database: Database, models: Models, space: str) -> None:
    """Index passages for about a second; what is left is a job for a worker, and for the next recall."""
    if await _ROWS.file(database, models, space):
        await unindexed.settle(database, space, DOCUMENT, _clear)
        return
    async with database.write(space) as tx:
        await outbox.put(tx, TOPIC, {}, key="all")


async def index(context: Context, _: Payload) -> None:
    """Index passages to the end; it may be done twice."""
    await index_all(context.database, context.models, context.space)


async def index_all(database: Database, models: Models, space: str, *, seconds: float | None = None) -> bool:
    """Index passages until none is left, or for ``seconds``; whether all are indexed."""
    until = None if seconds is None else time.monotonic() + seconds
    while not await _ROWS.file(database, models, space):
        if until is not None and time.monotonic() >= until:
            return False
    await unindexed.settle(database, space, DOCUMENT, _clear)
    return True


def indexed(
    database: Database, models: Models, space: str
) -> AbstractAsyncContextManager[SpaceTransaction | None]:
    """Open the space for reading, after indexing passages that wait."""
    return search.filed(database, models, space, {DOCUMENT: catch_up})


async def _clear(tx: SpaceTransaction) -> None:
    """Have recalls look no more, unless something has come meanwhile."""
    await tx.execute(SQL["settle"])
