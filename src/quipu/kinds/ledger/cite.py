"""Telling of a fact or a piece of evidence that was found: what it says and where it is from."""

from __future__ import annotations

from collections.abc import Sequence

from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import Within
from quipu.kinds.ledger import store
from quipu.recall.model import Cited, Source


async def cite(within: Within, ids: Sequence[int]) -> dict[int, Cited]:
    """Return the texts of entries, by id; what has expired meanwhile is left out.

    The source names the event (or the evidence) as its message, and its certainty as the role: ``explicit``,
    ``inferred``, ``assumed``, ``default``, or the source of the evidence.
    """
    return {
        row["id"]: Cited(
            text=row["text"],
            happened_at=row["happened_at"],
            recorded_at=row["recorded_at"],
            source=Source(row["said"], row["session"], role=row["role"], user=row["person"]),
        )
        for row in await store.cited(within, Int8s(ids))
    }
