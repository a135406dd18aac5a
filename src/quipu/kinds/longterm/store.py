"""The queries of long-term memory, one short function each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from psycopg.rows import class_row

from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.longterm.model import (
    Category,
    Importance,
    MemoryCount,
    MemoryRevision,
    MemorySource,
    Wording,
)

_SQL = queries.load("quipu.kinds.longterm")
_ALL: Final = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Row:
    """A memory as it is stored."""

    id: UUID
    category: Category
    importance: Importance
    summary: str
    details: str | None
    hash: str
    source: str | None
    created_at: datetime
    updated_at: datetime
    last_accessed_at: datetime | None
    access_count: int
    version: int
    archived: bool
    user: str | None
    session: str | None
    happened_at: datetime
    stated_count: int
    entry_id: int | None
    sources: int

    @property
    def wording(self) -> Wording:
        """Wording of this version."""
        return Wording(
            category=self.category, importance=self.importance, summary=self.summary, details=self.details
        )


@dataclass(frozen=True, slots=True)
class Resting:
    """A wording of a memory and one of the memory's sources; ``goes`` where the source is erased.

    ``history`` is the id of an earlier wording, None of the present one; ``content`` the whole message.
    """

    memory: UUID
    entry: int | None
    history: int | None
    text: str
    excerpt: str
    content: str
    goes: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrowed:
    """Conditions on memories; None sets no condition. ``text`` is a pattern of ILIKE."""

    category: Category | None = None
    importance: Importance | None = None
    user: str | None = None
    archived: bool | None = None
    text: str | None = None
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Cited:
    """Part of a memory that recall shows."""

    id: int
    summary: str
    details: str | None
    happened_at: datetime
    recorded_at: datetime
    said: str
    session: str | None
    category: str
    user: str | None


async def hold(tx: SpaceTransaction) -> None:
    """Wait until nobody else changes the memories of the space."""
    await run(tx, "hold", {})


async def memories(
    tx: SpaceTransaction,
    narrowed: Narrowed | None = None,
    *,
    ids: Sequence[UUID] | None = None,
    entries: Sequence[int] | None = None,
    after: Row | None = None,
    limit: int = _ALL,
    offset: int = 0,
) -> list[Row]:
    """Return memories behind ``after``: live ones first, then by importance, then by last change."""
    wanted = narrowed or Narrowed()
    given = {
        "space": tx.space.id,
        "ids": None if ids is None else list(ids),
        "entries": None if entries is None else Int8s(entries),
        "category": wanted.category,
        "importance": wanted.importance,
        "user": wanted.user,
        "archived": wanted.archived,
        "text": wanted.text,
        "since": wanted.since,
        "until": wanted.until,
        "after": None if after is None else after.id,
        "after_archived": None if after is None else after.archived,
        "after_importance": None if after is None else after.importance,
        "after_updated": None if after is None else after.updated_at,
        "limit": limit,
        "offset": offset,
    }
    async with tx.conn.cursor(row_factory=class_row(Row)) as cursor:
        return await (await cursor.execute(_SQL["memories"], given)).fetchall()


async def memory(tx: SpaceTransaction, id_: UUID) -> Row | None:
    """Return the memory with an id."""
    found = await memories(tx, ids=[id_])
    return found[0] if found else None


async def ids_like(tx: SpaceTransaction, prefix: str) -> list[UUID]:
    """Return at most two memories whose id begins so."""
    return [row[0] for row in await _rows(tx, "ids_like", {"prefix": f"{prefix}%"})]


async def by_hash(tx: SpaceTransaction, *, user: str | None, hash: str) -> Row | None:
    """Return the memory of a user that says this: the live one, else the one archived last."""
    found = await _rows(tx, "by_hash", {"user": user, "hash": hash})
    return await memory(tx, found[0][0]) if found else None


async def live_with_hash(tx: SpaceTransaction, *, user: str | None, hash: str, besides: UUID) -> UUID | None:
    """Return another live memory of a user that says this."""
    found = await _rows(tx, "live_with_hash", {"user": user, "hash": hash, "id": besides})
    return found[0][0] if found else None


async def history(tx: SpaceTransaction, id_: UUID) -> list[MemoryRevision]:
    """Return the wordings of a memory before each change, latest first."""
    async with tx.conn.cursor(row_factory=class_row(MemoryRevision)) as cursor:
        await cursor.execute(_SQL["history"], {"space": tx.space.id, "id": id_})
        return await cursor.fetchall()


async def wording(tx: SpaceTransaction, id_: UUID, version: int) -> Wording | None:
    """Return the wording of an earlier version of a memory."""
    async with tx.conn.cursor(row_factory=class_row(Wording)) as cursor:
        given = {"space": tx.space.id, "id": id_, "version": version}
        return await (await cursor.execute(_SQL["wording"], given)).fetchone()


async def sources(tx: SpaceTransaction, id_: UUID) -> list[MemorySource]:
    """Return the words that a memory rests on as it reads now, latest first."""
    async with tx.conn.cursor(row_factory=class_row(MemorySource)) as cursor:
        await cursor.execute(_SQL["sources"], {"space": tx.space.id, "id": id_})
        return await cursor.fetchall()


async def told_by(
    tx: SpaceTransaction, id_: UUID, said: Sequence[MemorySource]
) -> set[tuple[str | None, str]]:
    """Return the messages, by session and id, that a memory rests on already."""
    messages = [one.message for one in said if one.message is not None]
    return {tuple(row) for row in await _rows(tx, "told_by", {"id": id_, "messages": messages})}


async def numbers(tx: SpaceTransaction, said: Sequence[MemorySource]) -> dict[int, int]:
    """Return the numbers of sources in the record, by their place in ``said``."""
    places = [place for place, one in enumerate(said) if one.message is not None and one.number is None]
    given = {
        "messages": [said[place].message for place in places],
        "sessions": [said[place].session for place in places],
    }
    found = await _rows(tx, "numbers", given) if places else []
    return {places[place - 1]: number for place, number in found}


async def messages_there(tx: SpaceTransaction, numbers_: Sequence[int]) -> set[int]:
    """Return the messages of the record that were not forgotten."""
    if not numbers_:
        return set()
    return {row[0] for row in await _rows(tx, "messages_there", {"numbers": Int8s(numbers_)})}


async def accessed(tx: SpaceTransaction, ids: Sequence[UUID], *, now: datetime, apart: timedelta) -> int:
    """Note that memories were put into a prompt; how many of them count."""
    return len(await _rows(tx, "accessed", {"ids": list(ids), "now": now, "apart": apart}))


async def lately(tx: SpaceTransaction, limit: int) -> list[tuple[int, datetime]]:
    """Return the entries of the memories used last, with the time; latest first."""
    return [(entry, at) for entry, at in await _rows(tx, "lately", {"limit": limit})]


async def cited(tx: SpaceTransaction, entries: Sequence[int]) -> list[Cited]:
    """Return what recall shows of the entries of memories."""
    async with tx.conn.cursor(row_factory=class_row(Cited)) as cursor:
        given = {"space": tx.space.id, "ids": Int8s(entries)}
        return await (await cursor.execute(_SQL["cited"], given)).fetchall()


async def counts(tx: SpaceTransaction, *, user: str | None) -> list[MemoryCount]:
    """Count the memories of each category and importance."""
    async with tx.conn.cursor(row_factory=class_row(MemoryCount)) as cursor:
        await cursor.execute(_SQL["counts"], {"space": tx.space.id, "user": user})
        return await cursor.fetchall()


async def doomed(tx: SpaceTransaction, name: str, given: Mapping[str, object]) -> list[int]:
    """Return the ids of what an erasure takes, by the name of the query."""
    return [row[0] for row in await _rows(tx, name, given)]


async def doomed_memories(tx: SpaceTransaction, given: Mapping[str, object]) -> list[tuple[UUID, int | None]]:
    """Return the memories that an erasure takes, with their entries."""
    return await _rows(tx, "doomed_memories", given)


async def wordings(tx: SpaceTransaction, given: Mapping[str, object]) -> list[Resting]:
    """Return the wordings of memories with a source in what loses messages, by memory."""
    return [Resting(*row) for row in await _rows(tx, "wordings", given)]


async def said(tx: SpaceTransaction, messages: Sequence[int]) -> list[str]:
    """Return what messages say."""
    return [row[0] for row in await _rows(tx, "said", {"messages": Int8s(messages)})]


async def run(tx: SpaceTransaction, name: str, values: Mapping[str, object]) -> None:
    """Run a write by its name; ``space`` is filled in."""
    await tx.conn.execute(_SQL[name], {"space": tx.space.id, **values})


async def _rows(tx: SpaceTransaction, name: str, values: Mapping[str, object]) -> list[tuple[Any, ...]]:
    return await (await tx.conn.execute(_SQL[name], {"space": tx.space.id, **values})).fetchall()
