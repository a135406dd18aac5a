"""The queries of embedding that more than one module runs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Int4s, Int8s
from quipu.kernel.db.database import Ask, Connection, Rows, SpaceTransaction, ask
from quipu.kinds.tables.embedding.model import EntryPlace, IndexedPart, Pending, Relation, RowChange

SQL = queries.load("quipu.kinds.tables.embedding")


class PendingQuery:
    """The query for changes of a schema to follow, sent while its space is entered.

    The schema is locked. Tables among ``skipped`` are left out; at most ``limit`` rows are returned. Only
    with ``thorough`` is it checked that every table is watched. The queries of ``beside`` go along.
    """

    def __init__(
        self, schema_id: int, *, skipped: Sequence[int], limit: int, thorough: bool, beside: Ask
    ) -> None:
        self._values = {"schema": schema_id, "skipped": Int4s(skipped), "limit": limit}
        self._thorough = thorough
        self._beside = beside
        self._watched: Rows | None = None
        self._pending: Rows | None = None

    async def ask(self, conn: Connection) -> None:
        """Hold the schema and send the query, in a pipeline."""
        await ask(conn, SQL["hold"], self._values)
        if self._thorough:
            self._watched = await ask(conn, SQL["is_watched"], self._values)
        self._pending = await ask(conn, SQL["pending"], self._values)
        await self._beside(conn)

    async def is_watched(self) -> bool:
        """Return True if changes of its rows are written down as they should be, as far as that was asked."""
        row = (True,) if self._watched is None else await self._watched.fetchone()
        return row is not None and row[0]

    async def pending(self) -> Pending | None:
        """Return the changes to follow in one of its tables; None if there are none."""
        row = None if self._pending is None else await self._pending.fetchone()
        if row is None or row[0] is None:
            return None
        changed, relation, known = row
        return Pending(
            changes=[
                RowChange(noted_at=datetime.fromisoformat(one.pop("noted_at")), **one) for one in changed
            ],
            relation=None if relation is None else Relation(**relation),
            known={
                EntryPlace(one["source_id"], one["field_name"], one["chunk_index"]): IndexedPart(
                    one["entry_id"], one["content_hash"], one["field_hash"]
                )
                for one in known or ()
            },
        )


async def drop(tx: SpaceTransaction, entries: Sequence[int]) -> None:
    """Forget what entries stood for."""
    await tx.run(SQL["drop_embeddings"], {"entries": Int8s(entries)})


async def followed(tx: SpaceTransaction, schema_id: int, changes: Sequence[RowChange]) -> Rows:
    """Note that the index has followed these changes; ``waits`` reads from the result if there are others."""
    return await tx.run(SQL["followed"], {"schema": schema_id, "ids": Int8s([one.id for one in changes])})


async def waits(rows: Rows) -> bool:
    """Return True if there are changes that the index has not followed."""
    row = await rows.fetchone()
    return row is not None and row[0]


async def cited(tx: SpaceTransaction, ids: Sequence[int]) -> list[tuple[Any, ...]]:
    """Return of entries: id, text, time, time of recording, the row's key, schema.table.field."""
    return await tx.rows(SQL["cited"], ids=Int8s(ids))
