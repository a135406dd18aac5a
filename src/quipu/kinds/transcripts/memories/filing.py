"""Memories in the index, so that recall finds them, in the transaction that writes them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from quipu.kernel.db.database import Database, Within
from quipu.kernel.embedding.model import Vectors
from quipu.recall import index
from quipu.recall.dates import tells_time
from quipu.recall.generations import Models
from quipu.recall.languages import DEFAULT
from quipu.recall.model import Draft, Moved
from quipu.recall.terms import bag

TRANSCRIPTS: Final = 3  # core.recall_kinds.code
_TABLE: Final = "memories"


@dataclass(frozen=True, slots=True)
class Entry:
    """What is to be filed: a memory and its fact."""

    id: UUID
    fact: str
    happened_at: datetime


@dataclass(frozen=True, slots=True)
class Prepared:
    """Texts with their vectors, shape (n, d), and the generation of the model that made these."""

    generation: int
    vectors: Vectors


async def prepare(database: Database, models: Models, space: str, texts: Sequence[str]) -> Prepared:
    """The vectors of texts by the model of the space, made before a transaction is open."""
    async with database.reading(space) as within:
        generation = None if within is None else within.space.generation
    embedded = await models.embed(texts, generation=generation)
    return Prepared(embedded.generation, embedded.vectors)


@asynccontextmanager
async def writing(database: Database, space: str, prepared: Prepared | None) -> AsyncGenerator[Within]:
    """A transaction to change memories in.

    Raises:
        Moved: the space is searched by the vectors of another model by now.
    """
    async with database.writing(space) as within:
        current = within.space.generation
        if prepared is not None and current is not None and current != prepared.generation:
            raise Moved(current)
        yield within


async def file(
    within: Within, entries: Sequence[Entry], vectors: Vectors, *, generation: int, now: datetime
) -> list[int]:
    """Make memories findable; returns their entries in their order.

    Raises:
        Moved: see ``index.file``.
    """
    fallback = next(iter(within.space.languages), DEFAULT)
    drafts = [
        Draft(
            kind=TRANSCRIPTS,
            bag=bag(one.fact, fallback=fallback),
            vector=vector,
            happened_at=one.happened_at,
            recorded_at=now,
            by_user=True,
            has_time=tells_time(one.fact),
            source_table=_TABLE,
            source_id=str(one.id),
            content=one.fact,
        )
        for one, vector in zip(entries, vectors, strict=True)
    ]
    return await index.file(within, drafts, generation=generation)
