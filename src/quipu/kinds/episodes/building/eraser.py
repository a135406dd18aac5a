"""Forgetting episodes with the messages that they are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import SpaceTransaction
from quipu.kernel.queue import outbox
from quipu.kinds.episodes.queues import EPISODES
from quipu.record import store as record
from quipu.upkeep.erasure.model import What

_SQL = queries.load("quipu.kinds.episodes.building")


class CondensedEraser:
    """Takes episodes with the last of their messages.

    Of an episode that keeps messages the words go, and how it read before: they were made of all of them. It
    keeps its id and its uses, and is rewritten from what is left.
    """

    async def count(self, tx: SpaceTransaction, what: What) -> Mapping[str, int]:
        """Count the rows that would go, by table; tables without any are left out."""
        doomed = await _doomed(tx, what)
        gone = sum(not remains for *_, remains in doomed)
        counts = {"episodes": gone, "episodes_emptied": len(doomed) - gone}
        return {table: count for table, count in counts.items() if count}

    async def erase(self, tx: SpaceTransaction, what: What) -> Sequence[int]:
        """Take them; returns their entries in the index."""
        doomed = await _doomed(tx, what)
        left = [id_ for id_, _, remains in doomed if remains]
        await tx.execute(_SQL["erase_episodes"], gone=[id_ for id_, _, remains in doomed if not remains])
        if left:
            await _empty(tx, left, user=what.user)
        return [entry for _, entry, _ in doomed if entry is not None]


async def empty_named(tx: SpaceTransaction, pattern: str) -> Sequence[int]:
    """Take the words of episodes in which a name stands; they are rewritten. Returns their entries."""
    episodes = await tx.rows(_SQL["named_episodes"], pattern=pattern)
    if episodes:
        await _empty(tx, [id_ for id_, _ in episodes], user=None)
    return [entry for _, entry in episodes if entry is not None]


async def _empty(tx: SpaceTransaction, left: Sequence[UUID], *, user: str | None) -> None:
    await tx.execute(_SQL["empty_episodes"], left=left, user=user)
    for (session,) in await tx.rows(_SQL["emptied_sessions"], left=left):
        await outbox.put(tx, EPISODES, {"session": session}, key=session, session=session)


@dataclass(frozen=True, slots=True)
class OneEpisode:
    """In the place of all erasers where one episode is to go and what was said stays."""

    id: UUID

    async def count(self, tx: SpaceTransaction, what: What) -> Mapping[str, int]:  # noqa: ARG002 - of the protocol
        """Count one episode, if it is there."""
        entries = await tx.rows(_SQL["entry_of"], id=self.id)
        return {"episodes": 1} if entries else {}

    async def erase(self, tx: SpaceTransaction, what: What) -> Sequence[int]:  # noqa: ARG002 - of the protocol
        """Take it; returns its entry. What it was made of is not condensed again."""
        entries = await tx.rows(_SQL["entry_of"], id=self.id)
        await tx.execute(_SQL["set_aside"], id=self.id)
        await tx.execute(_SQL["erase_episodes"], gone=[self.id])
        return [entry for (entry,) in entries if entry is not None]


async def _doomed(tx: SpaceTransaction, what: What) -> list[tuple[Any, ...]]:
    return await tx.rows(
        _SQL["doomed"],
        ids=Int8s(await record.matching(tx, what)),
        session=what.session,
        user=what.user,
        message=what.message,
        everything=what.everything,
    )
