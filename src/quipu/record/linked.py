"""Messages that were found, with the statements that they replace or that replace them, in one round trip."""

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
    values = {"ids": Int8s(sorted(ids))}
    async with tx.conn.pipeline():
        found = await tx.run(_SQL["cite"], values, binary=True)
        linked = await tx.run(_SQL["links_of"], values, binary=True)
    links = await linked.fetchall()
    return Linked(
        cited=cited(await found.fetchall()),
        pairs=[Pair(newer, older, reason) for newer, older, reason, *_ in links],
        ends=cited(end for _, _, _, *end in links if end[0] is not None),
    )
