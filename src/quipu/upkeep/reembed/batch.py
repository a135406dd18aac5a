"""Batches of entries that get their vectors of a new model: read, embedded, filed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kernel.embedding.model import Embedder
from quipu.recall.neighbours import context
from quipu.upkeep.reembed import store
from quipu.upkeep.reembed.model import Cite, Entry, Progress

_ENTRIES = 400
_FIRST = -(2**63)


Directions = Mapping[int, NDArray[np.float32]]


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


@dataclass(frozen=True, slots=True)
class Batch:
    """Entries to be given vectors, the texts to embed for that, and the directions that are known already.

    Texts and directions are by entry, those of the entries beside the batch included.
    """

    entries: Sequence[Entry]
    texts: Mapping[int, str]
    known: Mapping[int, NDArray[np.float32]]


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
        """Make what is missing in a space, in the order of the ids; how many entries that were."""
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
        """Embed and file a batch in one transaction; how many entries got their vectors."""
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
