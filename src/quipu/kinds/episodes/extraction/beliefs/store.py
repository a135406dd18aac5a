"""The queries of beliefs and conflicts, one short function each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg.rows import class_row

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
from quipu.upkeep.erasure.wording import repeats, words

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
class Found:
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
    """Return what stands about a person, or is contested, in the order in which it was said last."""
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
        for row in await _rows(tx, "held", {"person": person})
    ]


async def insert(tx: SpaceTransaction, values: Mapping[str, object]) -> None:
    """Insert a belief."""
    await _run(tx, "insert", values)


async def insert_source(
    tx: SpaceTransaction, belief: UUID, *, message: int, excerpt: str, said_at: datetime
) -> None:
    """Insert a message that says it, if it was not forgotten meanwhile."""
    values = {"belief": belief, "message": message, "excerpt": excerpt, "said_at": said_at}
    await _run(tx, "insert_source", values)


async def confirm(
    tx: SpaceTransaction, id_: UUID, *, confidence: float, said_at: datetime, source: str
) -> None:
    """Note that it was said again."""
    values = {"id": id_, "confidence": confidence, "said_at": said_at, "source": source}
    await _run(tx, "confirm", values)


async def entries(tx: SpaceTransaction, ids: Sequence[UUID]) -> list[int]:
    """Return the entries of beliefs in the index."""
    return [row[0] for row in await _rows(tx, "entries", {"ids": list(ids)})]


async def end(tx: SpaceTransaction, ids: Sequence[UUID], *, ending: Ending, at: datetime) -> None:
    """End beliefs; take their entries out of the index separately."""
    await _run(tx, "end", {"ids": list(ids), "ending": ending, "at": at})


async def succeed(tx: SpaceTransaction, ids: Sequence[UUID], successor: UUID) -> None:
    """Say what stands instead of beliefs."""
    await _run(tx, "succeed", {"ids": list(ids), "successor": successor})


async def stand(tx: SpaceTransaction, id_: UUID, *, entry: int) -> None:
    """Let a contested belief stand from now on."""
    await _run(tx, "stand", {"id": id_, "entry": entry})


async def contest(
    tx: SpaceTransaction, *, belief: UUID, rival: UUID, severity: Severity, at: datetime
) -> None:
    """Begin a conflict."""
    await _run(tx, "contest", {"belief": belief, "rival": rival, "severity": severity, "at": at})


async def settle(tx: SpaceTransaction, ids: Sequence[UUID], *, strategy: Strategy, at: datetime) -> None:
    """Settle the conflicts of beliefs."""
    state = "decayed" if strategy == "decayed" else "resolved"
    await _run(tx, "settle", {"ids": list(ids), "strategy": strategy, "state": state, "at": at})


async def surface(tx: SpaceTransaction, id_: UUID, *, at: datetime) -> None:
    """Note that somebody is asked about a conflict."""
    await _run(tx, "surface", {"id": id_, "at": at})


async def stale(tx: SpaceTransaction, *, before: datetime) -> list[tuple[UUID, UUID]]:
    """Return conflicts of which nothing was heard since a time: belief and rival."""
    return [(row[0], row[1]) for row in await _rows(tx, "stale", {"before": before})]


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
    values = {
        "space": tx.space.id,
        "ids": None if ids is None else list(ids),
        "person": person,
        "key": key,
        "state": state,
        "limit": limit,
        "offset": offset,
    }
    async with tx.conn.cursor(row_factory=class_row(Belief)) as cursor:
        return await (await cursor.execute(_SQL["beliefs"], values)).fetchall()


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
    values = {"id": id, "of": of, "person": person, "all": settled, "limit": limit}
    rows = await _rows(tx, "conflicts", values)
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
    """Return where a belief was said, latest first."""
    async with tx.conn.cursor(row_factory=class_row(BeliefSource)) as cursor:
        given = {"space": tx.space.id, "id": id_}
        return await (await cursor.execute(_SQL["sources"], given)).fetchall()


async def row(tx: SpaceTransaction, id_: UUID) -> Row | None:
    """Return the fields of a belief that a change needs, or None if there is none."""
    async with tx.conn.cursor(row_factory=class_row(Row)) as cursor:
        given = {"space": tx.space.id, "id": id_}
        return await (await cursor.execute(_SQL["row"], given)).fetchone()


async def beside(tx: SpaceTransaction, row: Row, *, slots: Sequence[str]) -> list[UUID]:
    """Return other beliefs of the person and key, contested or in one of ``slots``, surest first."""
    values = {"id": row.id, "person": row.person, "key": row.key, "slots": list(slots)}
    return [one[0] for one in await _rows(tx, "beside", values)]


async def ids_like(tx: SpaceTransaction, prefix: str, *, conflicts: bool = False) -> list[UUID]:
    """Return at most two beliefs (or conflicts) whose id begins so."""
    name = "conflict_ids_like" if conflicts else "ids_like"
    return [one[0] for one in await _rows(tx, name, {"prefix": f"{prefix}%"})]


async def cited(tx: SpaceTransaction, ids: Sequence[int]) -> list[Found]:
    """Return the standing beliefs of entries."""
    async with tx.conn.cursor(row_factory=class_row(Found)) as cursor:
        given = {"space": tx.space.id, "ids": Int8s(ids)}
        return await (await cursor.execute(_SQL["cited"], given)).fetchall()


async def doomed(tx: SpaceTransaction, values: Mapping[str, object]) -> list[tuple[UUID, int | None]]:
    """Return the beliefs that an erasure takes, each with its entry in the index.

    A belief that other messages say too goes where it is worded as only the erased ones said it.
    """
    gone = [(one[0], one[1]) for one in await _rows(tx, "doomed", values)]
    restated = await _rows(tx, "restated", {**values, "doomed": [one for one, _ in gone]})
    return gone + [
        (id_, entry)
        for id_, entry, value, erased, kept in restated
        if repeats(value, erased=words(erased), remaining=words(kept))
    ]


async def delete(tx: SpaceTransaction, ids: Sequence[UUID]) -> None:
    """Take beliefs, with sources and conflicts."""
    await _run(tx, "delete", {"ids": list(ids)})


async def erase_sources(tx: SpaceTransaction, messages: Sequence[int]) -> None:
    """Erase what messages that go said of beliefs that stay."""
    await _run(tx, "erase_sources", {"ids": Int8s(messages)})
    await _run(tx, "redate", {})


async def end_free(tx: SpaceTransaction) -> None:
    """End contested beliefs that are in no conflict any more: what they contested is gone."""
    await _run(tx, "end_free", {})


async def _run(tx: SpaceTransaction, name: str, values: Mapping[str, object]) -> None:
    await tx.conn.execute(_SQL[name], {"space": tx.space.id, **values})


async def _rows(tx: SpaceTransaction, name: str, values: Mapping[str, object]) -> list[tuple[Any, ...]]:
    return await (await tx.conn.execute(_SQL[name], {"space": tx.space.id, **values})).fetchall()
