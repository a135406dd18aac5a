"""The queries of long-term memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from typing import Final
from uuid import UUID

from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.longterm.model import (
    Category,
    Importance,
    LongtermMemory,
    MemorySource,
    Wording,
)
from quipu.recall.filters import Filter
from quipu.record.ids import row_of

SQL = queries.load("quipu.kinds.longterm")
_ALL: Final = 2**31 - 1
_PUBLIC: Final = tuple(field.name for field in fields(LongtermMemory))


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredMemory(LongtermMemory):
    """A memory with the id of its entry in the index; None while it is archived."""

    entry_id: int | None

    @property
    def public(self) -> LongtermMemory:
        """The memory as callers see it."""
        return LongtermMemory(**{name: getattr(self, name) for name in _PUBLIC})

    @property
    def wording(self) -> Wording:
        """Wording of this version."""
        return Wording(
            category=self.category, importance=self.importance, summary=self.summary, details=self.details
        )


@dataclass(frozen=True, slots=True)
class Resting:
    """A wording of a memory and one of the memory's sources; ``goes`` if the source is erased.

    ``history`` is the id of an earlier wording, None for the present one; ``content`` is the whole message.
    """

    memory: str
    entry: int | None
    history: int | None
    text: str
    excerpt: str
    content: str
    goes: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrowed:
    """Conditions on memories; None sets no condition. ``text`` is a pattern of ILIKE.

    ``current_at`` leaves out what held no longer then; ``filter`` is a path over the metadata.
    """

    category: Category | None = None
    importance: Importance | None = None
    user: str | None = None
    archived: bool | None = None
    text: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    current_at: datetime | None = None
    filter: str | None = None


async def memories(
    tx: SpaceTransaction,
    narrowed: Narrowed | None = None,
    *,
    ids: Sequence[str] | None = None,
    entries: Sequence[int] | None = None,
    after: StoredMemory | None = None,
    limit: int = _ALL,
    offset: int = 0,
) -> list[StoredMemory]:
    """Return memories behind ``after``: live ones first, then by importance, then by last change."""
    return await tx.fetch(
        StoredMemory,
        SQL["memories"],
        **asdict(narrowed or Narrowed()),
        ids=None if ids is None else list(ids),
        entries=None if entries is None else Int8s(entries),
        after=None if after is None else after.id,
        after_archived=None if after is None else after.archived,
        after_importance=None if after is None else after.importance,
        after_updated=None if after is None else after.updated_at,
        limit=limit,
        offset=offset,
    )


async def memory(tx: SpaceTransaction | None, id_: UUID | str) -> StoredMemory:
    """Return the memory with an id, or with the only id that begins so.

    Raises:
        NotFound: there is none.
        BadInput: several ids begin so, or it is no id.
    """
    return await row_of(
        tx,
        id_,
        like=SQL["ids_like"],
        fetch=lambda tx, ids: memories(tx, ids=[str(one) for one in ids]),
        what="memory",
        hint="The list of memories shows them.",
    )


async def by_hash(tx: SpaceTransaction, *, user: str | None, hash: str) -> StoredMemory | None:
    """Return the memory of a user that says this: the live one, else the one archived last."""
    ids = await tx.rows(SQL["by_hash"], user=user, hash=hash)
    return await memory(tx, ids[0][0]) if ids else None


async def wording(tx: SpaceTransaction, id_: str, version: int) -> Wording | None:
    """Return the wording of an earlier version of a memory."""
    return await tx.fetch_one(Wording, SQL["wording"], id=id_, version=version)


async def cited_messages(
    tx: SpaceTransaction, id_: str, said: Sequence[MemorySource]
) -> set[tuple[str | None, str]]:
    """Return those of the messages, by session and id, that a memory rests on already."""
    messages = [source.message for source in said if source.message is not None]
    return {tuple(row) for row in await tx.rows(SQL["told_by"], id=id_, messages=messages)}


async def written_by(tx: SpaceTransaction, ids: Sequence[str], *, evaluator: str) -> set[str]:
    """Return those of the memories that an evaluator wrote, in any version, or said again."""
    rows = await tx.rows(SQL["written_by"], ids=list(ids), evaluator=f"{evaluator}:")
    return {row[0] for row in rows}


async def numbers(tx: SpaceTransaction, said: Sequence[MemorySource]) -> dict[int, int]:
    """Return the numbers of sources in the record, by their place in ``said``."""
    places = [
        place for place, source in enumerate(said) if source.message is not None and source.number is None
    ]
    if not places:
        return {}
    rows = await tx.rows(
        SQL["numbers"],
        messages=[said[place].message for place in places],
        sessions=[said[place].session for place in places],
    )
    return {places[place - 1]: number for place, number in rows}


async def messages_there(tx: SpaceTransaction, numbers_: Sequence[int]) -> set[int]:
    """Return the messages of the record that were not forgotten."""
    rows = await tx.rows(SQL["messages_there"], numbers=Int8s(numbers_)) if numbers_ else []
    return {row[0] for row in rows}


async def lately(tx: SpaceTransaction, limit: int) -> list[tuple[int, datetime]]:
    """Return the entries of the memories used last, with the time; latest first."""
    return [(entry, at) for entry, at in await tx.rows(SQL["lately"], limit=limit)]


async def matching(tx: SpaceTransaction, by: Filter) -> list[int]:
    """Return the entries whose metadata a filter lets through; those of one run are quick to find."""
    for name in ("run", "agent", "app"):
        if (equal := by.equal(f"{name}_id")) is not None:
            return await tx.column(SQL[f"matching_{name}"], metadata=by.over_metadata, equal=equal)
    return await tx.column(SQL["matching_all"], metadata=by.over_metadata)
