"""The queries of showing conversations, one short function each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from quipu.kernel.db import queries
from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.episodes.conversations.exchanges import state
from quipu.kinds.episodes.conversations.model import Conversation, Exchange, Thread, Topic, Utterance

_SQL = queries.load("quipu.kinds.episodes.conversations")
_NO_FILTER: Mapping[str, object] = {
    "session": None,
    "user": None,
    "topic": None,
    "status": None,
    "limit": 1,
    "offset": 0,
}


async def conversations(tx: SpaceTransaction, values: Mapping[str, object]) -> list[Conversation]:
    """Return conversations, latest first; ``values`` narrow them."""
    return [Conversation(*row) for row in await _rows(tx, "conversations", {**_NO_FILTER, **values})]


async def utterances(tx: SpaceTransaction, session: str, *, limit: int) -> list[Utterance]:
    """Return the messages of a conversation, oldest first."""
    rows = await _rows(tx, "utterances", {"session": session, "after": 0, "limit": limit})
    return [Utterance(*row) for row in rows]


async def exchanges(tx: SpaceTransaction, session: str, *, limit: int) -> list[Exchange]:
    """Return the exchanges of a conversation, oldest first."""
    rows = await _rows(tx, "exchanges", {"session": session, "limit": limit})
    return [Exchange(*row) for row in rows]


async def change(tx: SpaceTransaction, values: Mapping[str, object]) -> bool:
    """Set what is known of a conversation; False where there is none of that name."""
    return bool(await _rows(tx, "change", values))


async def threads(
    tx: SpaceTransaction, *, user: str | None, channel: tuple[str, str] | None, limit: int, now: datetime
) -> list[Thread]:
    """Return threads, latest first, as they stand ``now``."""
    platform, named = channel or (None, None)
    values = {"user": user, "platform": platform, "channel": named, "limit": limit}
    found = [Thread(*row) for row in await _rows(tx, "list_threads", values)]
    return [replace(one, state=state(one.last_at, now=now, ended=one.state == "ended")) for one in found]


async def topics(tx: SpaceTransaction, *, user: str | None, limit: int) -> list[Topic]:
    """Return topics, latest first."""
    return [Topic(*row) for row in await _rows(tx, "list_topics", {"user": user, "limit": limit})]


async def sessions_read(tx: SpaceTransaction, session: str | None) -> list[str]:
    """Return sessions that have exchanges."""
    return [row[0] for row in await _rows(tx, "sessions_read", {"session": session})]


async def _rows(tx: SpaceTransaction, name: str, values: Mapping[str, object]) -> Sequence[tuple[Any, ...]]:
    return await (await tx.conn.execute(_SQL[name], {"space": tx.space.id, **values})).fetchall()
