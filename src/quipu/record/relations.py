"""Links between messages: which statement replaces which earlier one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Float4s, Int8s, Texts
from quipu.kernel.db.database import SpaceTransaction

RelationName = Literal["supersedes"]
MadeBy = Literal["rule", "person"]
LinkedBy = Literal["rule", "person", "source"]
"""Who links: a rule, a person, or the system that both messages were imported from."""

_SQL = queries.load("quipu.record")


@dataclass(frozen=True, slots=True)
class Link:
    """A statement that replaces an earlier one, to be kept: the numbers of both messages.

    ``reason`` is a few words (at most 200 characters) and quotes nothing but the sign of change. ``strength``
    is how certain it is, 0 to 1.
    """

    newer: int
    older: int
    reason: str | None = None
    strength: float = 1.0


@dataclass(frozen=True, slots=True)
class Relation:
    """A link between two messages, by their numbers. ``removed_at`` is None for one that holds."""

    newer: int
    older: int
    relation: RelationName
    reason: str | None
    made_by: LinkedBy
    strength: float
    created_at: datetime
    removed_at: datetime | None = None
    removed_by: MadeBy | None = None


async def add(
    tx: SpaceTransaction, links: Sequence[Link], *, now: datetime, made_by: LinkedBy = "rule"
) -> int:
    """Keep links and return how many are new or changed; in a pipeline that number is not known.

    Adding one again changes nothing. A link that a person removed comes back only if a person adds it. Left
    out are those of which a message is gone, the older one was said later, or the opposite holds already.
    """
    if not links:
        return 0
    return await tx.execute(
        _SQL["add_relations"],
        newer=Int8s([one.newer for one in links]),
        older=Int8s([one.older for one in links]),
        reason=Texts([one.reason for one in links]),
        strength=Float4s([one.strength for one in links]),
        made_by=made_by,
        now=now,
    )


async def remove(
    tx: SpaceTransaction, newer: int, older: int, *, now: datetime, removed_by: MadeBy = "person"
) -> bool:
    """Take a link back and return whether it held; its row stays, so that no rule makes it again."""
    values = {"newer": newer, "older": older, "now": now, "removed_by": removed_by}
    return await tx.execute(_SQL["remove_relation"], **values) > 0


async def of(
    tx: SpaceTransaction, ids: Sequence[int], *, removed: bool = False
) -> Mapping[int, list[Relation]]:
    """Return the links of messages in both directions, oldest first; messages without any are left out.

    ``removed`` includes those that were taken back.
    """
    if not ids:
        return {}
    rows = await tx.fetch(Relation, _SQL["relations_of"], binary=True, ids=Int8s(ids), removed=removed)
    wanted, found = set(ids), dict[int, list[Relation]]()
    links = {(one.newer, one.older): one for one in rows}
    for one in sorted(links.values(), key=lambda one: (one.created_at, one.newer, one.older)):
        for end in {one.newer, one.older} & wanted:
            found.setdefault(end, []).append(one)
    return found


async def replaces(tx: SpaceTransaction, newer: int, older: int) -> bool:
    """Return True if one message replaces another, directly or by way of others."""
    ((found,),) = await tx.rows(_SQL["replaces"], newer=newer, older=older)
    return found


async def count(tx: SpaceTransaction, ids: Sequence[int]) -> int:
    """Count the links of messages, also those that were removed."""
    ((found,),) = await tx.rows(_SQL["count_relations"], ids=Int8s(ids))
    return found


async def named(tx: SpaceTransaction, external_id: str, session: str | None) -> list[tuple[int, int | None]]:
    """Return the messages with an id of the caller's, each with the number of its session.

    Without ``session`` those of all sessions, and those that stand alone.
    """
    return await tx.rows(_SQL["named_messages"], external_id=external_id, session=session)
