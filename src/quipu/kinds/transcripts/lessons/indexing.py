"""Memories in the index, so that recall finds them, in the transaction that writes them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from uuid import UUID

from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kernel.db.space import AsOf
from quipu.kernel.embedding.model import Vectors
from quipu.recall import index
from quipu.recall.dates import tells_time
from quipu.recall.generations import Prepared
from quipu.recall.model import Draft
from quipu.recall.terms import DEFAULT, bag

TRANSCRIPTS: Final = 3  # core.recall_kinds.code
_TABLE: Final = "memories"


@dataclass(frozen=True, slots=True)
class Entry:
    """Entry to be filed: a lesson and its fact."""

    id: UUID
    fact: str
    happened_at: datetime


@asynccontextmanager
async def writing(
    database: Database, space: str, prepared: Prepared, *, as_of: AsOf | None = None
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
    tx: SpaceTransaction, entries: Sequence[Entry], vectors: Vectors, *, generation: int, now: datetime
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


def draft(one: Entry, *, fallback: str, now: datetime) -> Draft:
    """Return the entry of a memory without a vector; ``fallback``: the language of a text that tells none."""
    return Draft(
        kind=TRANSCRIPTS,
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
