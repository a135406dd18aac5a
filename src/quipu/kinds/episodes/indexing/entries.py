"""Episodes in the index, in the transaction that writes them; what SQL has changed follows with a recall."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kernel.embedding.model import Vectors
from quipu.kinds.episodes.indexing import store
from quipu.kinds.episodes.indexing.store import Unfiled
from quipu.recall import index
from quipu.recall.dates import tells_time
from quipu.recall.generations import Embedded, Models
from quipu.recall.index import withdraw
from quipu.recall.model import Draft, GenerationChanged
from quipu.recall.terms import DEFAULT, bag
from quipu.recall.unfiled import settle

EPISODES: Final = 4  # core.recall_kinds.code
BIT: Final = 1 << (EPISODES - 1)
TABLE: Final = "episodes"
_AT_ONCE: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Entry to be filed: an episode and its text, its person and time."""

    id: UUID
    text: str
    user: str | None
    happened_at: datetime
    recorded_at: datetime


def text_of(*, gist: str, outcome: str) -> str:
    """Return the text that finds an episode: its gist, and its outcome if that says more."""
    return gist if not outcome or outcome in gist else f"{gist}\n{outcome}"


async def file(
    tx: SpaceTransaction, entries: Sequence[Entry], vectors: Vectors, *, generation: int
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
    """Let the index follow what SQL has changed in ``episodes.episodes``, without what SQL holds still."""
    generation: int | None = None
    while True:
        async with database.snapshot_read(space) as tx:
            if tx is None or not tx.space.unfiled & BIT:
                return
            found = await store.unfiled(tx, limit=_AT_ONCE)
            generation = generation or tx.space.generation
        if not found:
            await settle(database, space, EPISODES, _clear)
            return
        texts = [text_of(gist=one.gist, outcome=one.outcome) for one in found]
        embedded = await models.embed(texts, generation=generation)
        try:
            if not await _follow(database, space, found, embedded):
                return
        except GenerationChanged as moved:
            generation = moved.generation


async def _follow(database: Database, space: str, found: Sequence[Unfiled], embedded: Embedded) -> bool:
    """File what is as it was when it was embedded; whether there was any. No door writes meanwhile."""
    async with database.erase(space) as tx:
        if tx is None:
            return False
        held = await store.held(tx, [one.id for one in found])
        known = [one for one in await store.unfiled(tx, limit=_AT_ONCE) if one.id in held]
        places = [place for place, one in enumerate(found) if one in known]
        await withdraw(tx, sorted(e for e in (found[place].entry_id for place in places) if e is not None))
        live = [place for place in places if not found[place].deleted]
        filed = await file(
            tx,
            [_entry(found[place]) for place in live],
            embedded.vectors[live],
            generation=embedded.generation,
        )
        entries = dict(zip(live, filed, strict=True))
        for place in places:
            await store.run(tx, "refiled", {"id": found[place].id, "entry": entries.get(place)})
        return bool(places)


async def _clear(tx: SpaceTransaction) -> None:
    await store.run(tx, "settle", {})


def _entry(one: Unfiled) -> Entry:
    return Entry(
        id=one.id,
        text=text_of(gist=one.gist, outcome=one.outcome),
        user=one.user,
        happened_at=one.started_at,
        recorded_at=one.created_at,
    )
