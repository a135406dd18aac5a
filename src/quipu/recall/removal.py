"""Taking entries out of the index, so that nothing of them is left, not even in their neighbours."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import SpaceTransaction
from quipu.recall import index, store


async def remove(tx: SpaceTransaction, ids: Sequence[int]) -> None:
    """Remove entries and what their neighbours inherited from them; drop every copy of the space.

    The transaction must keep those who write out of the space (``Database.erase``). The space is held
    first, so that nobody changes its embedding model half-way.
    """
    generation = await store.lock_space(tx)
    if generation is None:
        return
    gone = Int8s(np.array(sorted(ids), dtype=np.int64))
    await store.run(tx, "take_out", {"ids": gone})
    around = await store.bereaved(tx, gone, generation=generation)
    await index.refit(tx, around, beside=set(ids), generation=generation)
    await store.run(tx, "recount_space", {})


async def withdraw(tx: SpaceTransaction, ids: Sequence[int]) -> None:
    """Take out entries that stand alone and are not to be found any more, among others who write.

    Copies of the space keep their signatures until they are read anew; nothing is found by them. For what
    must be forgotten, use ``remove``.
    """
    if await store.lock_space(tx) is None or not ids:
        return
    gone = Int8s(np.array(sorted(ids), dtype=np.int64))
    await store.run(tx, "discount_space", {"ids": gone})
    await store.run(tx, "take_out", {"ids": gone})
