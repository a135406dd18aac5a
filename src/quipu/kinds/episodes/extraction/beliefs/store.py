"""The queries of beliefs and conflicts, one short function each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.episodes.extraction.beliefs.model import (
    Belief,
    Conflict,
    Held,
    Strategy,
)
from quipu.record.ids import row_of
from quipu.upkeep.erasure.derived_text import repeats, words

SQL = queries.load("quipu.kinds.episodes.extraction.beliefs")


@dataclass(frozen=True, slots=True)
class StoredBelief:
    """Fields of a belief that a change needs."""

    id: UUID
    person: str
    user: str | None
    key: str
    slot: str
    value: str
    nature: str
    category: str
    state: str
    said_at: datetime
    entry: int | None


@dataclass(frozen=True, slots=True)
class Cited:
    """A belief that was found."""

    entry: int
    id: UUID
    person: str
    user: str | None
    key: str
    value: str
    nature: str
    said_at: datetime
    session: str | None
    recorded_at: datetime


async def held(tx: SpaceTransaction, person: str) -> list[Held]:
    """Return the standing and contested beliefs about a person, in the order in which they were said last."""
    return await tx.fetch(Held, SQL["about"], person=person)


async def entries(tx: SpaceTransaction, ids: Sequence[UUID]) -> list[int]:
    """Return the entries of beliefs in the index."""
    return await tx.column(SQL["entries"], ids=list(ids))


async def insert(tx: SpaceTransaction, values: Mapping[str, object]) -> None:
    """Insert a belief."""
    await tx.execute(SQL["insert"], **values)


async def succeed(tx: SpaceTransaction, ids: Sequence[UUID], successor: UUID) -> None:
    """Note the beliefs that replace others."""
    await tx.execute(SQL["succeed"], ids=list(ids), successor=successor)


async def settle(tx: SpaceTransaction, ids: Sequence[UUID], *, strategy: Strategy, at: datetime) -> None:
    """Settle the conflicts of beliefs."""
    state = "decayed" if strategy == "decayed" else "resolved"
    await tx.execute(SQL["settle"], ids=list(ids), strategy=strategy, state=state, at=at)


async def stale(tx: SpaceTransaction, *, before: datetime) -> list[tuple[UUID, UUID]]:
    """Return conflicts of which nothing was heard since a time: belief and rival."""
    return [(row[0], row[1]) for row in await tx.rows(SQL["stale"], before=before)]


async def beliefs(
    tx: SpaceTransaction,
    *,
    ids: Sequence[UUID] | None = None,
    person: str | None = None,
    key: str | None = None,
    state: str | None = None,
    current_at: datetime | None = None,
    limit: int = 1_000,
    offset: int = 0,
) -> list[Belief]:
    """Return beliefs, surest first; with ``current_at`` only what still held then."""
    return await tx.fetch(
        Belief,
        SQL["beliefs"],
        ids=None if ids is None else list(ids),
        person=person,
        key=key,
        state=state,
        current_at=current_at,
        limit=limit,
        offset=offset,
    )


async def conflicts(
    tx: SpaceTransaction,
    *,
    id: UUID | None = None,
    of: UUID | None = None,
    person: str | None = None,
    settled: bool = False,
    limit: int = 1_000,
) -> list[Conflict]:
    """Return conflicts with both sides, worst first; with ``settled``, settled ones too."""
    rows = await tx.rows(SQL["conflicts"], id=id, of=of, person=person, all=settled, limit=limit)
    sides = {row[place] for row in rows for place in (1, 2)}
    by_id = {one.id: one for one in await beliefs(tx, ids=sorted(sides))}
    return [
        Conflict(
            id=row[0],
            person=by_id[row[1]].person,
            key=by_id[row[1]].key,
            belief=by_id[row[1]],
            rival=by_id[row[2]],
            severity=row[3],
            state=row[4],
            surfaced=row[5],
            opened_at=row[6],
            resolved_at=row[7],
            strategy=row[8],
        )
        for row in rows
    ]


async def row(tx: SpaceTransaction | None, id_: UUID | str) -> StoredBelief:
    """Return the fields of a belief that a change needs, by its id or the only id that begins so.

    Raises:
        NotFound: there is none.
        BadInput: several begin so, or it is no id.
    """
    return await row_of(
        tx,
        id_,
        like=SQL["ids_like"],
        fetch=lambda tx, ids: tx.fetch(StoredBelief, SQL["row"], id=ids[0]),
        what="belief",
        hint="The list of beliefs in all states shows them.",
    )


async def conflict(tx: SpaceTransaction, id_: UUID | str) -> Conflict:
    """Return a conflict, be it settled, by its id or the only id that begins so.

    Raises:
        NotFound: there is none.
        BadInput: several begin so, or it is no id.
    """
    return await row_of(
        tx,
        id_,
        like=SQL["conflict_ids_like"],
        fetch=lambda tx, ids: conflicts(tx, id=ids[0], settled=True),
        what="conflict",
        hint="The list of conflicts shows them.",
    )


async def beside(tx: SpaceTransaction, row: StoredBelief, *, slots: Sequence[str]) -> list[UUID]:
    """Return other beliefs of the person and key, contested or in one of ``slots``, surest first."""
    return await tx.column(SQL["beside"], id=row.id, person=row.person, key=row.key, slots=list(slots))


async def is_free(tx: SpaceTransaction, row: StoredBelief) -> bool:
    """Return True if nothing stands in the place of a belief."""
    return not await tx.rows(SQL["stands"], person=row.person, key=row.key, slot=row.slot)


async def doomed(
    tx: SpaceTransaction, messages: Sequence[int], *, person: str | None, everything: bool
) -> list[tuple[UUID, int | None]]:
    """Return the beliefs that an erasure takes, each with its entry in the index.

    A belief that other messages say too goes where it is worded as only the erased ones said it.
    """
    ids = Int8s(messages)
    rows = await tx.rows(SQL["doomed"], ids=ids, person=person, everything=everything)
    gone = [(id_, entry) for id_, entry in rows]
    restated = await tx.rows(SQL["restated"], ids=ids, doomed=[id_ for id_, _ in gone])
    return gone + [
        (id_, entry)
        for id_, entry, value, erased, kept in restated
        if repeats(value, erased=words(erased), remaining=words(kept))
    ]


async def delete(tx: SpaceTransaction, ids: Sequence[UUID]) -> None:
    """Take beliefs, with sources and conflicts."""
    await tx.execute(SQL["delete"], ids=list(ids))


async def erase_sources(tx: SpaceTransaction, messages: Sequence[int]) -> None:
    """Erase what messages that go said of beliefs that stay."""
    await tx.execute(SQL["erase_sources"], ids=Int8s(messages))
    await tx.execute(SQL["redate"])
