"""Taking out of a session all but evidence that must be kept, of which only dates and ratings stay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.ledger.retention import store
from quipu.upkeep.erasure.model import What

_STEPS: Final = (
    "erase_events_of_session",
    "forget_last_session",
    "delete_session_memory",
    "delete_old_evidence_of",
    "delete_unbacked",
    "cut_excerpts_of",
    "delete_competitor_checks",
    "delete_signal_runs",
    "delete_fallbacks",
    "delete_tool_calls",
    "blank_details",
)


@dataclass(frozen=True, slots=True)
class Emptying:
    """In the place of the ledger's eraser where a session goes but evidence since ``before`` is to be kept.

    The session itself stays too, as the record keeps one that another kind refers to: so an erasure of its
    person still finds the evidence.
    """

    before: datetime | None

    async def count(self, tx: SpaceTransaction, what: What) -> Mapping[str, int]:
        """Count the rows that would go, by table, and the excerpts that would be cut."""
        return await store.count(tx, "count_emptied", {"session": what.session, "before": self.before})

    async def erase(self, tx: SpaceTransaction, what: What) -> Sequence[int]:
        """Take them; returns the index entries of the excerpts that were cut."""
        assert what.session is not None
        uid = await store.session_uid(tx, what.session)
        given = {"session": what.session, "uid": uid, "before": self.before}
        entries = await store.entries(tx, "entries_of_emptied", given)
        for step in _STEPS:
            await store.run(tx, step, given)
        return entries
