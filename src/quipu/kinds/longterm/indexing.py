"""Memories in the index, so that recall finds them: as they are written, and those that SQL wrote."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from quipu.kernel.db import queries
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kinds.longterm.rules import filed_text, summary_hash
from quipu.recall import index, search, unindexed
from quipu.recall.generations import Models, PreparedVectors
from quipu.recall.model import Draft
from quipu.recall.terms import DEFAULT, bag, tells_time
from quipu.recall.unindexed import Row, Rows

_SQL: Final = queries.load("quipu.kinds.longterm")
LONGTERM: Final = 5  # core.recall_kinds.code
_TABLE: Final = "long_term_memory"


@dataclass(frozen=True, slots=True)
class MemoryEntry:
    """Entry of a memory that is to be filed."""

    id: str
    text: str
    user: str | None
    happened_at: datetime


def entry(
    id_: str, *, summary: str, details: str | None, user: str | None, happened_at: datetime
) -> MemoryEntry:
    """Return the entry of a memory with this text."""
    return MemoryEntry(id_, filed_text(summary, details), user, happened_at)


async def file(
    tx: SpaceTransaction, entries: Sequence[MemoryEntry], prepared: PreparedVectors, *, now: datetime
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


def draft(one: MemoryEntry, *, fallback: str, now: datetime) -> Draft:
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
        source_id=one.id,
    )


def _row(row: tuple[Any, ...], fallback: str) -> Row:
    id_, summary, details, user, happened_at, recorded_at = row
    made = entry(str(id_), summary=summary, details=details, user=user, happened_at=happened_at)
    return Row(id_, made.text, summary_hash(summary), draft(made, fallback=fallback, now=recorded_at))


_ROWS: Final = Rows(_SQL, _row)


async def catch_up(database: Database, models: Models, space: str) -> None:
    """File memories that SQL wrote."""
    if await _ROWS.file(database, models, space):
        await unindexed.settle(database, space, LONGTERM, _clear)


def filed(
    database: Database, models: Models, space: str, *, seconds: float | None = None
) -> AbstractAsyncContextManager[SpaceTransaction | None]:
    """Open the space for reading, after filing memories that SQL wrote, for at most ``seconds``."""
    return search.filed(database, models, space, {LONGTERM: catch_up}, seconds=seconds)


async def _clear(tx: SpaceTransaction) -> None:
    """Have recalls look no more, unless something has come meanwhile."""
    await tx.execute(_SQL["settle"])
