"""The queries of long-term memory, one short function each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from quipu.errors import NotFound
from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.longterm.model import (
    Category,
    Importance,
    LongtermMemory,
    MemoryCount,
    MemoryRevision,
    MemorySource,
    Wording,
)
from quipu.record.given import id_of, only

_SQL = queries.load("quipu.kinds.longterm")
_ALL: Final = 2**31 - 1
_HINT: Final = "The list of memories shows them."
_PUBLIC: Final = tuple(field.name for field in fields(LongtermMemory))


@dataclass(frozen=True, slots=True, kw_only=True)
class Row(LongtermMemory):
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
    await run(tx, "hold")


async def memories(
    tx: SpaceTransaction,
    narrowed: Narrowed | None = None,
    *,
    ids: Sequence[str] | None = None,
    entries: Sequence[int] | None = None,
    after: Row | None = None,
    limit: int = _ALL,
    offset: int = 0,
) -> list[Row]:
    """Return memories behind ``after``: live ones first, then by importance, then by last change."""
    return await tx.fetch(
        Row,
        _SQL["memories"],
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


async def memory(tx: SpaceTransaction | None, id_: UUID | str) -> Row:
    """Return the memory with an id, or with the only id that begins so.

    Raises:
        NotFound: there is none.
        BadInput: several ids begin so, or it is no id.
    """
    wanted = id_of(id_, what="a memory", hint=_HINT)
    if tx is not None:
        if isinstance(wanted, str):
            like = await tx.rows(_SQL["ids_like"], prefix=f"{wanted}%")
            wanted = only([row[0] for row in like], wanted) or wanted
        found = await memories(tx, ids=[str(wanted)]) if isinstance(wanted, UUID) else []
        if found:
            return found[0]
    raise NotFound(f"There is no memory {wanted} in this space.", hint=_HINT)


async def by_hash(tx: SpaceTransaction, *, user: str | None, hash: str) -> Row | None:
    """Return the memory of a user that says this: the live one, else the one archived last."""
    ids = await tx.rows(_SQL["by_hash"], user=user, hash=hash)
    return await memory(tx, ids[0][0]) if ids else None


async def live_with_hash(tx: SpaceTransaction, *, user: str | None, hash: str, besides: str) -> UUID | None:
    """Return another live memory of a user that says this."""
    ids = await tx.rows(_SQL["live_with_hash"], user=user, hash=hash, id=besides)
    return ids[0][0] if ids else None


async def history(tx: SpaceTransaction, id_: str) -> list[MemoryRevision]:
    """Return the wordings of a memory before each change, latest first."""
    return await tx.fetch(MemoryRevision, _SQL["history"], id=id_)


async def wording(tx: SpaceTransaction, id_: str, version: int) -> Wording | None:
    """Return the wording of an earlier version of a memory."""
    return await tx.fetch_one(Wording, _SQL["wording"], id=id_, version=version)


async def sources(tx: SpaceTransaction, id_: str) -> list[MemorySource]:
    """Return the words that a memory rests on as it reads now, latest first."""
    return await tx.fetch(MemorySource, _SQL["sources"], id=id_)


async def cited_messages(
    tx: SpaceTransaction, id_: str, said: Sequence[MemorySource]
) -> set[tuple[str | None, str]]:
    """Return those of the messages, by session and id, that a memory rests on already."""
    messages = [source.message for source in said if source.message is not None]
    return {tuple(row) for row in await tx.rows(_SQL["told_by"], id=id_, messages=messages)}


async def numbers(tx: SpaceTransaction, said: Sequence[MemorySource]) -> dict[int, int]:
    """Return the numbers of sources in the record, by their place in ``said``."""
    places = [
        place for place, source in enumerate(said) if source.message is not None and source.number is None
    ]
    if not places:
        return {}
    rows = await tx.rows(
        _SQL["numbers"],
        messages=[said[place].message for place in places],
        sessions=[said[place].session for place in places],
    )
    return {places[place - 1]: number for place, number in rows}


async def messages_there(tx: SpaceTransaction, numbers_: Sequence[int]) -> set[int]:
    """Return the messages of the record that were not forgotten."""
    rows = await tx.rows(_SQL["messages_there"], numbers=Int8s(numbers_)) if numbers_ else []
    return {row[0] for row in rows}


async def accessed(tx: SpaceTransaction, ids: Sequence[str], *, now: datetime, apart: timedelta) -> int:
    """Note that memories were put into a prompt; return how many of them count."""
    return await tx.execute(_SQL["accessed"], ids=list(ids), now=now, apart=apart)


async def lately(tx: SpaceTransaction, limit: int) -> list[tuple[int, datetime]]:
    """Return the entries of the memories used last, with the time; latest first."""
    return [(entry, at) for entry, at in await tx.rows(_SQL["lately"], limit=limit)]


async def cited(tx: SpaceTransaction, entries: Sequence[int]) -> list[Cited]:
    """Return the entries of memories as recall shows them."""
    return await tx.fetch(Cited, _SQL["cited"], ids=Int8s(entries))


async def counts(tx: SpaceTransaction, *, user: str | None) -> list[MemoryCount]:
    """Count the memories of each category and importance."""
    return await tx.fetch(MemoryCount, _SQL["counts"], user=user)


async def doomed(tx: SpaceTransaction, name: str, **values: object) -> list[int]:
    """Return the ids that an erasure takes, by the name of the query."""
    return [row[0] for row in await (await tx.run(_SQL[name], values)).fetchall()]


async def doomed_memories(tx: SpaceTransaction, **values: object) -> list[tuple[str, int | None]]:
    """Return the memories that an erasure takes, with their entries."""
    return await (await tx.run(_SQL["doomed_memories"], values)).fetchall()


async def wordings(
    tx: SpaceTransaction, *, sources: Sequence[int], messages: Sequence[int], doomed: Sequence[str]
) -> list[Resting]:
    """Return the wordings of memories with a source in what loses messages, by memory."""
    return await tx.fetch(
        Resting,
        _SQL["wordings"],
        sources=Int8s(sources),
        messages=Int8s(messages),
        doomed=list(doomed),
    )


async def said(tx: SpaceTransaction, messages: Sequence[int]) -> list[str]:
    """Return the texts of messages."""
    return [row[0] for row in await tx.rows(_SQL["said"], messages=Int8s(messages))]


async def run(tx: SpaceTransaction, name: str, /, **values: object) -> None:
    """Run a write by its name."""
    await tx.execute(_SQL[name], **values)
