"""Lessons in the index of recall: filed as they are written, and before a search if SQL wrote them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from quipu.kernel.db import queries
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kernel.db.space import AsOf
from quipu.kernel.embedding.embedder import Vectors
from quipu.kinds.transcripts.extract.sameness import normal_hash
from quipu.recall import index, search, unindexed
from quipu.recall.generations import Models, PreparedVectors
from quipu.recall.model import Draft
from quipu.recall.terms import DEFAULT, bag, tells_time
from quipu.recall.unindexed import Row, Rows

CODE: Final = 3  # core.recall_kinds.code
_SQL: Final = queries.load("quipu.kinds.transcripts.lessons")
_TABLE: Final = "memories"


@dataclass(frozen=True, slots=True)
class LessonEntry:
    """Entry to be filed: a lesson and its fact."""

    id: UUID | str
    fact: str
    happened_at: datetime


@asynccontextmanager
async def writing(
    database: Database, space: str, prepared: PreparedVectors, *, as_of: AsOf | None = None
) -> AsyncGenerator[SpaceTransaction]:
    """Open a transaction to change lessons; ``as_of`` is the state that the written words were read from.

    Raises:
        GenerationChanged: the space is searched by the vectors of another model by now.
        ErasedMeanwhile: something was erased in the space since.
    """
    async with database.write(space, as_of=as_of) as tx:
        prepared.check(tx)
        yield tx


async def file(
    tx: SpaceTransaction, entries: Sequence[LessonEntry], vectors: Vectors, *, generation: int, now: datetime
) -> list[int]:
    """Make memories findable; returns their entries in their order.

    Raises:
        GenerationChanged: see ``index.file``.
    """
    fallback = next(iter(tx.space.languages), DEFAULT)
    drafts = [
        replace(draft(one, fallback=fallback, now=now), vector=vector)
        for one, vector in zip(entries, vectors, strict=True)
    ]
    return await index.file(tx, drafts, generation=generation)


def draft(one: LessonEntry, *, fallback: str, now: datetime) -> Draft:
    """Return the entry of a memory without a vector; ``fallback``: the language of a text that tells none."""
    return Draft(
        kind=CODE,
        bag=bag(one.fact, fallback=fallback),
        vector=None,
        happened_at=one.happened_at,
        recorded_at=now,
        by_user=True,
        has_time=tells_time(one.fact),
        source_table=_TABLE,
        source_id=str(one.id),
        content=one.fact,
    )


def _row(row: tuple[Any, ...], fallback: str) -> Row:
    id_, fact, happened_at, recorded_at = row
    entry = draft(LessonEntry(id_, fact, happened_at), fallback=fallback, now=recorded_at)
    return Row(id_, fact, normal_hash(fact), entry)


_ROWS: Final = Rows(_SQL, _row)


async def catch_up(database: Database, models: Models, space: str) -> None:
    """File lessons that SQL wrote."""
    if await _ROWS.file(database, models, space):
        await unindexed.settle(database, space, CODE, _clear)


def filed(
    database: Database, models: Models, space: str
) -> AbstractAsyncContextManager[SpaceTransaction | None]:
    """Open the space for reading, after filing lessons that SQL wrote, but no messages."""
    return search.filed(database, models, space, {CODE: catch_up})


async def _clear(tx: SpaceTransaction) -> None:
    """Have recalls look no more, unless something has come meanwhile."""
    await tx.execute(_SQL["settle"])
