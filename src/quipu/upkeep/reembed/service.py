"""A change of the embedding model, space by space, while all of them go on being searched and written.

First the vectors of the new model are made everywhere, in small transactions, and nobody notices. Only
when every space has them does the new model begin to serve. Then each space changes over in one short
transaction that its writers wait for, and at last the old vectors go. Each step finds by itself what is
left to do, so that a change that was cut off is finished by asking for it again.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping

import anyio
import numpy as np

from quipu.errors import Conflict, EmbeddingError
from quipu.kernel.db.database import Connection, Database
from quipu.kernel.embedding.model import Embedder
from quipu.recall.store import Generation, lock_space, serving
from quipu.upkeep.reembed import store
from quipu.upkeep.reembed.batch import Batches
from quipu.upkeep.reembed.model import Cite, Progress, ReembedReport
from quipu.upkeep.reembed.store import Place

_FEW_ENTRIES = 100
"""So many are caught up while the writers of a space wait."""

_MOST_PASSES = 4
"""Where more is written than the new model can follow, the writers must wait for the rest after all."""

_REMOVED_AT_ONCE = 2_000
_ASK_AGAIN_SECONDS = 0.5


async def reembed(
    database: Database, embedder: Embedder, cites: Mapping[int, Cite], *, progress: Progress | None = None
) -> ReembedReport:
    """Let every space be searched by the vectors of ``embedder``; ``cites`` tells the texts of each kind.

    ``progress`` is called with the number of entries embedded since the last call.

    Raises:
        EmbeddingError: the model failed. What it made is kept; the message says which model serves now.
        Conflict: another process is changing to another model.
    """
    started = time.perf_counter()
    await _try(embedder)
    async with database.owner() as conn:
        conn.endures = True
        previous, generation = await _register(conn, embedder)
        change = _Change(database, conn, Batches(embedder, generation.id, cites, progress))
        try:
            await change.run()
        except EmbeddingError as error:
            raise type(error)(
                f"{error.message} {change.state(previous.model)}",
                hint="Once it works, run reembed again: what is done is kept.",
            ) from error
    return ReembedReport(
        model=generation.model,
        previous=previous.model,
        dimensions=generation.dimensions,
        entries=change.batches.filed,
        spaces=change.spaces,
        removed=change.removed,
        seconds=time.perf_counter() - started,
    )


async def _try(embedder: Embedder) -> None:
    """Refuse a model that does not work, before anything is touched."""
    rows = await embedder.embed(["A first try."])
    if rows.shape != (1, embedder.dimensions) or not np.isfinite(rows).all():
        raise EmbeddingError(f"{embedder.name!r} gave no vector of {embedder.dimensions} numbers.")


async def _register(conn: Connection, embedder: Embedder) -> tuple[Generation, Generation]:
    """Return the generation that serves, and the one of the new model."""
    async with conn.transaction():
        others = await store.others_at_work(conn, embedder)
        if others:
            raise Conflict(
                f"Another process is changing the model to {others[0]!r} now.",
                field="model",
                hint="Let it finish, or stop it; then run reembed again.",
            )
        previous = await serving(conn)
        generation = await store.register(conn, embedder)
    return previous or generation, generation


class _Change:
    """One run: what it works with, and what it has done so far. ``conn`` holds its claims."""

    def __init__(self, database: Database, conn: Connection, batches: Batches) -> None:
        self.batches = batches
        self.spaces = 0
        self.removed = 0
        self._database = database
        self._conn = conn
        self._target = batches.generation
        self._serves = False

    async def run(self) -> None:
        """Run all steps, each as far as it is not done yet."""
        await self._each(self._catch_up)
        await store.serve(self._conn, self._target)
        self._serves = True
        while await self._each(self._change_over):
            pass
        for place in await store.places(self._conn):
            await self._clear(place)

    def state(self, previous: str) -> str:
        """Return what serves now, for the message of a failure."""
        if not self._serves:
            return f"Nothing has changed: everything is still searched by the vectors of {previous!r}."
        return f"{self.spaces} spaces have changed over; the others are still searched by their old vectors."

    async def _each(self, work: Callable[[Place], Awaitable[None]]) -> int:
        """Do ``work`` in each space that is not there yet; how many there were.

        Where another process is at it already, it is waited for and looked after.
        """
        found = todo = [p for p in await store.places(self._conn) if p.generation != self._target]
        while todo:
            busy: list[Place] = []
            for place in todo:
                async with store.claim(self._conn, place.id) as mine:
                    if mine:
                        await work(place)
                    else:
                        busy.append(place)
            if busy:
                await anyio.sleep(_ASK_AGAIN_SECONDS)
            todo = busy
        return len(found)

    async def _catch_up(self, place: Place) -> None:
        """Make the vectors that are missing, until those that were written meanwhile are few."""
        for _ in range(_MOST_PASSES):
            if await self.batches.make_all(self._database, place.name) <= _FEW_ENTRIES:
                return

    async def _change_over(self, place: Place) -> None:
        """Hold the writers of a space, make the last vectors, and let it be searched by them."""
        await self._catch_up(place)
        async with self._database.transaction(place.name) as tx:
            if tx is None:
                return
            await tx.take_time()
            if await lock_space(tx) in (None, self._target):
                return
            while batch := await self.batches.read(tx):
                if not await self.batches.make(tx, batch):
                    return  # somebody holds entries though nobody may write: come again
            await store.change_over(tx, generation=self._target)
        self.spaces += 1

    async def _clear(self, place: Place) -> None:
        """Delete the old vectors of a space. It is held first, as by whoever writes or erases: two that
        delete the same vectors in different orders would lock each other out."""
        for generation in await store.retired(self._conn):
            removed = _REMOVED_AT_ONCE
            while removed == _REMOVED_AT_ONCE:
                async with self._database.transaction(place.name) as tx:
                    if tx is None or await lock_space(tx) is None:
                        return
                    removed = await store.remove_vectors(tx, generation=generation, limit=removed)
                self.removed += removed
