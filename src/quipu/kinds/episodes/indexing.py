"""Episodes in the index, in the transaction that writes them; what SQL has changed follows with a recall."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from quipu.kernel.base.scope import at_primary
from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kernel.embedding.embedder import Vectors
from quipu.kinds.episodes.extraction.beliefs import indexing as beliefs
from quipu.recall import index
from quipu.recall.generations import Embedded, Models
from quipu.recall.index import withdraw
from quipu.recall.model import Draft, GenerationChanged
from quipu.recall.question import Question, concerns
from quipu.recall.terms import DEFAULT, bag, tells_time
from quipu.recall.unindexed import settle

EPISODES: Final = 4  # core.recall_kinds.code
BIT: Final = 1 << (EPISODES - 1)
TABLE: Final = "episodes"
_AT_ONCE: Final = 200
_SQL = queries.load("quipu.kinds.episodes")


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeEntry:
    """Entry to be filed: an episode and its text, its person and time."""

    id: UUID
    text: str
    user: str | None
    happened_at: datetime
    recorded_at: datetime


@dataclass(frozen=True, slots=True)
class _Unindexed:
    """An episode that the index does not know as it is."""

    id: UUID
    entry_id: int | None
    user: str | None
    started_at: datetime
    created_at: datetime
    gist: str
    outcome: str
    topic: str
    deleted: bool


def text_of(*, gist: str, outcome: str) -> str:
    """Return the text that finds an episode: its gist, and its outcome if that says more."""
    return gist if not outcome or outcome in gist else f"{gist}\n{outcome}"


async def file(
    tx: SpaceTransaction, entries: Sequence[EpisodeEntry], vectors: Vectors, *, generation: int
) -> list[int]:
    """Make episodes findable; returns their entries in their order.

    Raises:
        GenerationChanged: see ``index.file``.
    """
    fallback = next(iter(tx.space.languages), DEFAULT)
    drafts = [
        Draft(
            kind=EPISODES,
            bag=bag(one.text, fallback=fallback),
            vector=vector,
            happened_at=one.happened_at,
            recorded_at=one.recorded_at,
            owner=one.user,
            has_time=tells_time(one.text),
            source_table=TABLE,
            source_id=str(one.id),
            content=one.text,
        )
        for one, vector in zip(entries, vectors, strict=True)
    ]
    return await index.file(tx, drafts, generation=generation)


async def catch_up(database: Database, models: Models, space: str) -> None:
    """Let the index follow what SQL has changed in ``episodes.episodes``, without what SQL holds still, and
    file beliefs that an archive brought."""
    with at_primary():
        await beliefs.catch_up(database, models, space)
        await _catch_up(database, models, space)


async def _catch_up(database: Database, models: Models, space: str) -> None:
    generation: int | None = None
    while True:
        async with database.snapshot_read(space) as tx:
            if tx is None or not tx.space.unindexed & BIT:
                return
            unindexed = await tx.fetch(_Unindexed, _SQL["unindexed"], limit=_AT_ONCE)
            generation = generation or tx.space.generation
        if not unindexed:
            await settle(database, space, EPISODES, _clear)
            return
        texts = [text_of(gist=one.gist, outcome=one.outcome) for one in unindexed]
        embedded = await models.embed(texts, generation=generation)
        try:
            if not await _follow(database, space, unindexed, embedded):
                return
        except GenerationChanged as moved:
            generation = moved.generation


async def _follow(
    database: Database, space: str, unindexed: Sequence[_Unindexed], embedded: Embedded
) -> bool:
    """Index what did not change since it was embedded; return True if there was any.

    No door writes meanwhile.
    """
    async with database.erase(space) as tx:
        if tx is None:
            return False
        rows = await tx.rows(_SQL["held"], ids=[one.id for one in unindexed])
        held = {id_ for (id_,) in rows}
        known = [
            one for one in await tx.fetch(_Unindexed, _SQL["unindexed"], limit=_AT_ONCE) if one.id in held
        ]
        places = [place for place, one in enumerate(unindexed) if one in known]
        await withdraw(
            tx, sorted(e for e in (unindexed[place].entry_id for place in places) if e is not None)
        )
        live = [place for place in places if not unindexed[place].deleted]
        filed = await file(
            tx,
            [_entry(unindexed[place]) for place in live],
            embedded.vectors[live],
            generation=embedded.generation,
        )
        entries = dict(zip(live, filed, strict=True))
        for place in places:
            await tx.execute(_SQL["refiled"], id=unindexed[place].id, entry=entries.get(place))
        return bool(places)


async def _clear(tx: SpaceTransaction) -> None:
    await tx.execute(_SQL["settle"])


def _entry(one: _Unindexed) -> EpisodeEntry:
    return EpisodeEntry(
        id=one.id,
        text=text_of(gist=one.gist, outcome=one.outcome),
        user=one.user,
        happened_at=one.started_at,
        recorded_at=one.created_at,
    )


async def sources(tx: SpaceTransaction, ids: Sequence[int]) -> dict[int, list[int]]:
    """Return the messages that episodes and beliefs rest on, by their entries."""
    return dict(await tx.rows(_SQL["sources"], ids=Int8s(ids)))


async def ended(
    tx: SpaceTransaction, question: Question, now: datetime, ids: Sequence[int]
) -> dict[int, None]:
    """Return the entries of beliefs that hold no longer, unless the question names a time when they did."""
    return {
        entry: None
        for entry, since, until in await tx.rows(_SQL["ended"], ids=Int8s(ids), now=now)
        if not concerns(question, since=since, until=until)
    }
