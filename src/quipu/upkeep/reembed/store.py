"""The queries of a change of model, one short function each."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from psycopg.rows import class_row

from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Float4s, Int8s, Vectors, halfvecs
from quipu.kernel.db.database import Connection, SpaceTransaction
from quipu.kernel.embedding.embedder import Embedder
from quipu.recall.model import Cited
from quipu.recall.neighbours import Shares
from quipu.recall.store import Generation

_SQL = queries.load("quipu.upkeep.reembed")


Cite = Callable[[SpaceTransaction, Sequence[int]], Awaitable[Mapping[int, Cited]]]
Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry without a vector of the new model, and what it inherits from the entries beside it."""

    id: int
    shares: Shares


@dataclass(frozen=True, slots=True, kw_only=True)
class ReembedReport:
    """Outcome of a change of the embedding model.

    ``previous`` is the model that new spaces began with before. ``entries`` were embedded by this call,
    ``spaces`` changed over to the new vectors, and ``removed`` vectors of other models were deleted.
    """

    model: str
    previous: str
    dimensions: int
    entries: int
    spaces: int
    removed: int
    seconds: float

    @property
    def entries_per_second(self) -> float:
        """Speed, everything counted."""
        return self.entries / self.seconds if self.seconds > 0 else 0.0


@dataclass(frozen=True, slots=True)
class Place:
    """A space, the generation that it is searched by, and how many entries it has."""

    id: int
    name: str
    generation: int
    entries: int


@dataclass(frozen=True, slots=True)
class Content:
    """Of which kind an entry is; its text where no other table keeps it."""

    id: int
    kind: int
    content: str | None


async def others_at_work(conn: Connection, embedder: Embedder) -> list[str]:
    """Return models to which other processes are changing; lock registration until the transaction ends."""
    await conn.execute(_SQL["hold_registration"])
    rows = await (await conn.execute(_SQL["others_at_work"], {"digest": embedder.digest})).fetchall()
    return [model for (model,) in rows]


async def register(conn: Connection, embedder: Embedder) -> Generation:
    """Register a model's generation, in the making unless it serves; this connection now works on it."""
    values = {"model": embedder.name, "digest": embedder.digest, "dimensions": embedder.dimensions}
    await conn.execute(_SQL["give_up_others"], values)
    async with conn.cursor(row_factory=class_row(Generation)) as cursor:
        generation = await (await cursor.execute(_SQL["register"], values)).fetchone()
    assert generation is not None
    await conn.execute(_SQL["be_at_work"], {"generation": generation.id})
    return generation


@asynccontextmanager
async def claim(conn: Connection, space: int) -> AsyncGenerator[bool]:
    """Try to claim a space for this process until the block ends; yield True on success."""
    row = await (await conn.execute(_SQL["claim"], {"space": space})).fetchone()
    mine = bool(row and row[0])
    try:
        yield mine
    finally:
        if mine and not conn.broken:
            await conn.execute(_SQL["release"], {"space": space})


async def serve(conn: Connection, generation: int) -> None:
    """Let new spaces begin with a generation, once writers of a first entry are done."""
    async with conn.transaction():
        await conn.execute(_SQL["hold_registration"])
        await conn.execute(_SQL["retire"], {"generation": generation})
        await conn.execute(_SQL["serve"], {"generation": generation})


async def retired(conn: Connection) -> list[int]:
    """Return generations that no new space begins with."""
    return [number for (number,) in await (await conn.execute(_SQL["retired"])).fetchall()]


async def places(conn: Connection) -> list[Place]:
    """Return the spaces with entries, the fullest last."""
    async with conn.cursor(row_factory=class_row(Place)) as cursor:
        return await (await cursor.execute(_SQL["all_spaces"])).fetchall()


async def missing(tx: SpaceTransaction, *, generation: int, after: int, limit: int) -> list[Entry]:
    """Return entries beyond ``after`` without a vector of a generation, in the order of their ids."""
    rows = await tx.rows(_SQL["missing"], generation=generation, after=after, limit=limit)
    return [Entry(number, Shares(*shares)) for number, *shares in rows]


async def own_vectors(
    tx: SpaceTransaction, ids: Iterable[int], *, generation: int
) -> dict[int, NDArray[np.float32]]:
    """Return the entries' own directions, for those that have one of that generation."""
    rows = await tx.rows(_SQL["own_vectors"], binary=True, generation=generation, ids=Int8s(list(ids)))
    return {number: halfvecs(packed)[0] for number, packed in rows}


async def contents(tx: SpaceTransaction, ids: Iterable[int]) -> list[Content]:
    """Return kind and content of the entries that exist."""
    return await tx.fetch(Content, _SQL["contents"], ids=Int8s(list(ids)))


async def file_vectors(
    tx: SpaceTransaction,
    entries: Sequence[Entry],
    own: NDArray[np.float32],
    contexts: NDArray[np.float32],
    *,
    generation: int,
) -> int:
    """Store the vectors of entries unchanged since they were read; return the number stored."""
    return await tx.execute(
        _SQL["file_vectors"],
        generation=generation,
        id=Int8s([e.id for e in entries]),
        from_previous=Float4s([e.shares.previous for e in entries]),
        from_before=Float4s([e.shares.before for e in entries]),
        from_next=Float4s([e.shares.next for e in entries]),
        own=Vectors(own),
        context=Vectors(contexts),
    )


async def change_over(tx: SpaceTransaction, *, generation: int) -> None:
    """Search the space by a generation of which it has all vectors."""
    await tx.execute(_SQL["set_signs"], generation=generation)
    await tx.execute(_SQL["change_over"], generation=generation)


async def remove_vectors(tx: SpaceTransaction, *, generation: int, limit: int) -> int:
    """Delete some vectors of a generation that the space has left; return their number."""
    return await tx.execute(_SQL["remove_vectors"], generation=generation, limit=limit)
