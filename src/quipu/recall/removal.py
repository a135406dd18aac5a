"""Taking entries out of the index, so that nothing of them is left, not even in their neighbours."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from quipu.kernel.db.arrays import Int4s, Int8s
from quipu.kernel.db.database import Within
from quipu.recall import index, store


async def remove(within: Within, ids: Sequence[int]) -> None:
    """Remove entries and what their neighbours inherited from them; drop every copy of the space.

    The transaction must keep those who write out of the space (``Database.erasing``). The space is held
    first, so that nobody changes its embedding model half-way. Vectors go after their entries: whoever
    makes new ones for an entry holds it meanwhile, and is through by then.
    """
    generation = await store.lock_space(within)
    if generation is None:
        return
    gone = Int8s(np.array(sorted(ids), dtype=np.int64))
    for name in ("discount_terms", "remove_terms", "remove_postings"):
        await store.run(within, name, {"ids": gone})
    names = await store.remove_entries(within, gone)
    await store.run(within, "remove_vectors", {"ids": gone})
    around = await store.bereaved(within, gone, generation=generation)
    await store.run(within, "recount_threads", {"ids": gone})
    await store.run(within, "remove_names", {"names": Int4s(names)})
    await index.refit(within, around, beside=set(ids), generation=generation)
    await store.recount_space(within)
