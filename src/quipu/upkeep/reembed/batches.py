"""The vectors of one embedding model, made batch by batch for the entries that have none."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Float4s, Int8s, Vectors, halfvecs
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kernel.embedding.embedder import Embedder
from quipu.recall.index import Shares, context
from quipu.recall.model import Cited

_ENTRIES = 400
_FIRST = -(2**63)
_SQL = queries.load("quipu.upkeep.reembed")

Cite = Callable[[SpaceTransaction, Sequence[int]], Awaitable[Mapping[int, Cited]]]
Progress = Callable[[int], None]
Directions = Mapping[int, NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry without a vector of the new model, and what it inherits from the entries beside it."""

    id: int
    shares: Shares


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
        """Make the missing vectors of a space, by id; return the number of entries."""
        after, count = _FIRST, 0
        while True:
            async with database.snapshot_read(space) as tx:
                batch = await self.read(tx, after=after) if tx is not None else None
            if batch is None:
                return count
            own = await self._embed(batch)
            async with database.transaction(space) as tx:
                if tx is not None:
                    await self._file(tx, batch, own)
            after, count = batch.entries[-1].id, count + len(batch.entries)

    async def read(self, tx: SpaceTransaction, *, after: int = _FIRST) -> Batch | None:
        """Return the next entries beyond ``after`` without a vector, or None if all have one."""
        rows = await tx.rows(_SQL["missing"], generation=self.generation, after=after, limit=_ENTRIES)
        if not rows:
            return None
        entries = [Entry(number, Shares(*shares)) for number, *shares in rows]
        beside = donors(entries)
        known = await self._own_vectors(tx, beside) if beside else {}
        texts = {entry.id: "" for entry in entries}
        texts |= await texts_of(tx, [*texts, *(beside - known.keys())], self._cites)
        return Batch(entries, texts, known)

    async def make(self, tx: SpaceTransaction, batch: Batch) -> int:
        """Embed and store a batch in one transaction; return the number of entries stored."""
        return await self._file(tx, batch, await self._embed(batch))

    async def _own_vectors(self, tx: SpaceTransaction, ids: Iterable[int]) -> dict[int, NDArray[np.float32]]:
        """Return the entries' own directions, for those that have one of the generation."""
        rows = await tx.rows(
            _SQL["own_vectors"], binary=True, generation=self.generation, ids=Int8s(list(ids))
        )
        return {number: halfvecs(packed)[0] for number, packed in rows}

    async def _embed(self, batch: Batch) -> dict[int, NDArray[np.float32]]:
        vectors = await self._embedder.embed(list(batch.texts.values()))
        return dict(batch.known) | dict(zip(batch.texts, vectors, strict=True))

    async def _file(self, tx: SpaceTransaction, batch: Batch, own: Mapping[int, NDArray[np.float32]]) -> int:
        """Store the vectors of entries that are unchanged since they were read; return the number stored."""
        filed = await tx.execute(
            _SQL["file_vectors"],
            generation=self.generation,
            id=Int8s([one.id for one in batch.entries]),
            from_previous=Float4s([one.shares.previous for one in batch.entries]),
            from_before=Float4s([one.shares.before for one in batch.entries]),
            from_next=Float4s([one.shares.next for one in batch.entries]),
            own=Vectors(np.stack([own[one.id] for one in batch.entries])),
            context=Vectors(contexts(batch.entries, own)),
        )
        self.filed += filed
        if self._progress is not None:
            self._progress(filed)
        return filed


async def texts_of(tx: SpaceTransaction, ids: Iterable[int], cites: Mapping[int, Cite]) -> dict[int, str]:
    """Return the embedded texts of entries: their content, or the text that their kind supplies."""
    texts: dict[int, str] = {}
    elsewhere: defaultdict[int, list[int]] = defaultdict(list)
    for id_, kind, content in await tx.rows(_SQL["contents"], ids=Int8s(list(ids))):
        if content is None:
            elsewhere[kind].append(id_)
        else:
            texts[id_] = content
    for kind, entries in elsewhere.items():
        cited = await cites[kind](tx, entries)
        spoken = await tx.spoken([one.text for one in cited.values()])
        texts |= dict(zip(cited, spoken, strict=True))
    return texts


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
