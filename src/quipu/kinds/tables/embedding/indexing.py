"""The entries of changed rows, written to the index in the transaction that read the changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

import numpy as np
from numpy.typing import NDArray

from quipu.kernel.db.arrays import Int4s, Int8s, Texts, halfvecs
from quipu.kernel.db.database import Rows, SpaceTransaction
from quipu.kinds.tables.embedding import store
from quipu.kinds.tables.embedding.ahead import FEW_TEXTS, Ahead
from quipu.kinds.tables.embedding.model import EntryPlace, Plan, Relation, RowChange, Wanted
from quipu.kinds.tables.embedding.store import SQL
from quipu.recall import index
from quipu.recall.generations import Models
from quipu.recall.index import withdraw
from quipu.recall.model import Draft
from quipu.recall.terms import DEFAULT, bag, tells_time

TABLES: Final = 6  # core.recall_kinds.code
_SOURCE: Final = "embeddings"
_Vectors = dict[str, NDArray[np.float32]]  # by the hash of their text


class Filing:
    """Files the entries of one schema; ``ahead`` has vectors that are on their way."""

    def __init__(self, models: Models, schema_id: int, ahead: Ahead | None) -> None:
        self._models = models
        self._schema = schema_id
        self._ahead = ahead

    async def file(
        self,
        tx: SpaceTransaction,
        relation: Relation,
        steps: Plan,
        changes: Sequence[RowChange],
        entries: index.Reserved,
    ) -> bool:
        """Take the steps; returns whether there are other changes to follow.

        ``entries`` are ids for new ones. All that can be done without the vectors is done before they are
        waited for.

        Raises:
            GenerationChanged: the space has another model now. The transaction must be given up.
        """
        if not steps.new:
            async with tx.conn.pipeline():
                waiting = await self._say(tx, relation, steps, changes, ())
            if steps.gone:
                await withdraw(tx, steps.gone)
            return await store.waits(waiting)
        held = await entries.held(tx, alone=len(steps.new))
        known = await self._known(tx, steps.new, generation=held.generation)
        async with tx.conn.pipeline():  # PostgreSQL is at work while the vectors are made
            waiting = await self._say(tx, relation, steps, changes, held.alone)
            ready = index.ready(held, _drafts(tx, steps.new, changes))
            assert ready.ids == held.alone  # what was said of them is said of these
            await index.send_terms(tx, ready)
            vectors = await self._vectors(steps.new, known, generation=held.generation)
            if steps.gone:
                await withdraw(tx, steps.gone)
            ordered = [vectors[one.content_hash] for one in steps.new.values()]
            sent = await index.send(tx, ready, ordered, generation=held.generation)
        await sent.check()
        return await store.waits(waiting)

    async def _say(
        self,
        tx: SpaceTransaction,
        relation: Relation,
        steps: Plan,
        changes: Sequence[RowChange],
        entries: Sequence[int],
    ) -> Rows:
        """Write down what entries stand for, and which changes are followed; ``waits`` tells of others."""
        if steps.gone:
            await store.drop(tx, steps.gone)
        if steps.rehashed:
            hashes = Texts(list(steps.rehashed.values()))
            await tx.run(SQL["rehash"], {"entries": Int8s(list(steps.rehashed)), "field_hashes": hashes})
        if entries:
            await tx.run(SQL["keep_embeddings"], self._columns(relation, steps, entries))
        return await store.followed(tx, self._schema, changes)

    def _columns(self, relation: Relation, steps: Plan, entries: Sequence[int]) -> dict[str, object]:
        return {
            "schema": self._schema,
            "relation": relation.id,
            "source_ids": Texts([place.source_id for place in steps.new]),
            "fields": Texts([place.field for place in steps.new]),
            "chunks": Int4s([place.chunk for place in steps.new]),
            "entries": Int8s(entries),
            "content_hashes": Texts([one.content_hash for one in steps.new.values()]),
            "field_hashes": Texts([one.field_hash for one in steps.new.values()]),
        }

    async def _known(
        self, tx: SpaceTransaction, new: Mapping[EntryPlace, Wanted], *, generation: int
    ) -> _Vectors:
        """Return vectors that the schema has already, if the texts are many, as for a recreated table."""
        hashes = {one.content_hash for one in new.values()}
        if len(hashes) <= FEW_TEXTS:
            return {}
        rows = await tx.rows(
            SQL["vectors"], schema=self._schema, hashes=Texts(list(hashes)), generation=generation
        )
        return {digest: halfvecs(vector)[0] for digest, vector in rows}

    async def _vectors(
        self, new: Mapping[EntryPlace, Wanted], known: _Vectors, *, generation: int
    ) -> _Vectors:
        """Return vectors of all texts: those that are ``found``, those on their way, and the others."""
        texts = {one.content_hash: one.content for one in new.values()}
        if self._ahead is not None:
            known = await self._ahead.vectors(texts, generation=generation) | known
        missing = [digest for digest in texts if digest not in known]
        if not missing:
            return known
        embedded = await self._models.embed([texts[one] for one in missing], generation=generation)
        return known | dict(zip(missing, embedded.vectors, strict=True))


def _drafts(
    tx: SpaceTransaction, new: Mapping[EntryPlace, Wanted], changes: Sequence[RowChange]
) -> list[Draft]:
    fallback = next(iter(tx.space.languages), DEFAULT)
    noted = {one.source_id: one.noted_at for one in changes}
    return [_draft(one.content, noted[place.source_id], fallback=fallback) for place, one in new.items()]


def _draft(content: str, noted_at: datetime, *, fallback: str) -> Draft:
    return Draft(
        kind=TABLES,
        bag=bag(content, fallback=fallback),
        vector=None,
        happened_at=noted_at,
        recorded_at=noted_at,
        has_time=tells_time(content),
        source_table=_SOURCE,
        content=content,
    )
