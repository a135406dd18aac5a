"""Forgetting episodes with the messages that they are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import Within
from quipu.kernel.queue import outbox
from quipu.kinds.episodes.queues import EPISODES
from quipu.record import store as record
from quipu.upkeep.erasure.model import What

_SQL = queries.load("quipu.kinds.episodes.condensing")


class CondensedEraser:
    """Takes episodes with the last of their messages.

    Of an episode that keeps messages the words go, and how it read before: they were made of all of them. It
    keeps its id and its uses, and is written anew from what is left.
    """

    async def count(self, within: Within, what: What) -> Mapping[str, int]:
        """Count the rows that would go, by table; tables without any are left out."""
        doomed = await _doomed(within, what)
        gone = sum(not remains for *_, remains in doomed)
        counts = {"episodes": gone, "episodes_emptied": len(doomed) - gone}
        return {table: count for table, count in counts.items() if count}

    async def erase(self, within: Within, what: What) -> Sequence[int]:
        """Take them; returns their entries in the index."""
        doomed = await _doomed(within, what)
        left = [id_ for id_, _, remains in doomed if remains]
        await _run(within, "erase_episodes", {"gone": [id_ for id_, _, remains in doomed if not remains]})
        if left:
            await _empty(within, left, user=what.user)
        return [entry for _, entry, _ in doomed if entry is not None]


async def empty_named(within: Within, pattern: str) -> Sequence[int]:
    """Take the words of episodes in which a name stands; they are written anew. Returns their entries."""
    found = await _rows(within, "named_episodes", {"pattern": pattern})
    if found:
        await _empty(within, [id_ for id_, _ in found], user=None)
    return [entry for _, entry in found if entry is not None]


async def _empty(within: Within, left: Sequence[UUID], *, user: str | None) -> None:
    await _run(within, "empty_episodes", {"left": left, "user": user})
    for (session,) in await _rows(within, "emptied_sessions", {"left": left}):
        await outbox.put(within, EPISODES, {"session": session}, key=session, session=session)


@dataclass(frozen=True, slots=True)
class OneEpisode:
    """In the place of all erasers where one episode is to go and what was said stays."""

    id: UUID

    async def count(self, within: Within, what: What) -> Mapping[str, int]:  # noqa: ARG002 - of the protocol
        """Count one episode, if it is there."""
        found = await _rows(within, "entry_of", {"id": self.id})
        return {"episodes": 1} if found else {}

    async def erase(self, within: Within, what: What) -> Sequence[int]:  # noqa: ARG002 - of the protocol
        """Take it; returns its entry. What it was made of is not condensed again."""
        found = await _rows(within, "entry_of", {"id": self.id})
        await _run(within, "set_aside", {"id": self.id})
        await _run(within, "erase_episodes", {"gone": [self.id]})
        return [entry for (entry,) in found if entry is not None]


async def _doomed(within: Within, what: What) -> list[tuple[Any, ...]]:
    values = {
        "ids": Int8s(await record.matching(within, what)),
        "session": what.session,
        "user": what.user,
        "message": what.message,
        "everything": what.everything,
    }
    return await _rows(within, "doomed", values)


async def _rows(within: Within, name: str, values: Mapping[str, object]) -> list[tuple[Any, ...]]:
    return await (await within.conn.execute(_SQL[name], {"space": within.space.id, **values})).fetchall()


async def _run(within: Within, name: str, values: Mapping[str, object]) -> None:
    await within.conn.execute(_SQL[name], {"space": within.space.id, **values})
