"""The text index, made in batches after the lines were written; exact even if somebody writes meanwhile.

Sync writes lines as fast as it can and leaves the words to be made later. The ids of lines are given out
before their transactions commit, so "all up to this id" is only true once everybody who was writing has
ended: that is noted when nobody writes (``settled_to``), and no batch goes beyond it.
"""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Final

from anyio import to_thread

from quipu.kernel.db.arrays import Bools, Float4s, Int4s, Int8s
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kinds.transcripts.browse import store
from quipu.kinds.transcripts.browse.model import IndexedTexts
from quipu.kinds.transcripts.browse.rank import lexical
from quipu.kinds.transcripts.browse.store import SQL
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
                await tx.execute(SQL["sort_in"])
    return IndexedTexts(lines, texts, await left(database, space))


async def left(database: Database, space: str) -> int:
    """Count the lines that the index does not know as they are."""
    async with database.transaction(space) as tx:
        return 0 if tx is None else await store.count_unindexed(tx)


async def _settle(database: Database, space: str) -> None:
    """Note up to where no line can still come, unless somebody is writing."""
    async with database.transaction(space) as tx:
        if tx is not None:
            await tx.execute(SQL["open_indexing"])
            ((alone,),) = await tx.rows(SQL["alone"])
            if alone:
                await tx.execute(SQL["settle"])


async def _batch(database: Database, space: str) -> tuple[int, int] | None:
    """Index one batch and count its lines and texts; None if there is nothing to do here."""
    async with database.transaction(space) as tx:
        held = [] if tx is None else await tx.rows(SQL["hold_indexing"])
        if tx is None or not held:
            return None
        indexed_to, settled_to = held[0]
        changed = await tx.rows(SQL["changed_lines"], limit=_BATCH_LINES)
        if changed:
            return len(changed), await _index(tx, [line for (line,) in changed])
        new = await tx.rows(SQL["next_lines"], after=indexed_to, to=settled_to, limit=_BATCH_LINES)
        if not new:
            return None
        count = await _index(tx, [line for (line,) in new])
        await tx.execute(SQL["indexed_to"], to=new[-1][0])
        return len(new), count


async def _index(tx: SpaceTransaction, lines: list[int]) -> int:
    """Put the texts of lines into the index, each with the number, the weight and the list of its words."""
    texts = await store.texts(tx, lines)
    if texts:
        counts, terms = await to_thread.run_sync(_prepared, texts, tx.space.id)
        weights = [
            lexical((1,), words=count, part=one.part) for one, count in zip(texts, counts, strict=True)
        ]
        await tx.execute(
            SQL["add_texts"],
            lines=Int8s([one.line_id for one in texts]),
            parts=[one.part for one in texts],
            calls=[one.call_id for one in texts],
            sessions=Int8s([one.session_id for one in texts]),
            roles=[one.role for one in texts],
            tools=[one.tool_name for one in texts],
            errors=Bools([one.is_error for one in texts]),
            times=[one.happened_at for one in texts],
            words=Int4s(counts),
            weights=Float4s(weights),
            terms=terms,
        )
    return len(texts)


def _prepared(texts: list[store.Text], space: int) -> tuple[list[int], list[str]]:
    said = [words(one.content) for one in texts]
    return [len(one) for one in said], [vector(one, space=space) for one in said]
