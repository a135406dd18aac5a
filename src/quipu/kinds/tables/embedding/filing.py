"""Bringing the index to where rows that changed are followed, in the transaction that read what changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

import numpy as np
from numpy.typing import NDArray

from quipu.kernel.db.database import Within
from quipu.kinds.tables.embedding import store
from quipu.kinds.tables.embedding.ahead import FEW_TEXTS, Ahead
from quipu.kinds.tables.embedding.model import Change, Place, Plan, Relation, Wanted
from quipu.recall import index
from quipu.recall.dates import tells_time
from quipu.recall.generations import Models
from quipu.recall.languages import DEFAULT
from quipu.recall.model import Draft
from quipu.recall.removal import withdraw
from quipu.recall.terms import Bag, bag

TABLES: Final = 6  # core.recall_kinds.code
_SOURCE: Final = "embeddings"
_Vectors = dict[str, NDArray[np.float32]]  # by the hash of their text


class Filing:
    """Files the entries of one schema; ``ahead`` has vectors that are on their way."""

    def __init__(self, models: Models, schema_id: int, ahead: Ahead | None) -> None:
        self._models = models
        self._schema = schema_id
        self._ahead = ahead

    async def file(self, within: Within, relation: Relation, steps: Plan, changes: Sequence[Change]) -> bool:
        """Take the steps; returns whether there are other changes to follow.

        All that can be done without the vectors is done before they are waited for.

        Raises:
            Moved: the space has another model now. The transaction must be given up.
        """
        if not steps.new:
            waits = await self._say(within, relation, steps, changes, ())
            if steps.gone:
                await withdraw(within, steps.gone)
            return waits
        held = await index.hold(within, threads=(), names=(), alone=len(steps.new))
        found = await self._found(within, steps.new, generation=held.generation)
        waits = await self._say(within, relation, steps, changes, held.alone)
        bags = _bags(within, steps.new)
        vectors = await self._vectors(steps.new, found, generation=held.generation)
        if steps.gone:
            await withdraw(within, steps.gone)
        drafts = _drafts(steps.new, bags, vectors, changes)
        async with index.filing(within, held, drafts, generation=held.generation) as ids:
            assert ids == held.alone  # what was said of them is said of these
        return waits

    async def _say(
        self,
        within: Within,
        relation: Relation,
        steps: Plan,
        changes: Sequence[Change],
        entries: Sequence[int],
    ) -> bool:
        """Write down what entries stand for, and which changes are followed; whether others wait."""
        async with within.conn.pipeline():
            if steps.gone:
                await store.drop(within, steps.gone)
            if steps.rehashed:
                await store.rehash(within, steps.rehashed)
            if entries:
                await store.keep(within, self._schema, relation.id, steps, entries)
            asked = await store.followed(within, self._schema, changes)
        return await store.waits(asked)

    async def _found(self, within: Within, new: Mapping[Place, Wanted], *, generation: int) -> _Vectors:
        """Vectors of many texts that the schema has already: a table that is made anew has them all."""
        hashes = {one.content_hash for one in new.values()}
        if len(hashes) <= FEW_TEXTS:
            return {}
        return await store.vectors(within, self._schema, list(hashes), generation=generation)

    async def _vectors(self, new: Mapping[Place, Wanted], found: _Vectors, *, generation: int) -> _Vectors:
        """Vectors of all texts: those that are ``found``, those that are on their way, and the others."""
        texts = {one.content_hash: one.content for one in new.values()}
        if self._ahead is not None:
            found = await self._ahead.vectors(texts, generation=generation) | found
        missing = [digest for digest in texts if digest not in found]
        if not missing:
            return found
        embedded = await self._models.embed([texts[one] for one in missing], generation=generation)
        return found | dict(zip(missing, embedded.vectors, strict=True))


def _bags(within: Within, new: Mapping[Place, Wanted]) -> list[Bag]:
    fallback = next(iter(within.space.languages), DEFAULT)
    return [bag(one.content, fallback=fallback) for one in new.values()]


def _drafts(
    new: Mapping[Place, Wanted], bags: Sequence[Bag], vectors: _Vectors, changes: Sequence[Change]
) -> list[Draft]:
    noted = {one.source_id: one.noted_at for one in changes}
    return [
        _draft(one.content, words, vectors[one.content_hash], noted[place.source_id])
        for (place, one), words in zip(new.items(), bags, strict=True)
    ]


def _draft(content: str, words: Bag, vector: NDArray[np.float32], noted_at: datetime) -> Draft:
    return Draft(
        kind=TABLES,
        bag=words,
        vector=vector,
        happened_at=noted_at,
        recorded_at=noted_at,
        has_time=tells_time(content),
        source_table=_SOURCE,
        content=content,
    )
