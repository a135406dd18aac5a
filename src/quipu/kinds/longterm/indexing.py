"""Memories in the index, so that recall finds them, in the transaction that writes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from uuid import UUID

from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.longterm.rules import filed_text
from quipu.recall import index
from quipu.recall.dates import tells_time
from quipu.recall.languages import DEFAULT
from quipu.recall.model import Draft
from quipu.recall.prepared import Prepared
from quipu.recall.terms import bag

LONGTERM: Final = 5  # core.recall_kinds.code
_TABLE: Final = "long_term_memory"


@dataclass(frozen=True, slots=True)
class Entry:
    """Entry of a memory that is to be filed."""

    id: UUID
    text: str
    user: str | None
    happened_at: datetime


def entry(id_: UUID, *, summary: str, details: str | None, user: str | None, happened_at: datetime) -> Entry:
    """Return the entry of a memory with this text."""
    return Entry(id_, filed_text(summary, details), user, happened_at)


async def file(
    tx: SpaceTransaction, entries: Sequence[Entry], prepared: Prepared, *, now: datetime
) -> list[int]:
    """Make memories findable; returns the ids of their entries, in their order.

    Raises:
        Unprepared: there is no vector for one of them.
        GenerationChanged: see ``index.file``.
    """
    if not entries:
        return []
    vectors, generation = prepared.of([one.text for one in entries])
    fallback = next(iter(tx.space.languages), DEFAULT)
    pairs = zip(entries, vectors, strict=True)
    drafts = [replace(draft(one, fallback=fallback, now=now), vector=vector) for one, vector in pairs]
    return await index.file(tx, drafts, generation=generation)


def draft(one: Entry, *, fallback: str, now: datetime) -> Draft:
    """Return the entry of a memory without a vector; ``fallback``: the language of a text that tells none."""
    return Draft(
        kind=LONGTERM,
        bag=bag(one.text, fallback=fallback),
        vector=None,
        happened_at=one.happened_at,
        recorded_at=now,
        speaker=one.user,
        owner=one.user,
        by_user=True,
        has_time=tells_time(one.text),
        source_table=_TABLE,
        source_id=str(one.id),
    )
