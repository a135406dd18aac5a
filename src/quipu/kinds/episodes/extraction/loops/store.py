"""The queries of open loops, one short function each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg.rows import class_row

from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Int4s, Int8s
from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.episodes.extraction.loops.model import Loop, LoopKind, Opened, Pressing, Resolved, Standing

_SQL = queries.load("quipu.kinds.episodes.extraction.loops")


async def standing(tx: SpaceTransaction, *, session: int, user: str | None) -> list[Standing]:
    """Return what is open to a person or in a session, latest first, 300 at most."""
    rows = await _rows(tx, "standing", {"session": session, "user": user})
    return [
        Standing(
            id=id_,
            kind=kind,
            message=message,
            voice=voice,
            text=text,
            things=frozenset(things),
            verbs=frozenset(verbs),
        )
        for id_, kind, message, voice, text, things, verbs in rows
    ]


async def known(tx: SpaceTransaction, *, session: int, first: int) -> set[tuple[int, LoopKind]]:
    """Return message and kind of all that messages of a session, from ``first`` on, ever left open."""
    rows = await _rows(tx, "known", {"session": session, "first": first})
    return {(message, kind) for message, kind in rows}


async def write(tx: SpaceTransaction, id_: UUID, one: Opened, *, session: int, user: str | None) -> None:
    """Write a loop that is left open."""
    values = {
        "id": id_,
        "kind": one.kind,
        "text": one.text,
        "voice": one.voice,
        "user": user,
        "session": session,
        "message": one.message,
        "at": one.at,
        "due": one.due,
        "things": Int4s(sorted(one.things)),
        "verbs": Int4s(sorted(one.verbs)),
    }
    await _run(tx, "open", values)
    await _run(tx, "rest_on", {"id": id_, "messages": Int8s(one.messages)})


async def mention(tx: SpaceTransaction, id_: UUID, *, at: datetime, due: datetime | None) -> None:
    """Note that it was said again."""
    await _run(tx, "mention", {"id": id_, "at": at, "due": due})


async def close(
    tx: SpaceTransaction, id_: UUID, *, at: datetime, outcome: str, evidence: str | None, message: int | None
) -> bool:
    """Close it; whether it was open."""
    values = {"id": id_, "at": at, "outcome": outcome, "evidence": evidence, "message": message}
    return bool(await _rows(tx, "close", values))


async def resolve(tx: SpaceTransaction, one: Resolved, *, at: datetime) -> None:
    """Close what a message resolves."""
    await close(tx, one.id, at=at, outcome=one.outcome, evidence=one.evidence, message=one.message)


async def reopen(tx: SpaceTransaction, id_: UUID) -> bool:
    """Open it again; whether it was closed."""
    return bool(await _rows(tx, "reopen", {"id": id_}))


async def loops(tx: SpaceTransaction, ids: Sequence[UUID]) -> list[Loop]:
    """Return loops by their ids, in that order; those that are there."""
    values = {"space": tx.space.id, "ids": list(ids)}
    async with tx.conn.cursor(row_factory=class_row(Loop)) as cursor:
        found = {loop.id: loop for loop in await (await cursor.execute(_SQL["loops"], values)).fetchall()}
    return [found[id_] for id_ in ids if id_ in found]


async def listed(
    tx: SpaceTransaction,
    *,
    state: str | None = None,
    kind: str | None = None,
    user: str | None = None,
    session: str | None = None,
    after: Loop | None = None,
    limit: int = 1_000,
    offset: int = 0,
) -> list[Loop]:
    """Return loops, latest first, behind the loop ``after``."""
    values = {
        "state": state,
        "kind": kind,
        "user": user,
        "session": session,
        "after": None if after is None else after.id,
        "after_at": None if after is None else after.closed_at or after.said_at,
        "limit": limit,
        "offset": offset,
    }
    return await loops(tx, [row[0] for row in await _rows(tx, "listed", values)])


async def pressing(
    tx: SpaceTransaction, *, user: str | None, session: str | None, now: datetime
) -> list[Pressing]:
    """Return open loops that may be urgent: the latest 1,000, and 500 each of those past due and due next."""
    values = {"space": tx.space.id, "user": user, "session": session, "now": now}
    async with tx.conn.cursor(row_factory=class_row(Pressing)) as cursor:
        return await (await cursor.execute(_SQL["pressing"], values)).fetchall()


async def ids_like(tx: SpaceTransaction, prefix: str) -> list[UUID]:
    """Return at most two loops whose id begins so."""
    return [row[0] for row in await _rows(tx, "ids_like", {"prefix": f"{prefix}%"})]


async def doomed(tx: SpaceTransaction, values: Mapping[str, object]) -> list[UUID]:
    """Return the loops that an erasure takes."""
    return [row[0] for row in await _rows(tx, "doomed", values)]


async def erase(tx: SpaceTransaction, ids: Sequence[UUID], *, messages: Sequence[int]) -> None:
    """Take loops, and of others the words of messages that go."""
    await _run(tx, "erase", {"loops": list(ids)})
    await _run(tx, "erase_evidence", {"ids": Int8s(messages)})


async def _run(tx: SpaceTransaction, name: str, values: Mapping[str, object]) -> None:
    await tx.conn.execute(_SQL[name], {"space": tx.space.id, **values})


async def _rows(tx: SpaceTransaction, name: str, values: Mapping[str, object]) -> list[tuple[Any, ...]]:
    return await (await tx.conn.execute(_SQL[name], {"space": tx.space.id, **values})).fetchall()
