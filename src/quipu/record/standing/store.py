"""The queries of standing rules, one short function each."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Int8s, Texts, Vector
from quipu.kernel.db.database import Connection, Rows, SpaceTransaction, ask
from quipu.record.ids import row_of
from quipu.record.standing.model import Draft, Known, MadeBy, RuleSource, StandingRule
from quipu.upkeep.erasure.model import What

MOST_IN_FORCE: Final = 200
"""Of one person: older rules stay in force, and are neither compared nor shown in prompts."""

_SQL = queries.load("quipu.record.standing")


async def ask_in_force(conn: Connection, users: Collection[str] | None) -> Rows:
    """Ask, in a pipeline or not, for the rules in force of people and of the whole space; None: everybody's.

    A row is the fields of a `Known`; the latest comes first.
    """
    values = {"users": Texts(sorted(users or ())), "every": users is None, "limit": MOST_IN_FORCE}
    return await ask(conn, _SQL["in_force"], values, binary=True)


async def in_force(tx: SpaceTransaction, users: Collection[str] | None) -> list[Known]:
    """Return the rules in force of people and of the whole space, latest first; of everybody for None."""
    return [Known(*row) for row in await (await ask_in_force(tx.conn, users)).fetchall()]


async def add(tx: SpaceTransaction, one: Draft, *, now: datetime) -> None:
    """Keep a rule."""
    await tx.execute(
        _SQL["add"],
        id=one.id,
        user=one.user,
        message=one.message,
        text=one.text,
        scope=one.scope,
        made_by=one.made_by,
        since=one.since,
        now=now,
        ended_at=one.ended_at,
        ended_in=one.ended_in,
    )


async def end(
    tx: SpaceTransaction, ids: Sequence[UUID], *, at: datetime, ended_by: MadeBy, message: int | None
) -> None:
    """End rules; those that have ended stay as they are."""
    await tx.execute(_SQL["end"], ids=list(ids), at=at, ended_by=ended_by, message=message)


async def begin_again(tx: SpaceTransaction, id_: UUID) -> None:
    """Put a rule in force that has ended."""
    await tx.execute(_SQL["begin_again"], id=id_)


async def erase(tx: SpaceTransaction, id_: UUID) -> None:
    """Take a rule out for good."""
    await tx.execute(_SQL["erase"], id=id_)


async def count_of_erasure(tx: SpaceTransaction, what: What, messages: Sequence[int]) -> int:
    """Count the rules that an erasure of messages, or of a person, takes."""
    user, ids = _whole_person(what), Int8s(messages)
    rows = await tx.rows(_SQL["count_of_erasure"], everything=what.everything, messages=ids, user=user)
    return rows[0][0]


async def erase_of_person(tx: SpaceTransaction, what: What) -> None:
    """Take out the rules of a person who is erased; those of a message go with it."""
    if (user := _whole_person(what)) is not None:
        await tx.execute(_SQL["erase_of_person"], user=user)


async def rules(tx: SpaceTransaction, ids: Sequence[UUID]) -> list[StandingRule]:
    """Return rules by their ids, in that order; those that are there."""
    found = {one.id: one for one in await tx.fetch(StandingRule, _SQL["rules"], ids=list(ids))}
    return [found[id_] for id_ in ids if id_ in found]


async def rule(tx: SpaceTransaction | None, id_: UUID | str) -> StandingRule:
    """Return the rule with an id, or with the only id that begins so.

    Raises:
        NotFound: there is none.
        BadInput: several begin so, or it is no id.
    """
    hint = "The list of rules in all states shows them."
    return await row_of(tx, id_, like=_SQL["ids_like"], fetch=rules, what="rule", hint=hint)


async def listed(
    tx: SpaceTransaction,
    *,
    archived: bool | None,
    user: str | None,
    after: StandingRule | None,
    limit: int,
    offset: int,
) -> list[StandingRule]:
    """Return rules, those in force first, latest first, behind the rule ``after``."""
    rows = await tx.rows(
        _SQL["listed"],
        archived=archived,
        user=user,
        after=None if after is None else after.id,
        after_in_force=None if after is None else after.ended_at is None,
        after_since=None if after is None else after.since,
        limit=limit,
        offset=offset,
    )
    return await rules(tx, [row[0] for row in rows])


async def sources(tx: SpaceTransaction, id_: UUID) -> list[RuleSource]:
    """Return the messages that a rule rests on and was ended by, latest first."""
    return await tx.fetch(RuleSource, _SQL["sources"], id=id_)


async def nearness(
    tx: SpaceTransaction, messages: Sequence[int], vector: NDArray[np.float32], *, generation: int | None
) -> Mapping[int, float]:
    """Return the cosines of messages with a unit vector, of those that are filed."""
    ids = Int8s(messages)
    return dict(await tx.rows(_SQL["nearness"], vector=Vector(vector), generation=generation, ids=ids))


def _whole_person(what: What) -> str | None:
    return what.user if what.session is None and what.message is None else None
