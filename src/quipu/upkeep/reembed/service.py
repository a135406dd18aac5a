"""A change of the embedding model, space by space, while all of them go on being searched and written.

First the vectors of the new model are made everywhere, in small transactions, and nobody notices. Only
when every space has them does the new model begin to serve. Then each space changes over in one short
transaction that its writers wait for, and at last the old vectors go. Each step looks for what is left to
do, so a change that was cut off is finished by running it again.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import anyio
import numpy as np
from numpy.typing import NDArray

from quipu.errors import Conflict, EmbeddingError
from quipu.kernel.db.database import Connection, Database, SpaceTransaction
from quipu.kernel.embedding.embedder import Embedder
from quipu.recall.neighbours import context
from quipu.recall.store import Generation, lock_space, serving
from quipu.upkeep.reembed import store
from quipu.upkeep.reembed.store import Cite, Entry, Place, Progress, ReembedReport

_FEW_ENTRIES = 100
"""At most this many are caught up while the writers of a space wait."""

_MOST_PASSES = 4
"""If more is written than the new model can follow, the writers wait for the rest after all."""

_REMOVED_AT_ONCE = 2_000
_ASK_AGAIN_SECONDS = 0.5


_ENTRIES = 400
_FIRST = -(2**63)


Directions = Mapping[int, NDArray[np.float32]]


async def reembed(
    database: Database, embedder: Embedder, cites: Mapping[int, Cite], *, progress: Progress | None = None
) -> ReembedReport:
    """Change every space to the vectors of ``embedder``; ``cites`` supplies the texts of each kind.

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
        """Run all steps, skipping what is done already."""
        await self._each(self._catch_up)
        await store.serve(self._conn, self._target)
        self._serves = True
        while await self._each(self._change_over):
            pass
        for place in await store.places(self._conn):
            await self._clear(place)

    def state(self, previous: str) -> str:
        """Describe the vectors that serve now, for the message of a failure."""
        if not self._serves:
            return f"Nothing has changed: everything is still searched by the vectors of {previous!r}."
        return f"{self.spaces} spaces have changed over; the others are still searched by their old vectors."

    async def _each(self, work: Callable[[Place], Awaitable[None]]) -> int:
        """Do ``work`` in each space that has not changed yet; return the number of these spaces.

        A space that another process works on is tried again later.
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


class Batches:
    """Makes the vectors of one generation. ``filed`` counts them."""

    def __init__(
        self, embedder: Embedder, generation: int, cites: Mapping[int, Cite], progress: Progress | None
    ) -> None:
        self.generation = generation
        self.filed = 0
        self._embedder = embedder
        self._cites = cites
        self._progress = progress

    async def make_all(self, database: Database, space: str) -> int:
        """Make the missing vectors of a space, by id; return the number of entries."""
        after, found = _FIRST, 0
        while True:
            async with database.snapshot_read(space) as tx:
                batch = await self.read(tx, after=after) if tx is not None else None
            if batch is None:
                return found
            own = await self._embed(batch)
            async with database.transaction(space) as tx:
                if tx is not None:
                    await self._file(tx, batch, own)
            after, found = batch.entries[-1].id, found + len(batch.entries)

    async def read(self, tx: SpaceTransaction, *, after: int = _FIRST) -> Batch | None:
        """Return the next entries beyond ``after`` without a vector, or None if all have one."""
        entries = await store.missing(tx, generation=self.generation, after=after, limit=_ENTRIES)
        if not entries:
            return None
        beside = donors(entries)
        known = await store.own_vectors(tx, beside, generation=self.generation) if beside else {}
        texts = {entry.id: "" for entry in entries}
        texts |= await self._texts(tx, [*texts, *(beside - known.keys())])
        return Batch(entries, texts, known)

    async def make(self, tx: SpaceTransaction, batch: Batch) -> int:
        """Embed and store a batch in one transaction; return the number of entries stored."""
        return await self._file(tx, batch, await self._embed(batch))

    async def _texts(self, tx: SpaceTransaction, ids: Iterable[int]) -> dict[int, str]:
        """Return the embedded texts of entries: their content, or the text that their kind supplies."""
        texts: dict[int, str] = {}
        elsewhere: defaultdict[int, list[int]] = defaultdict(list)
        for entry in await store.contents(tx, ids):
            if entry.content is None:
                elsewhere[entry.kind].append(entry.id)
            else:
                texts[entry.id] = entry.content
        for kind, entries in elsewhere.items():
            cited = await self._cites[kind](tx, entries)
            spoken = await tx.spoken([told.text for told in cited.values()])
            texts |= dict(zip(cited, spoken, strict=True))
        return texts

    async def _embed(self, batch: Batch) -> dict[int, NDArray[np.float32]]:
        vectors = await self._embedder.embed(list(batch.texts.values()))
        return dict(batch.known) | dict(zip(batch.texts, vectors, strict=True))

    async def _file(self, tx: SpaceTransaction, batch: Batch, own: Mapping[int, NDArray[np.float32]]) -> int:
        mine = np.stack([own[entry.id] for entry in batch.entries])
        mixed = contexts(batch.entries, own)
        filed = await store.file_vectors(tx, batch.entries, mine, mixed, generation=self.generation)
        self.filed += filed
        if self._progress is not None:
            self._progress(filed)
        return filed


@dataclass(frozen=True, slots=True)
class Batch:
    """Entries to be given vectors, the texts to embed for that, and the directions that are known already.

    Texts and directions are by entry, those of the entries beside the batch included.
    """

    entries: Sequence[Entry]
    texts: Mapping[int, str]
    known: Mapping[int, NDArray[np.float32]]


def donors(entries: Sequence[Entry]) -> set[int]:
    """Return the ids whose directions are needed beside those of the entries themselves."""
    return {donor for entry in entries for donor, _ in _shares(entry)} - {entry.id for entry in entries}


def contexts(entries: Sequence[Entry], own: Directions) -> NDArray[np.float32]:
    """Return the context vectors of entries: shape (n, dimensions), unit length or zero.

    ``own`` has the direction of each entry itself and of those that it inherits from, as far as they exist.
    """
    return np.stack([_context(entry, own) for entry in entries])


def _context(entry: Entry, own: Directions) -> NDArray[np.float32]:
    return context(own[entry.id], [(share, own[donor]) for donor, share in _shares(entry) if donor in own])


def _shares(entry: Entry) -> Iterator[tuple[int, float]]:
    shares = entry.shares
    for step, share in ((-1, shares.previous), (-2, shares.before), (1, shares.next)):
        if share > 0:
            yield entry.id + step, share
