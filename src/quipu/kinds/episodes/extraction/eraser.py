"""Forgetting open loops, beliefs and conflicts with the messages that they rest on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.episodes.extraction.beliefs import store as beliefs
from quipu.kinds.episodes.extraction.loops import store as loops
from quipu.record import store as record
from quipu.upkeep.erasure.model import What


class MindingEraser:
    """Takes loops that have words of what goes, and beliefs that nothing else said.

    A loop that was closed by words that go stays closed, without them. A belief that other messages said too
    stays, without the excerpt that goes. With a person goes what is believed of them. What stood before an
    erased correction does not come back.
    """

    async def count(self, tx: SpaceTransaction, what: What) -> Mapping[str, int]:
        """Count the rows that would go, by table; tables without any are left out."""
        given = await _given(tx, what)
        counts = {
            "loops": len(await loops.doomed(tx, given)),
            "beliefs": len(await beliefs.doomed(tx, given)),
        }
        return {table: count for table, count in counts.items() if count}

    async def erase(self, tx: SpaceTransaction, what: What) -> Sequence[int]:
        """Take them; returns the entries of the beliefs."""
        given = await _given(tx, what)
        messages = await record.matching(tx, what)
        await loops.erase(tx, await loops.doomed(tx, given), messages=messages)
        doomed = await beliefs.doomed(tx, given)
        await beliefs.delete(tx, [one for one, _ in doomed])
        await beliefs.erase_sources(tx, messages)
        await beliefs.end_free(tx)
        return [entry for _, entry in doomed if entry is not None]


async def _given(tx: SpaceTransaction, what: What) -> dict[str, object]:
    whole = what.session is None and what.message is None
    return {
        "ids": Int8s(await record.matching(tx, what)),
        "person": what.user if whole else None,
        "everything": what.everything,
    }
