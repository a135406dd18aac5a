"""A change of the embedding model, space by space, while all spaces stay open for searches and writes.

First the vectors of the new model are made everywhere, in small transactions. When every space has them, the
new model begins to serve. Then each space changes over in one short transaction that its writers wait for,
and at last the old vectors are deleted. Each step looks for what is left to do, so a change that was cut off
is finished by running it again.
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

import anyio
import numpy as np

from quipu.errors import Conflict, EmbeddingError
from quipu.kernel.db import queries
from quipu.kernel.db.database import Connection, Database
from quipu.kernel.embedding.embedder import Embedder
from quipu.recall.store import Generation, lock_space, serving
from quipu.upkeep.reembed.batches import Batches, Cite, Progress

_FEW_ENTRIES = 100
"""At most this many are caught up while the writers of a space wait."""

_MOST_PASSES = 4
"""If more is written than the new model can follow, the writers wait for the rest after all."""

_REMOVED_AT_ONCE = 2_000
_USUAL_DIMENSIONS = 384
_BYTES_A_NUMBER = 4  # two vectors of an entry, its own and that in context, in half precision
_ASK_AGAIN_SECONDS = 0.5
_SQL = queries.load("quipu.upkeep.reembed")


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


@dataclass(frozen=True, slots=True, kw_only=True)
class ReembedPlan:
    """Cost of a change of the embedding model.

    ``entries`` have no vector of ``model`` yet, ``spaces`` would change over. ``seconds_about`` is for short
    texts on this machine, None where the model is ``to_be_made`` first. ``bytes_meanwhile`` is the room that
    the vectors of both models take more than those of one.
    """

    model: str
    previous: str
    entries: int
    spaces: int
    seconds_about: float | None
    bytes_meanwhile: int
    to_be_made: bool = False


async def plan(database: Database, model: str, embedder: Embedder | None) -> ReembedPlan:
    """Count what a change to ``embedder`` has left to do; None is a model that is to be made first.

    Raises:
        EmbeddingError: the model does not work.
    """
    digest = "" if embedder is None else embedder.digest
    async with database.owner() as conn:
        (left,) = await conn.fetch(_Left, _SQL["plan"], digest=digest)
    seconds = None if embedder is None else left.entries * await _seconds_a_text(embedder)
    dimensions = _USUAL_DIMENSIONS if embedder is None else embedder.dimensions
    return ReembedPlan(
        model=model,
        previous=left.previous,
        entries=left.entries,
        spaces=left.spaces,
        seconds_about=seconds,
        bytes_meanwhile=left.entries * dimensions * _BYTES_A_NUMBER,
        to_be_made=embedder is None,
    )


@dataclass(frozen=True, slots=True)
class _Left:
    entries: int
    spaces: int
    previous: str


async def _seconds_a_text(embedder: Embedder) -> float:
    """Measure how long the model takes for a short text; the first try loads it."""
    await _try(embedder)
    texts = [f"A short text like many, number {number}, to see how long it takes." for number in range(32)]
    begun = time.perf_counter()
    await embedder.embed(texts)
    return (time.perf_counter() - begun) / len(texts)


async def leave(database: Database, embedder: Embedder) -> ReembedReport:
    """Note that every space is to change to ``embedder``; a worker does it.

    Raises:
        EmbeddingError: the model does not work.
        Conflict: another process is changing to another model.
    """
    started = time.perf_counter()
    await _try(embedder)
    async with _at_work(database) as conn:
        previous, generation = await _register(conn, embedder)
    return ReembedReport(
        model=generation.model,
        previous=previous.model,
        dimensions=generation.dimensions,
        entries=0,
        spaces=0,
        removed=0,
        seconds=time.perf_counter() - started,
    )


async def latest(database: Database) -> Generation | None:
    """Return the model that is being changed to, else the one that serves."""
    async with database.owner() as conn:
        return next(iter(await conn.fetch(Generation, _SQL["latest"])), None)


async def unfinished(database: Database) -> Generation | None:
    """Return the model of a change that was left to workers, or cut off, and that nobody is at work on."""
    async with database.owner() as conn:
        return next(iter(await conn.fetch(Generation, _SQL["unfinished"])), None)


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
    async with _at_work(database) as conn:
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


@asynccontextmanager
async def _at_work(database: Database) -> AsyncGenerator[Connection]:
    """Open the connection that holds the claims of a change, and let go of them with the block.

    The server would do so a moment after the connection has ended, when the next change may have begun.
    """
    async with database.owner() as conn:
        conn.endures = True
        try:
            yield conn
        finally:
            if not conn.closed:
                await conn.execute(_SQL["let_go"])


async def _register(conn: Connection, embedder: Embedder) -> tuple[Generation, Generation]:
    """Return the generation that serves, and the one of the new model."""
    async with conn.transaction():
        await conn.execute(_SQL["hold_registration"])
        if other := await conn.value(_SQL["others_at_work"], digest=embedder.digest):
            raise Conflict(
                f"Another process is changing the model to {other!r} now.",
                field="model",
                hint="Let it finish, or stop it; then run reembed again.",
            )
        previous = await serving(conn)
        values = {"model": embedder.name, "digest": embedder.digest, "dimensions": embedder.dimensions}
        await conn.execute(_SQL["give_up_others"], values)
        (generation,) = await conn.fetch(Generation, _SQL["register"], **values)
        await conn.execute(_SQL["be_at_work"], {"generation": generation.id})
    return previous or generation, generation


@dataclass(frozen=True, slots=True)
class SearchedSpace:
    """A space, the generation that it is searched by, and how many entries it has."""

    id: int
    name: str
    generation: int
    entries: int


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
        await self._serve()
        self._serves = True
        while await self._each(self._change_over):
            pass
        for place in await self._conn.fetch(SearchedSpace, _SQL["all_spaces"]):
            await self._clear(place)

    def state(self, previous: str) -> str:
        """Describe the vectors that serve now, for the message of a failure."""
        if not self._serves:
            return f"Nothing has changed: everything is still searched by the vectors of {previous!r}."
        return f"{self.spaces} spaces have changed over; the others are still searched by their old vectors."

    async def _each(self, work: Callable[[SearchedSpace], Awaitable[None]]) -> int:
        """Do ``work`` in each space that has not changed yet; return the number of these spaces.

        A space that another process works on is tried again later.
        """
        places = await self._conn.fetch(SearchedSpace, _SQL["all_spaces"])
        old = todo = [place for place in places if place.generation != self._target]
        while todo:
            busy: list[SearchedSpace] = []
            for place in todo:
                async with _claim(self._conn, place.id) as mine:
                    if mine:
                        await work(place)
                    else:
                        busy.append(place)
            if busy:
                await anyio.sleep(_ASK_AGAIN_SECONDS)
            todo = busy
        return len(old)

    async def _serve(self) -> None:
        """Let new spaces begin with the new model, once writers of a first entry are done."""
        async with self._conn.transaction():
            await self._conn.execute(_SQL["hold_registration"])
            await self._conn.execute(_SQL["retire"], {"generation": self._target})
            await self._conn.execute(_SQL["serve"], {"generation": self._target})

    async def _catch_up(self, place: SearchedSpace) -> None:
        """Make the vectors that are missing, until those that were written meanwhile are few."""
        for _ in range(_MOST_PASSES):
            if await self.batches.make_all(self._database, place.name) <= _FEW_ENTRIES:
                return

    async def _change_over(self, place: SearchedSpace) -> None:
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
            await tx.execute(_SQL["set_signs"], generation=self._target)
            await tx.execute(_SQL["change_over"], generation=self._target)
        self.spaces += 1

    async def _clear(self, place: SearchedSpace) -> None:
        """Delete the old vectors of a space.

        The space is locked first, as by anyone who writes or erases: two processes that delete the same
        vectors in different orders would block each other.
        """
        for (generation,) in await (await self._conn.execute(_SQL["retired"])).fetchall():
            removed = _REMOVED_AT_ONCE
            while removed == _REMOVED_AT_ONCE:
                async with self._database.transaction(place.name) as tx:
                    if tx is None or await lock_space(tx) is None:
                        return
                    removed = await tx.execute(
                        _SQL["remove_vectors"], generation=generation, limit=_REMOVED_AT_ONCE
                    )
                self.removed += removed


@asynccontextmanager
async def _claim(conn: Connection, space: int) -> AsyncGenerator[bool]:
    """Try to claim a space for this process until the block ends; yield True on success."""
    mine: bool = await conn.value(_SQL["claim"], space=space)
    try:
        yield mine
    finally:
        if mine and not conn.broken:
            await conn.execute(_SQL["release"], {"space": space})
