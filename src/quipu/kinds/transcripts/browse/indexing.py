"""Making the text index: in batches, after the lines were written, exact whoever writes meanwhile.

Sync writes lines as fast as it can and leaves the words to be made later. The ids of lines are given out
before their transactions commit, so "all up to this id" is only true once everybody who was writing has
ended: that is noted when nobody writes (``settled_to``), and no batch goes beyond it.
"""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Final

from anyio import to_thread

from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kinds.transcripts.browse import ranking, store
from quipu.kinds.transcripts.browse.model import IndexedTexts
from quipu.kinds.transcripts.browse.words import vector, words

_BATCH_LINES: Final = 400
_SORTED_IN: Final = 2_000  # texts; of fewer, PostgreSQL takes care when they have become many


async def advance(
    database: Database, space: str, *, seconds: float | None, progress: Callable[[int], None] | None = None
) -> IndexedTexts:
    """Index what is not, until all is done or ``seconds`` are over; each batch is one transaction.

    ``progress`` is called with the number of lines of each batch. Nothing is done while another process is at
    it; what is left is said in the answer either way.
    """
    began, lines, texts = monotonic(), 0, 0
    await _settle(database, space)
    while seconds is None or monotonic() - began < seconds:
        done = await _batch(database, space)
        if done is None:
            break
        lines, texts = lines + done[0], texts + done[1]
        if progress is not None:
            progress(done[0])
    if texts >= _SORTED_IN:
        async with database.transaction(space) as tx:
            if tx is not None:
                await store.run(tx, "sort_in", {})
    return IndexedTexts(lines, texts, await left(database, space))


async def left(database: Database, space: str) -> int:
    """Count the lines that the index does not know as they are."""
    async with database.transaction(space) as tx:
        return 0 if tx is None else await store.count_unindexed(tx)


async def _settle(database: Database, space: str) -> None:
    async with database.transaction(space) as tx:
        if tx is not None:
            await store.settle(tx)


async def _batch(database: Database, space: str) -> tuple[int, int] | None:
    """Index one batch and count its lines and texts; None if there is nothing to do here."""
    async with database.transaction(space) as tx:
        if tx is None:
            return None
        place = await store.hold_indexing(tx)
        if place is None:
            return None
        changed = await store.numbers(tx, "changed_lines", {"limit": _BATCH_LINES})
        if changed:
            return len(changed), await _index(tx, changed)
        values = {"after": place.indexed_to, "to": place.settled_to, "limit": _BATCH_LINES}
        new = await store.numbers(tx, "next_lines", values)
        if not new:
            return None
        count = await _index(tx, new)
        await store.run(tx, "indexed_to", {"to": new[-1]})
        return len(new), count


async def _index(tx: SpaceTransaction, lines: list[int]) -> int:
    found = await store.texts(tx, lines)
    if found:
        counts, terms = await to_thread.run_sync(_prepared, found, tx.space.id)
        weights = [
            ranking.lexical((1,), words=count, part=one.part)
            for one, count in zip(found, counts, strict=True)
        ]
        await store.add_texts(tx, found, words=counts, weights=weights, terms=terms)
    return len(found)


def _prepared(found: list[store.Text], space: int) -> tuple[list[int], list[str]]:
    said = [words(one.content) for one in found]
    return [len(one) for one in said], [vector(one, space=space) for one in said]
