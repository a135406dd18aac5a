"""Archiving an episode, and bringing it back."""

from __future__ import annotations

from uuid import UUID

from quipu.kernel.base.clock import Clock
from quipu.kernel.db.database import Database
from quipu.kinds.episodes import indexing
from quipu.kinds.episodes.decay import store
from quipu.kinds.episodes.indexing import EpisodeEntry, text_of
from quipu.recall.generations import Models
from quipu.recall.index import withdraw
from quipu.recall.model import GenerationChanged


async def archive(database: Database, given: UUID | str, *, space: str, clock: Clock) -> UUID:
    """Take an episode out of recall and return its id. An archived one stays as it is.

    Raises:
        NotFound: there is none.
    """
    async with database.write(space) as tx:
        row = await store.row_of(tx, given)
        if row.deleted_at is None:
            await withdraw(tx, [] if row.entry_id is None else [row.entry_id])
            await tx.execute(store.SQL["archive"], id=row.id, now=clock.now())
    return row.id


async def unarchive(database: Database, models: Models, given: UUID | str, *, space: str) -> UUID:
    """Let an episode be found again and return its id. One to be rewritten is indexed after that.

    Raises:
        NotFound: there is none.
    """
    async with database.snapshot_read(space) as tx:
        row = await store.row_of(tx, given)
        generation = None if tx is None else tx.space.generation
    while True:
        text = text_of(gist=row.gist, outcome=row.outcome)
        embedded = await models.embed([text], generation=generation)
        try:
            async with database.write(space) as tx:
                held = await store.row_of(tx, row.id)
                if held.deleted_at is None:
                    return row.id
                if (held.gist, held.outcome) != (row.gist, row.outcome):
                    row = held
                    continue
                entry = EpisodeEntry(
                    id=row.id,
                    text=text,
                    user=row.user,
                    happened_at=row.started_at,
                    recorded_at=row.created_at,
                )
                filed = [None] if row.emptied else await indexing.file(
                    tx, [entry], embedded.vectors, generation=embedded.generation
                )  # fmt: skip
                await tx.execute(store.SQL["bring_back"], id=row.id, entry=filed[0])
            return row.id
        except GenerationChanged as moved:
            generation = moved.generation
