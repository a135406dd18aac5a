"""Entries that are filed later than their place in the thread was taken.

Who writes much at once reserves the ids of its entries, so that what comes after them has its place, and
files them when there is time to embed them. What stands beside them by then inherits from them as if they
had been there from the beginning.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from quipu.errors import BadInput
from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import SpaceTransaction
from quipu.recall import store
from quipu.recall.index import Locked, Row, entry_id, file_ready, fit, new_row, ready_rows, standing
from quipu.recall.model import MOST_ENTRIES_OF_A_THREAD, THREAD_SHIFT, Draft, GenerationChanged


async def reserve(tx: SpaceTransaction, entries: Mapping[int, int]) -> dict[int, range]:
    """Reserve consecutive ids for so many entries at the end of each thread.

    The threads are locked until commit, in ascending order; so is the row of the space if threads are new.

    Raises:
        BadInput: a thread would have more than 16 million entries.
    """
    threads = sorted(thread for thread, count in entries.items() if count)
    if not threads:
        return {}
    ends, made = await store.reserve_positions(tx, threads, [entries[thread] for thread in threads])
    found: dict[int, range] = {}
    for thread in threads:
        end = ends[thread]
        if end > MOST_ENTRIES_OF_A_THREAD:
            raise BadInput(
                "This session has 16 million messages.", field="session", hint="Begin a new session."
            )
        first = entry_id(thread, end - entries[thread])
        found[thread] = range(first, first + entries[thread])
    if made:
        generation = tx.space.generation or await store.first_generation(tx)
        await store.run(tx, "count_threads", {"threads": made, "generation": generation})
    return found


async def file(tx: SpaceTransaction, drafts: Sequence[Draft], ids: Sequence[int], *, generation: int) -> None:
    """File entries under ids that were reserved for them, in ascending order; below 0 they stand alone.

    Raises:
        GenerationChanged: the vectors of the drafts are of another ``generation`` than those of the space.
            The transaction must be given up.
    """
    if not drafts:
        return
    current = tx.space.generation or await store.first_generation(tx)
    if current != generation:
        raise GenerationChanged(current)
    numbers = await store.numbers_of(tx, sorted({n for d in drafts for n in (d.speaker, d.owner) if n}))
    placed = [id for id in ids if id > 0]
    threads = sorted({id >> THREAD_SHIFT for id in placed})
    ends, _ = await store.lock_threads(tx, threads)
    rows = [
        new_row(draft, id, id & (MOST_ENTRIES_OF_A_THREAD - 1) if id > 0 else -1, numbers)
        for draft, id in zip(drafts, ids, strict=True)
    ]
    around = await store.neighbours_of(tx, Int8s(np.array(placed, dtype=np.int64)), generation=generation)
    fitted = _inherit(rows, around)
    held = Locked(generation, numbers, ends, made=0, tails=around, alone=[])
    await file_ready(tx, ready_rows(held, rows, fitted), generation=generation)


def _inherit(rows: Sequence[Row], around: Sequence[store.Tail]) -> list[Row]:
    """Work out what each new entry inherits; returns the old ones that inherit from a new one now."""
    new = {row.id for row in rows}
    old = [standing(tail) for tail in around]
    known = {row.id: row for row in [*old, *rows]}
    beside = [row for row in old if any(row.id + step in new for step in (-2, -1, 1))]
    for row in [*rows, *beside]:
        fit(row, known)
    return beside
