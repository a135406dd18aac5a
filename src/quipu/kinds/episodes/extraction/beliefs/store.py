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
    BeliefSource,
    Conflict,
    Ending,
    Held,
    Severity,
    Strategy,
)
from quipu.record.given import row_of
from quipu.upkeep.erasure.derived_text import repeats, words

_SQL = queries.load("quipu.kinds.episodes.extraction.beliefs")


@dataclass(frozen=True, slots=True)
class Row:
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
    return [
        Held(
            id=row[0],
            person=row[1],
            key=row[2],
            value=row[3],
            form=row[4],
            nature=row[5],
            category=row[6],
            confidence=row[7],
            source=row[8],
            contested=row[9],
            times=row[10],
            again=row[11],
            said_at=row[12],
            messages=frozenset(row[13]),
        )
        for row in await tx.rows(_SQL["held"], person=person)
    ]


async def insert(tx: SpaceTransaction, values: Mapping[str, object]) -> None:
    """Insert a belief."""
    await tx.execute(_SQL["insert"], **values)


async def insert_source(
    tx: SpaceTransaction, belief: UUID, *, message: int, excerpt: str, said_at: datetime
) -> None:
    """Insert a message that says it, if it was not forgotten meanwhile."""
    await tx.execute(_SQL["insert_source"], belief=belief, message=message, excerpt=excerpt, said_at=said_at)


async def confirm(
    tx: SpaceTransaction, id_: UUID, *, confidence: float, said_at: datetime, source: str
) -> None:
    """Note that it was said again."""
    await tx.execute(_SQL["confirm"], id=id_, confidence=confidence, said_at=said_at, source=source)


async def entries(tx: SpaceTransaction, ids: Sequence[UUID]) -> list[int]:
    """Return the entries of beliefs in the index."""
    return [row[0] for row in await tx.rows(_SQL["entries"], ids=list(ids))]


async def end(tx: SpaceTransaction, ids: Sequence[UUID], *, ending: Ending, at: datetime) -> None:
    """End beliefs; take their entries out of the index separately."""
    await tx.execute(_SQL["end"], ids=list(ids), ending=ending, at=at)


async def succeed(tx: SpaceTransaction, ids: Sequence[UUID], successor: UUID) -> None:
    """Note the beliefs that replace others."""
    await tx.execute(_SQL["succeed"], ids=list(ids), successor=successor)


async def stand(tx: SpaceTransaction, id_: UUID, *, entry: int) -> None:
    """Let a contested belief stand from now on."""
    await tx.execute(_SQL["stand"], id=id_, entry=entry)


async def contest(
    tx: SpaceTransaction, *, belief: UUID, rival: UUID, severity: Severity, at: datetime
) -> None:
    """Begin a conflict."""
    await tx.execute(_SQL["contest"], belief=belief, rival=rival, severity=severity, at=at)


async def settle(tx: SpaceTransaction, ids: Sequence[UUID], *, strategy: Strategy, at: datetime) -> None:
    """Settle the conflicts of beliefs."""
    state = "decayed" if strategy == "decayed" else "resolved"
    await tx.execute(_SQL["settle"], ids=list(ids), strategy=strategy, state=state, at=at)


async def surface(tx: SpaceTransaction, id_: UUID, *, at: datetime) -> None:
    """Note that somebody is asked about a conflict."""
    await tx.execute(_SQL["surface"], id=id_, at=at)


async def stale(tx: SpaceTransaction, *, before: datetime) -> list[tuple[UUID, UUID]]:
    """Return conflicts of which nothing was heard since a time: belief and rival."""
    return [(row[0], row[1]) for row in await tx.rows(_SQL["stale"], before=before)]


async def beliefs(
    tx: SpaceTransaction,
    *,
    ids: Sequence[UUID] | None = None,
    person: str | None = None,
    key: str | None = None,
    state: str | None = None,
    limit: int = 1_000,
    offset: int = 0,
) -> list[Belief]:
    """Return beliefs, surest first."""
    return await tx.fetch(
        Belief,
        _SQL["beliefs"],
        ids=None if ids is None else list(ids),
        person=person,
        key=key,
        state=state,
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
    rows = await tx.rows(_SQL["conflicts"], id=id, of=of, person=person, all=settled, limit=limit)
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


async def sources(tx: SpaceTransaction, id_: UUID) -> list[BeliefSource]:
    """Return the sources of a belief, latest first."""
    return await tx.fetch(BeliefSource, _SQL["sources"], id=id_)


async def row(tx: SpaceTransaction | None, id_: UUID | str) -> Row:
    """Return the fields of a belief that a change needs, by its id or the only id that begins so.

    Raises:
        NotFound: there is none.
        BadInput: several begin so, or it is no id.
    """
    return await row_of(
        tx,
        id_,
        like=_SQL["ids_like"],
        fetch=lambda tx, ids: tx.fetch(Row, _SQL["row"], id=ids[0]),
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
        like=_SQL["conflict_ids_like"],
        fetch=lambda tx, ids: conflicts(tx, id=ids[0], settled=True),
        what="conflict",
        hint="The list of conflicts shows them.",
    )


async def beside(tx: SpaceTransaction, row: Row, *, slots: Sequence[str]) -> list[UUID]:
    """Return other beliefs of the person and key, contested or in one of ``slots``, surest first."""
    return [
        one[0]
        for one in await tx.rows(_SQL["beside"], id=row.id, person=row.person, key=row.key, slots=list(slots))
    ]


async def cited(tx: SpaceTransaction, ids: Sequence[int]) -> list[Cited]:
    """Return the standing beliefs of entries."""
    return await tx.fetch(Cited, _SQL["cited"], ids=Int8s(ids))


async def doomed(
    tx: SpaceTransaction, messages: Sequence[int], *, person: str | None, everything: bool
) -> list[tuple[UUID, int | None]]:
    """Return the beliefs that an erasure takes, each with its entry in the index.

    A belief that other messages say too goes where it is worded as only the erased ones said it.
    """
    ids = Int8s(messages)
    rows = await tx.rows(_SQL["doomed"], ids=ids, person=person, everything=everything)
    gone = [(id_, entry) for id_, entry in rows]
    restated = await tx.rows(_SQL["restated"], ids=ids, doomed=[id_ for id_, _ in gone])
    return gone + [
        (id_, entry)
        for id_, entry, value, erased, kept in restated
        if repeats(value, erased=words(erased), remaining=words(kept))
    ]


async def delete(tx: SpaceTransaction, ids: Sequence[UUID]) -> None:
    """Take beliefs, with sources and conflicts."""
    await tx.execute(_SQL["delete"], ids=list(ids))


async def erase_sources(tx: SpaceTransaction, messages: Sequence[int]) -> None:
    """Erase what messages that go said of beliefs that stay."""
    await tx.execute(_SQL["erase_sources"], ids=Int8s(messages))
    await tx.execute(_SQL["redate"])


async def end_free(tx: SpaceTransaction) -> None:
    """End contested beliefs that are in no conflict any more: what they contested is gone."""
    await tx.execute(_SQL["end_free"])
