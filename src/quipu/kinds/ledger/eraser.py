"""Forgetting what the ledger knows: of a session, of a person, of a whole space."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from psycopg.rows import dict_row

from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import Within
from quipu.upkeep.erasure.model import What

_SQL = queries.load("quipu.kinds.ledger")


@dataclass(frozen=True, slots=True)
class _Doomed:
    """Sessions that go whole, and events that go besides."""

    sessions: list[UUID]
    events: list[int]


class LedgerEraser:
    """Takes sessions with all that is known of them, and the facts of a person wherever they were said.

    What was said of a person across sessions stays when only the session is forgotten. Index entries go
    in the same statement as what they are of, so that none are left to be taken out afterwards.
    """

    async def count(self, within: Within, what: What) -> Mapping[str, int]:
        """Rows that would go, by table; those without any are left out."""
        doomed = await _doomed(within, what)
        values = {
            "space": within.space.id,
            "sessions": doomed.sessions,
            "events": Int8s(doomed.events),
            "whole_user": what.user if what.session is None else None,
        }
        async with within.conn.cursor(row_factory=dict_row) as cursor:
            row = await (await cursor.execute(_SQL["count_doomed"], values)).fetchone()
        return {f"ledger.{table}": rows for table, rows in (row or {}).items() if rows}

    async def erase(self, within: Within, what: What) -> Sequence[int]:
        """Take them. There are no entries left for the index to take out."""
        doomed = await _doomed(within, what)
        if doomed.sessions:
            await _run(within, "erase_sessions", {"sessions": doomed.sessions})
        if doomed.events:
            await _run(within, "erase_events", {"events": Int8s(doomed.events)})
        if what.user is not None and what.message is None:
            if what.session is None:
                await _run(within, "erase_preferences", {"user": what.user})
            await _run(within, "erase_actor", {"user": what.user})
        if what.everything:
            await _run(within, "erase_all_preferences", {})
            await _run(within, "erase_source_runs", {})
        return []


async def _doomed(within: Within, what: What) -> _Doomed:
    if what.message is not None:  # a message is no fact: what was understood from it stays
        return _Doomed([], [])
    values: dict[str, object] = {"space": within.space.id, "user": what.user, "session": what.session}
    rows = await (await within.conn.execute(_SQL["doomed_sessions"], values)).fetchall()
    sessions: list[UUID] = [row[0] for row in rows]
    if what.session is not None and what.user is None:
        return _Doomed(sessions, [])
    found = await within.conn.execute(_SQL["doomed_events"], {**values, "sessions": sessions})
    return _Doomed(sessions, [row[0] for row in await found.fetchall()])


async def _run(within: Within, name: str, values: Mapping[str, object]) -> None:
    await within.conn.execute(_SQL[name], {"space": within.space.id, **values})
