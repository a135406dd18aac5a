"""Memories in the index, so that recall finds them, in the transaction that writes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from quipu.kernel.db.database import Database, Within
from quipu.kinds.longterm.rules import filed_text
from quipu.recall import index
from quipu.recall.dates import tells_time
from quipu.recall.generations import Models
from quipu.recall.languages import DEFAULT
from quipu.recall.model import Draft, Moved
from quipu.recall.terms import bag

LONGTERM: Final = 5  # core.recall_kinds.code
_TABLE: Final = "long_term_memory"


class Wanted(Exception):
    """A text is to be filed that no vector was made for: make one and begin again.

    A signal inside this kind; no caller ever sees it.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        super().__init__("a text has no vector yet")


@dataclass(frozen=True, slots=True)
class Entry:
    """What is to be filed of a memory."""

    id: UUID
    text: str
    user: str | None
    happened_at: datetime


@dataclass(frozen=True, slots=True)
class Prepared:
    """Vectors by text, shape (d,), and the generation of the model that made them; None before the first."""

    generation: int | None
    vectors: dict[str, NDArray[np.float32]]

    def check(self, within: Within) -> None:
        """Nothing, where the vectors are of the model of the space.

        Raises:
            Moved: the space is searched by the vectors of another model by now.
        """
        current = within.space.generation
        if self.generation is not None and current is not None and current != self.generation:
            raise Moved(current)


async def prepare(database: Database, models: Models, space: str, texts: Sequence[str]) -> Prepared:
    """The vectors of texts by the model of the space, made before a transaction is open."""
    if not texts:
        return Prepared(None, {})
    async with database.reading(space) as within:
        generation = None if within is None else within.space.generation
    embedded = await models.embed(texts, generation=generation)
    return Prepared(embedded.generation, dict(zip(texts, embedded.vectors, strict=True)))


def entry(id_: UUID, *, summary: str, details: str | None, user: str | None, happened_at: datetime) -> Entry:
    """What is filed of a memory that says this."""
    return Entry(id_, filed_text(summary, details), user, happened_at)


async def file(within: Within, entries: Sequence[Entry], prepared: Prepared, *, now: datetime) -> list[int]:
    """Make memories findable; returns the ids of their entries, in their order.

    Raises:
        Wanted: there is no vector for one of them.
        Moved: see ``index.file``.
    """
    for one in entries:
        if one.text not in prepared.vectors:
            raise Wanted(one.text)
    if not entries or prepared.generation is None:
        return []
    fallback = next(iter(within.space.languages), DEFAULT)
    drafts = [_draft(one, prepared.vectors[one.text], fallback=fallback, now=now) for one in entries]
    return await index.file(within, drafts, generation=prepared.generation)


def _draft(one: Entry, vector: NDArray[np.float32], *, fallback: str, now: datetime) -> Draft:
    return Draft(
        kind=LONGTERM,
        bag=bag(one.text, fallback=fallback),
        vector=vector,
        happened_at=one.happened_at,
        recorded_at=now,
        speaker=one.user,
        owner=one.user,
        by_user=True,
        has_time=tells_time(one.text),
        source_table=_TABLE,
        source_id=str(one.id),
    )
