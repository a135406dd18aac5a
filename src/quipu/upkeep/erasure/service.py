"""One erasure through every kind of memory, in one transaction."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from quipu.kernel.db.database import Database, Within
from quipu.recall.removal import remove
from quipu.upkeep.erasure import store
from quipu.upkeep.erasure.model import Erasure, What


class Eraser(Protocol):
    """What a kind of memory must offer so that it can be forgotten."""

    async def count(self, within: Within, what: What) -> Mapping[str, int]:
        """Rows that ``erase`` would take, by table."""
        ...

    async def erase(self, within: Within, what: What) -> Sequence[int]:
        """Take them; returns the ids of their entries in the index, which are taken out next."""
        ...


async def preview(database: Database, erasers: Sequence[Eraser], what: What, *, space: str) -> Erasure:
    """What ``erase`` would take; nothing is changed."""
    async with database.reading(space) as within:
        return Erasure(space, what, {} if within is None else await count(within, erasers, what))


async def erase(
    database: Database, erasers: Sequence[Eraser], what: What, *, space: str, now: datetime
) -> Erasure:
    """Take it all out, everywhere, and return the receipt. Other transactions see all of it or none gone."""
    async with database.erasing(space) as within:
        if within is None:
            return Erasure(space, what, {})
        await within.take_time()
        (erased,) = await take(within, [(what, erasers)], now=now)
        if what.everything:
            await store.remove_space(within)
    return erased


async def take(
    within: Within, doomed: Iterable[tuple[What, Sequence[Eraser]]], *, now: datetime
) -> list[Erasure]:
    """Take several things out, each through its erasers, in a transaction of ``Database.erasing``."""
    erased: list[Erasure] = []
    entries: list[int] = []
    for what, erasers in doomed:
        counts = await count(within, erasers, what)
        entries += [entry for eraser in erasers for entry in await eraser.erase(within, what)]
        hashes = {name: _hash(within.space.name, value) for name, value in _given(what).items()}
        receipt = await store.write_receipt(within, hashes, counts, erased_at=now)
        erased.append(Erasure(within.space.name, what, counts, receipt, now))
    if entries:
        await remove(within, entries)
    return erased


async def count(within: Within, erasers: Sequence[Eraser], what: What) -> dict[str, int]:
    """The rows that erasers would take, by table."""
    counts: dict[str, int] = {}
    for eraser in erasers:
        counts |= await eraser.count(within, what)
    return counts


def _given(what: What) -> dict[str, str | None]:
    return {"session": what.session, "user": what.user, "message": what.message}


def _hash(space: str, value: str | None) -> str | None:
    return None if value is None else hashlib.sha256(f"{space}\0{value}".encode()).hexdigest()
