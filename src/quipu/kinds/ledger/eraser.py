"""Erasure in the ledger: of a session, of a person, or of a whole space."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from uuid import UUID

from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.ledger import store
from quipu.upkeep.erasure.model import What


class LedgerEraser:
    """Erase sessions with all that is known of them, and the facts of a person wherever they were said.

    Facts of a person across sessions stay when only the session is forgotten. The same statement deletes
    the index entries, so none are left to delete afterwards.
    """

    async def count(self, tx: SpaceTransaction, what: What) -> Mapping[str, int]:
        """Count the rows that would go, by table; tables without any are left out."""
        sessions, events = await _doomed(tx, what)
        whole_user = what.user if what.session is None and what.message is None else None
        row = await tx.fetch_one(
            dict[str, int],
            store.SQL["count_doomed"],
            sessions=sessions,
            events=Int8s(events),
            user=what.user,
            whole_user=whole_user,
        )
        return {f"ledger.{table}": number for table, number in (row or {}).items() if number}

    async def erase(self, tx: SpaceTransaction, what: What) -> Sequence[int]:
        """Delete the rows and return no entries: the statements delete those too."""
        sessions, events = await _doomed(tx, what)
        if sessions:
            await tx.execute(store.SQL["erase_sessions"], sessions=sessions)
        if events:
            await tx.execute(store.SQL["erase_events"], events=Int8s(events))
        if what.user is not None and what.message is None:
            if what.session is None:
                await tx.execute(store.SQL["erase_preferences"], user=what.user)
            await tx.execute(store.SQL["erase_actor"], user=what.user)
        if what.everything:
            await tx.execute(store.SQL["erase_all_preferences"])
            await tx.execute(store.SQL["erase_source_runs"])
        return []


async def _doomed(tx: SpaceTransaction, what: What) -> tuple[list[UUID], list[int]]:
    if what.message is not None:  # a message is no fact: what was understood from it stays
        return [], []
    return await store.doomed(tx, session=what.session, user=what.user)
