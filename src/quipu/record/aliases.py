"""Other names of people: told by hand, or learnt from what is said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Int8s, Texts
from quipu.kernel.db.database import SpaceTransaction

MadeBy = Literal["rule", "person"]

_SQL = queries.load("quipu.record")


@dataclass(frozen=True, slots=True)
class Alias:
    """Another name of somebody: who is asked about as ``alias`` is ``name``, and the other way round.

    ``made_by`` says whether a rule learnt it from a message, whose id and session these are, or a person
    said so.
    """

    alias: str
    name: str
    made_by: MadeBy
    message: str | None
    session: str | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Learnt:
    """Another name that a message tells; ``message`` is its number, 0 for what a person says by hand."""

    alias: str
    name: str
    message: int = 0


async def add(tx: SpaceTransaction, learnt: Sequence[Learnt], *, now: datetime, made_by: MadeBy) -> None:
    """Keep other names; those that are known stay as they are."""
    values = {
        "alias": Texts([one.alias for one in learnt]),
        "name": Texts([one.name for one in learnt]),
        "message": Int8s([one.message for one in learnt]),
    }
    await tx.run(_SQL["add_aliases"], {**values, "now": now, "made_by": made_by})


async def added(tx: SpaceTransaction, alias: str, name: str, *, now: datetime) -> Alias:
    """Keep what a person says, and return it as it is kept."""
    await add(tx, [Learnt(alias, name)], now=now, made_by="person")
    await tx.execute(_SQL["names_changed"])
    kept = await one(tx, alias, name)
    assert kept is not None
    return kept


async def one(tx: SpaceTransaction, alias: str, name: str) -> Alias | None:
    """Return another name of somebody, in whatever capitals it is kept."""
    found = await tx.fetch(Alias, _SQL["one_alias"], alias=alias, name=name)
    return found[0] if found else None


async def every(tx: SpaceTransaction, *, limit: int, offset: int) -> list[Alias]:
    """Return other names, in order."""
    return await tx.fetch(Alias, _SQL["list_aliases"], limit=limit, offset=offset)


async def erase(tx: SpaceTransaction, alias: Alias) -> None:
    """Take another name away."""
    await tx.execute(_SQL["erase_alias"], alias=alias.alias, name=alias.name)
    await tx.execute(_SQL["names_changed"])


async def erase_of(tx: SpaceTransaction, user: str | None, *, everything: bool) -> None:
    """Take away the other names of a person who is forgotten, or all; those of messages go with these."""
    await tx.execute(_SQL["erase_aliases_of"], user=user, everything=everything)


async def count(tx: SpaceTransaction, ids: Sequence[int], user: str | None, *, everything: bool) -> int:
    """Count the other names that go with messages or with a person, or all."""
    query = _SQL["count_aliases"]
    ((found,),) = await tx.rows(query, ids=Int8s(ids), user=user, everything=everything)
    return found
