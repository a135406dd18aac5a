"""Messages that were found, with the statements that they replace or that replace them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import SpaceTransaction
from quipu.recall.changes import Pair
from quipu.recall.model import Cited
from quipu.record.store import cited

_SQL = queries.load("quipu.record")
_ID = 3  # where the message begins in a row, behind the link


@dataclass(frozen=True, slots=True)
class Linked:
    """Texts of entries by their ids, the links of the messages among them, and the other ends of these.

    ``pairs`` are the links that hold, oldest first; ``ends`` are messages that are not in ``cited``.
    """

    cited: Mapping[int, Cited] = field(default_factory=dict[int, Cited])
    pairs: Sequence[Pair] = ()
    ends: Mapping[int, Cited] = field(default_factory=dict[int, Cited])


async def cite(tx: SpaceTransaction, ids: Collection[int]) -> Linked:
    """Return messages and what is linked to them."""
    rows = await tx.rows(_SQL["cite_linked"], binary=True, ids=Int8s(sorted(ids)))
    there = [row for row in rows if row[_ID] is not None]  # without ends that are told already
    return Linked(
        cited=cited(row[_ID:] for row in there if row[0] is None),
        pairs=[Pair(*row[:_ID]) for row in rows if row[0] is not None],
        ends=cited(row[_ID:] for row in there if row[0] is not None),
    )
