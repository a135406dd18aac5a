"""The queries of following, one short function each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Int4s, Int8s, Texts, halfvecs
from quipu.kernel.db.database import Ask, Connection, Rows, SpaceTransaction, ask
from quipu.kinds.tables.embedding.model import Change, Known, Pending, Place, Plan, Relation
from quipu.kinds.tables.model import StoredSchema

_SQL = queries.load("quipu.kinds.tables.embedding")
_KNOWN = ("source_id", "field_name", "chunk_index", "entry_id", "content_hash", "field_hash")


async def behind(tx: SpaceTransaction) -> list[StoredSchema]:
    """Return schemas that the index has to follow."""
    return await tx.fetch(StoredSchema, _SQL["behind"])


async def watch(tx: SpaceTransaction, schema_id: int) -> None:
    """Have changes of rows written down from now on, where they were not."""
    await _rows(tx, "watch", {"schema": schema_id})


class AskedPending:
    """Changes of a schema to follow: asked while its space is entered (``ask``), read then.

    The schema is locked. Tables among ``skipped`` are left out; at most ``limit`` rows are returned. Only
    with ``thorough`` is it checked that every table is watched. The queries of ``beside`` go along.
    """

    def __init__(
        self, schema_id: int, *, skipped: Sequence[int], limit: int, thorough: bool, beside: Ask
    ) -> None:
        self._given = {"schema": schema_id, "skipped": Int4s(skipped), "limit": limit}
        self._thorough = thorough
        self._beside = beside
        self._watched: Rows | None = None
        self._pending: Rows | None = None

    async def ask(self, conn: Connection) -> None:
        """Hold the schema and ask, in a pipeline."""
        await ask(conn, _SQL["hold"], self._given)
        if self._thorough:
            self._watched = await ask(conn, _SQL["is_watched"], self._given)
        self._pending = await ask(conn, _SQL["pending"], self._given)
        await self._beside(conn)

    async def watched(self) -> bool:
        """Return True if changes of its rows are written down as they should be, as far as that was asked."""
        if self._watched is None:
            return True
        row = await self._watched.fetchone()
        return row is not None and row[0]

    async def pending(self) -> Pending | None:
        """Return the changes to follow in one of its tables; None if there are none."""
        row = None if self._pending is None else await self._pending.fetchone()
        if row is None or row[0] is None:
            return None
        changed, relation, known = row
        return Pending(
            changes=[Change(noted_at=datetime.fromisoformat(one.pop("noted_at")), **one) for one in changed],
            relation=None if relation is None else Relation(**relation),
            known=_known([[one[name] for name in _KNOWN] for one in known or ()]),
        )


async def some_of(
    tx: SpaceTransaction, schema_id: int, relation_id: int, *, limit: int
) -> dict[Place, Known]:
    """Return what the index has of a table, at most ``limit`` entries of it."""
    values = {"schema": schema_id, "relation": relation_id, "limit": limit}
    return _known(await _rows(tx, "some_of", values))


async def kept_rows(
    tx: SpaceTransaction, schema_id: int, relation_id: int, *, after: str | None, limit: int
) -> list[str]:
    """Return rows of a table that the index has, in the order of their ids, beyond ``after``."""
    values = {"schema": schema_id, "relation": relation_id, "after": after, "limit": limit}
    return [row[0] for row in await _rows(tx, "kept_rows", values)]


async def vectors(
    tx: SpaceTransaction, schema_id: int, hashes: Sequence[str], *, generation: int
) -> dict[str, NDArray[np.float32]]:
    """Return vectors of texts that the index has already, by the hash of the text."""
    values = {"schema": schema_id, "hashes": Texts(hashes), "generation": generation}
    return {digest: halfvecs(vector)[0] for digest, vector in await _rows(tx, "vectors", values)}


async def note_changed(
    tx: SpaceTransaction, schema_id: int, relation: Relation, page: Sequence[tuple[str, Sequence[str]]]
) -> None:
    """Write down rows, given with the hashes of their fields, that the index has differently."""
    fields = len(relation.fields)
    values = {
        "schema": schema_id,
        "relation": relation.id,
        "source_ids": Texts([source_id for source_id, _ in page for _ in range(fields)]),
        "fields": Texts(list(relation.fields) * len(page)),
        "hashes": Texts([one for _, hashes in page for one in hashes]),
    }
    await run(tx, "note", values)


async def note_rows(
    tx: SpaceTransaction, schema_id: int, relation_id: int, source_ids: Sequence[str]
) -> None:
    """Write down rows that the index is to follow."""
    values = {"schema": schema_id, "relation": relation_id, "source_ids": Texts(source_ids)}
    await run(tx, "note_rows", values)


async def note_removed_fields(tx: SpaceTransaction, schema_id: int, relation: Relation) -> None:
    """Write down rows of which the index has a field that is embedded no more."""
    values = {"schema": schema_id, "relation": relation.id, "fields": Texts(relation.fields)}
    await run(tx, "note_removed_fields", values)


async def drop(tx: SpaceTransaction, entries: Sequence[int]) -> None:
    """Forget what entries stood for."""
    await run(tx, "drop_embeddings", {"entries": Int8s(entries)})


async def keep(
    tx: SpaceTransaction, schema_id: int, relation_id: int, plan: Plan, entries: Sequence[int]
) -> None:
    """Say what new entries stand for, in the order of ``plan.new``."""
    values = {
        "schema": schema_id,
        "relation": relation_id,
        "source_ids": Texts([place.source_id for place in plan.new]),
        "fields": Texts([place.field for place in plan.new]),
        "chunks": Int4s([place.chunk for place in plan.new]),
        "entries": Int8s(entries),
        "content_hashes": Texts([one.content_hash for one in plan.new.values()]),
        "field_hashes": Texts([one.field_hash for one in plan.new.values()]),
    }
    await run(tx, "keep_embeddings", values)


async def rehash(tx: SpaceTransaction, hashes: Mapping[int, str]) -> None:
    """Say of which fields entries are parts now."""
    await run(tx, "rehash", {"entries": Int8s(list(hashes)), "field_hashes": Texts(list(hashes.values()))})


async def followed(tx: SpaceTransaction, schema_id: int, changes: Sequence[Change]) -> Rows:
    """Note that the index has followed these changes; ``waits`` reads from the result if there are others."""
    values = {"schema": schema_id, "ids": Int8s([one.id for one in changes])}
    return await tx.run(_SQL["followed"], values)


async def waits(asked: Rows) -> bool:
    """Return True if there are changes that the index has not followed."""
    row = await asked.fetchone()
    return row is not None and row[0]


async def cited(tx: SpaceTransaction, ids: Sequence[int]) -> list[tuple[Any, ...]]:
    """Return of entries: id, text, time, time of recording, the row's key, schema.table.field."""
    return await _rows(tx, "cited", {"ids": Int8s(ids)})


async def run(tx: SpaceTransaction, name: str, values: Mapping[str, object]) -> None:
    """Run a write by its name; ``space`` is filled in."""
    await tx.run(_SQL[name], values)


def _known(rows: Sequence[Sequence[Any]]) -> dict[Place, Known]:
    return {Place(*row[:3]): Known(*row[3:]) for row in rows}


async def _rows(tx: SpaceTransaction, name: str, values: Mapping[str, object]) -> list[tuple[Any, ...]]:
    return await (await tx.run(_SQL[name], values)).fetchall()
