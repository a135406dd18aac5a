"""The queries of open loops, one short function each."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Int4s, Int8s
from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.episodes.extraction.loops.model import Loop, LoopKind, Opened, Resolved, Standing
from quipu.record.ids import row_of

SQL = queries.load("quipu.kinds.episodes.extraction.loops")


async def standing(tx: SpaceTransaction, *, session: int, user: str | None) -> list[Standing]:
    """Return the open loops of a person or a session, latest first, 300 at most."""
    rows = await tx.rows(SQL["standing"], session=session, user=user)
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
    rows = await tx.rows(SQL["known"], session=session, first=first)
    return {(message, kind) for message, kind in rows}


async def write(tx: SpaceTransaction, id_: UUID, one: Opened, *, session: int, user: str | None) -> None:
    """Write a loop that is left open."""
    await tx.execute(
        SQL["open"],
        id=id_,
        kind=one.kind,
        text=one.text,
        voice=one.voice,
        user=user,
        session=session,
        message=one.message,
        at=one.at,
        due=one.due,
        things=Int4s(sorted(one.things)),
        verbs=Int4s(sorted(one.verbs)),
    )
    await tx.execute(SQL["rest_on"], id=id_, messages=Int8s(one.messages))


async def close(
    tx: SpaceTransaction, id_: UUID, *, at: datetime, outcome: str, evidence: str | None, message: int | None
) -> bool:
    """Close a loop; return True if it was open."""
    return bool(
        await tx.rows(SQL["close"], id=id_, at=at, outcome=outcome, evidence=evidence, message=message)
    )


LAPSED: Final = 14
"""Days after its last day on which a loop is closed, where nobody said that it came about."""


UNDATED: Final = 90
"""Days after which a loop without a day is closed, where nobody spoke of it again."""


async def lapse(tx: SpaceTransaction, *, session: int, user: str | None, at: datetime) -> None:
    """Close what a person or a session left open: ``LAPSED`` days after its day, ``UNDATED`` without one."""
    evidence = "Its day is long past, and nobody said that it came about."
    await tx.execute(
        SQL["lapse"], session=session, user=user, at=at, days=LAPSED, undated=UNDATED, evidence=evidence
    )


async def resolve(tx: SpaceTransaction, one: Resolved, *, at: datetime) -> None:
    """Close what a message resolves."""
    await close(tx, one.id, at=at, outcome=one.outcome, evidence=one.evidence, message=one.message)


async def reopen(tx: SpaceTransaction, id_: UUID) -> bool:
    """Open a loop again; return True if it was closed."""
    return bool(await tx.rows(SQL["reopen"], id=id_))


async def loops(tx: SpaceTransaction, ids: Sequence[UUID]) -> list[Loop]:
    """Return loops by their ids, in that order; those that are there."""
    by_id = {loop.id: loop for loop in await tx.fetch(Loop, SQL["loops"], ids=list(ids))}
    return [by_id[id_] for id_ in ids if id_ in by_id]


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
    return await loops(
        tx,
        await tx.column(
            SQL["listed"],
            state=state,
            kind=kind,
            user=user,
            session=session,
            after=None if after is None else after.id,
            after_at=None if after is None else after.closed_at or after.said_at,
            limit=limit,
            offset=offset,
        ),
    )


async def loop(tx: SpaceTransaction | None, id_: UUID | str) -> Loop:
    """Return the loop with an id, or with the only id that begins so.

    Raises:
        NotFound: there is none.
        BadInput: several begin so, or it is no id.
    """
    hint = "The list of loops in all states shows them."
    return await row_of(tx, id_, like=SQL["ids_like"], fetch=loops, what="loop", hint=hint)


async def doomed(
    tx: SpaceTransaction, messages: Sequence[int], *, person: str | None, everything: bool
) -> list[UUID]:
    """Return the loops that an erasure takes."""
    return await tx.column(SQL["doomed"], ids=Int8s(messages), person=person, everything=everything)


async def erase(tx: SpaceTransaction, ids: Sequence[UUID], *, messages: Sequence[int]) -> None:
    """Take loops, and of others the words of messages that go."""
    await tx.execute(SQL["erase"], loops=list(ids))
    await tx.execute(SQL["erase_evidence"], ids=Int8s(messages))
