"""Memories near to what was said, and what of an evaluation an agent has kept in other words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from quipu.kernel.db.database import Database
from quipu.kinds.longterm import store
from quipu.kinds.longterm.evaluation import alike
from quipu.kinds.longterm.evaluation.agent import EVALUATOR
from quipu.kinds.longterm.evaluation.known import KnownMemory, as_known, known
from quipu.kinds.longterm.indexing import LONGTERM, filed
from quipu.kinds.longterm.model import Evaluation, Inclusion
from quipu.kinds.longterm.sati import SatiExistingMemory
from quipu.kinds.longterm.store import StoredMemory
from quipu.recall.generations import Models
from quipu.recall.model import Filters
from quipu.recall.search import Search

NEAR: Final = 8
"""Memories that are looked at for each thing that was said; never the whole list."""


async def near(
    database: Database,
    models: Models,
    search: Search,
    queries: Sequence[str],
    *,
    user: str | None,
    space: str,
) -> list[StoredMemory]:
    """Return a user's live memories near to some texts, the nearest to the first text first."""
    async with filed(database, models, space) as tx:
        if tx is None or tx.space.generation is None or not queries:
            return []
        filters = Filters(kinds=(LONGTERM,), user=user, or_nobody=user is not None)
        answers = await search.find(tx, queries, filters=filters, limit=NEAR)
        entries = list(dict.fromkeys(hit.id for _, hits in answers for hit in hits))
        rows = await store.memories(tx, entries=entries) if entries else []
    ordered = sorted(rows, key=lambda row: entries.index(row.entry_id or 0))
    return [row for row in ordered if row.user == user]


async def said_once(
    database: Database,
    models: Models,
    evaluation: Evaluation,
    existing: Sequence[SatiExistingMemory],
    *,
    space: str,
) -> Evaluation:
    """Return the evaluation with the agent's own words for what an agent has kept in other words.

    Such a memory is then said again, not kept twice. Raises ``EmbeddingError``.
    """
    ids = [one.id for one in existing]
    if not evaluation.inclusions or not ids:
        return evaluation
    async with database.snapshot_read(space) as tx:
        own = set[str]() if tx is None else await store.written_by(tx, ids, evaluator=EVALUATOR)
    among = [as_known(one) for one in existing if one.id in own]
    if not among:
        return evaluation
    async with models.lent() as embedder:
        texts = [one.summary for one in (*among, *evaluation.inclusions)]
        meanings = await alike.vectors(embedder, texts)
    inclusions = [_in_their_words(one, among, meanings) for one in evaluation.inclusions]
    return replace(evaluation, inclusions=inclusions)


def _in_their_words(one: Inclusion, among: Sequence[KnownMemory], meanings: alike.Vectors) -> Inclusion:
    new = known(id="", category=one.category, importance=one.importance, summary=one.summary)
    same = alike.same(new, among, meanings)
    if same is None:
        return one
    return replace(one, summary=same.summary, category=same.category, details=None)
