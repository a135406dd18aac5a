"""Filing what stands in the index, so that recall finds it; taking out what stands no more.

A write files nothing: it marks the space, and the next recall there calls ``catch_up``. Many writes are
then filed together, and a value that was superseded in between is never embedded.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from quipu.kernel.db.database import Database
from quipu.kinds.ledger import store
from quipu.kinds.ledger.rendering import sentence
from quipu.kinds.ledger.store import Unfiled
from quipu.recall import index
from quipu.recall.dates import tells_time
from quipu.recall.generations import Models
from quipu.recall.languages import DEFAULT
from quipu.recall.model import Draft, Moved
from quipu.recall.removal import withdraw
from quipu.recall.terms import bag

LEDGER: Final = 2  # core.recall_kinds.code
_AT_ONCE: Final = 500


async def catch_up(database: Database, models: Models, space: str) -> None:
    """File what the index does not know yet, and withdraw what stands no more.

    Texts are embedded before the writers of the space are held; then what is still unfiled is looked up
    again, so that nothing written meanwhile is lost and nothing superseded is filed.
    """
    generation: int | None = None
    vectors: dict[tuple[str, str], NDArray[np.float32]] = {}
    while True:
        async with database.reading(space) as within:
            if within is None:
                return
            found = await store.unfiled(within, limit=_AT_ONCE)
            generation = generation or within.space.generation
        new = [one for one in found if one.place not in vectors]
        if new:
            texts = [sentence(one.key, one.value) for one in new]
            embedded = await models.embed(texts, generation=generation)
            generation = embedded.generation
            vectors |= dict(zip([one.place for one in new], embedded.vectors, strict=True))
        try:
            if await _file(database, space, vectors, generation):
                return
        except Moved as moved:
            generation, vectors = moved.generation, {}


async def _file(
    database: Database,
    space: str,
    vectors: Mapping[tuple[str, str], NDArray[np.float32]],
    generation: int | None,
) -> bool:
    """File what has its vector; whether that was all. The mark goes only then."""
    async with database.erasing(space) as within:
        if within is None:
            return True
        await withdraw(within, await store.no_longer_standing(within))
        found = await store.unfiled(within, limit=_AT_ONCE)
        ready = [one for one in found if one.place in vectors]
        if ready and generation is not None:
            fallback = next(iter(within.space.languages), DEFAULT)
            drafts = [_draft(one, vectors[one.place], fallback) for one in ready]
            await index.file(within, drafts, generation=generation)
        done = len(ready) == len(found) < _AT_ONCE
        if done:
            await store.run(within, "all_is_filed", {})
        return done


def _draft(one: Unfiled, vector: NDArray[np.float32], fallback: str) -> Draft:
    text = sentence(one.key, one.value)
    return Draft(
        kind=LEDGER,
        bag=bag(text, fallback=fallback),
        vector=vector,
        happened_at=one.happened_at,
        recorded_at=one.recorded_at,
        owner=one.owner,
        by_user=one.said,
        has_time=tells_time(text),
        source_table=one.source_table,
        source_id=one.source_id,
        content=text,
    )
