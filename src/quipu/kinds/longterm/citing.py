"""The words that memories rest on, down to the messages of the record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from quipu.kernel.base.text import clean, excerpt
from quipu.kernel.db.database import SpaceTransaction
from quipu.kernel.redact import redact
from quipu.kinds.longterm import store
from quipu.kinds.longterm.checking import LONGEST_EXCERPT
from quipu.kinds.longterm.model import MemorySource


async def still_there(tx: SpaceTransaction, said: Sequence[MemorySource]) -> list[MemorySource]:
    """Return sources with their record numbers, without those whose message was forgotten meanwhile."""
    found = await store.numbers(tx, said)
    known = [replace(one, number=found.get(place, one.number)) for place, one in enumerate(said)]
    there = await store.messages_there(tx, [one.number for one in known if one.number is not None])
    return [one for one in known if one.number is None or one.number in there]


async def knows(tx: SpaceTransaction, id_: UUID, said: Sequence[MemorySource]) -> bool:
    """Return True if a memory rests on all of these messages already."""
    told = await store.told_by(tx, id_, said)
    return all(one.message is not None and (one.session, one.message) in told for one in said)


async def cite(
    tx: SpaceTransaction, id_: UUID, version: int, said: Sequence[MemorySource], *, by: str, now: datetime
) -> None:
    """Note what a version of a memory rests on; secrets are cut out of the words."""
    for one in said:
        values = {
            "id": id_,
            "version": version,
            "session": one.session,
            "message": one.message,
            "number": one.number,
            "turn": one.turn,
            "excerpt": excerpt(redact(clean(one.excerpt).text).text, LONGEST_EXCERPT),
            "by": by,
            "happened_at": one.happened_at,
            "now": now,
        }
        await store.run(tx, "insert_source", values)


async def carry(tx: SpaceTransaction, id_: UUID, *, before: int, to: int) -> None:
    """Copy the sources of the version ``before`` to the version ``to``."""
    await store.run(tx, "carry_sources", {"id": id_, "before": before, "version": to})
