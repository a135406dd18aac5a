"""Examining every space, each as of one moment: rules in SQL, and inheritance computed again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import numpy as np
from numpy.typing import NDArray

from quipu.kernel.db import queries
from quipu.kernel.db.arrays import halfvecs
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.recall.index import EntryValues, context, shares
from quipu.recall.model import MOST_ENTRIES_OF_A_THREAD

_SQL = queries.load("quipu.upkeep.consistency")
_HERITAGE: Final = "heritage"
RULES: Final = tuple(name for name in _SQL if name != _HERITAGE)
"""Each is a query that returns what breaks it."""

_FIRST: Final = -(2**63)
_CHUNK: Final = 2_000
_ROUNDING: Final = 2e-3  # vectors are kept in 16 bits: each component is right to the third digit
_SMALL: Final = 1e-4


@dataclass(frozen=True, slots=True)
class Fault:
    """A rule that does not hold in a space, and ids or names for which it does not (100 at most)."""

    space: str
    rule: str
    found: tuple[str, ...]


async def examine(database: Database, *, spaces: Sequence[str] | None = None) -> list[Fault]:
    """Find what does not fit together, in these spaces or in all; nothing is changed.

    An empty list means that all is well. Others go on working. It reads everything once: some twenty seconds
    for 100,000 memories.
    """
    faults: list[Fault] = []
    names = [space.name for space in await database.spaces()] if spaces is None else spaces
    for name in names:
        async with database.snapshot_read(name) as tx:
            if tx is not None:
                await tx.take_time()
                faults += await _examine(tx)
    return faults


async def _examine(tx: SpaceTransaction) -> list[Fault]:
    broken = await _broken(tx)
    broken["entries_that_inherit_wrongly"] = await _inheriting_wrongly(tx)
    return [Fault(tx.space.name, rule, tuple(ids[:100])) for rule, ids in broken.items() if ids]


async def _broken(tx: SpaceTransaction) -> dict[str, list[str]]:
    """Return the ids or names that break each rule, asked in one round trip to the server."""
    async with tx.conn.pipeline():
        answers = {rule: await tx.run(_SQL[rule], {}) for rule in RULES}
    return {rule: [row[0] for row in await answer.fetchall()] for rule, answer in answers.items()}


async def _inheriting_wrongly(tx: SpaceTransaction) -> list[str]:
    """Read chunk by chunk; an entry is judged once the one after it is known."""
    ids: list[int] = []
    held: list[Kept] = []  # two that were judged, then those that are to be
    judged = 0
    while True:
        chunk = await _entries(tx, after=held[-1].id if held else _FIRST)
        held += chunk
        end = len(held) - 1 if chunk else len(held)
        ids += inherits_wrongly(held[judged:end], {kept.id: kept for kept in held})
        if not chunk:
            return [str(id) for id in ids]
        start = max(0, end - 2)
        held, judged = held[start:], end - start


async def _entries(tx: SpaceTransaction, *, after: int) -> list[Kept]:
    """Return the next entries beyond ``after``, in the order of their ids."""
    rows = await tx.rows(_SQL[_HERITAGE], binary=True, after=after, limit=_CHUNK)
    return [
        Kept(*values, own=halfvecs(own)[0], context=halfvecs(around)[0], bits=_signs(bits))
        for *values, own, around, bits in rows
    ]


def _signs(sent: bytes) -> NDArray[np.bool_]:
    """Decode bits as PostgreSQL sends them: their number in four bytes, then eight to a byte."""
    return np.unpackbits(np.frombuffer(sent, dtype=np.uint8, offset=4)).astype(bool)


@dataclass(frozen=True, slots=True)
class Kept:
    """An entry as the index keeps it, with the columns of the query in their order.

    ``bits`` are the signs of ``context``, one for each dimension.
    """

    id: int
    speaker: int
    by_user: bool
    words: int
    tokens: int
    asks: bool
    happened_at: datetime
    mixed_tokens: float
    from_previous: float
    from_before: float
    from_next: float
    own: NDArray[np.float32]
    context: NDArray[np.float32]
    bits: NDArray[np.bool_]


def inherits_wrongly(entries: Sequence[Kept], known: Mapping[int, Kept]) -> list[int]:
    """Return the ids of entries whose shares, length, vector or signs do not follow from their neighbours.

    ``known`` holds the neighbours, by id: up to two before and one after each entry.
    """
    return [entry.id for entry in entries if not _fits(entry, known)]


def _fits(entry: Kept, known: Mapping[int, Kept]) -> bool:
    around = [known.get(entry.id + step) if entry.id > 0 else None for step in (-1, -2, 1)]
    previous, before, following = (_turn(kept) if kept else None for kept in around)
    due = shares(_turn(entry), previous=previous, before=before, next=following)
    taken = (due.previous, due.before, due.next)
    held = (entry.from_previous, entry.from_before, entry.from_next)
    donors = [(share, kept) for share, kept in zip(taken, around, strict=True) if kept and share]
    length = entry.tokens + sum(share * kept.tokens for share, kept in donors)
    direction = context(entry.own, [(share, kept.own) for share, kept in donors])
    clear = np.abs(direction) > _ROUNDING
    return bool(
        np.allclose(held, taken, atol=_SMALL)
        and np.isclose(entry.mixed_tokens, length, rtol=_SMALL, atol=_SMALL)
        and np.allclose(entry.context, direction, atol=_ROUNDING)
        and np.array_equal(entry.bits[: len(direction)][clear], direction[clear] > 0)
    )


def _turn(kept: Kept) -> EntryValues:
    voice = str(kept.speaker) if kept.speaker else "user" if kept.by_user else "other"
    position = kept.id & (MOST_ENTRIES_OF_A_THREAD - 1)
    return EntryValues(position, voice, kept.words, kept.asks, kept.happened_at)
