"""Forgetting what was understood of conversations: exchanges, threads, topics, prompts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import SpaceTransaction
from quipu.kernel.queue import outbox
from quipu.kinds.episodes.conversations import store
from quipu.kinds.episodes.queues import CHUNKER
from quipu.record import store as record
from quipu.upkeep.erasure.model import What

_SQL = queries.load("quipu.kinds.episodes.conversations")


class ConversationsEraser:
    """Takes exchanges with the messages that they are of.

    Of an exchange that keeps some of its messages what was understood goes, and it is read again. Threads and
    topics without exchanges go; the words and the name of a topic that has others are made again from these,
    so that none is left that only an erased message said.
    """

    async def count(self, tx: SpaceTransaction, what: What) -> Mapping[str, int]:
        """Count the rows that would go, by table; tables without any are left out."""
        ids = await record.matching(tx, what)
        touched = await tx.rows(_SQL["touched"], ids=Int8s(ids))
        prompts = await tx.column(_SQL["doomed_prompts"], **_given(what, ids))
        counts = {"exchanges": sum(not row[4] for row in touched), "prompts": len(prompts)}
        return {table: count for table, count in counts.items() if count}

    async def erase(self, tx: SpaceTransaction, what: What) -> Sequence[int]:
        """Take them. None of it has entries in the index."""
        ids = await record.matching(tx, what)
        given = _given(what, ids)
        touched = await tx.rows(_SQL["touched"], ids=Int8s(ids))
        whole = {"sessions": Int8s(list(await record.whole_sessions(tx, what)))}
        left = [row[0] for row in touched if row[4]]
        prompts = await tx.column(_SQL["doomed_prompts"], **given)
        await tx.execute(_SQL["erase_prompts"], gone=prompts)
        await tx.execute(_SQL["erase_progress"], **whole)
        await tx.execute(_SQL["erase_conversations"], **whole)
        if what.everything:
            await tx.execute(_SQL["erase_all"], **given)
        if touched:
            await _take(tx, touched, left, given)
        await tx.execute(_SQL["erase_topics"], **given, topics=Int8s(_numbers(touched, 3)))
        await tx.execute(_SQL["unname_conversations"], **given)
        await store.remake(tx, _numbers(touched, 3), without=ids)
        await _put(tx, left)
        return []


async def unread_named(tx: SpaceTransaction, pattern: str) -> None:
    """Have exchanges read again, and topics made again, in which a name stands."""
    left = await tx.column(_SQL["named_exchanges"], pattern=pattern)
    if left:
        await tx.execute(_SQL["unread_exchanges"], left=Int8s(left), user=None)
        await _put(tx, left)
    await store.remake(tx, await tx.column(_SQL["named_topics"], pattern=pattern))


async def _put(tx: SpaceTransaction, left: Sequence[int]) -> None:
    """Have exchanges read by a worker."""
    for (session,) in await tx.rows(_SQL["unread_sessions"], left=Int8s(left)):
        await outbox.put(tx, CHUNKER, {"session": session}, key=session, session=session)


async def _take(
    tx: SpaceTransaction, touched: Sequence[Sequence[Any]], left: Sequence[int], given: Mapping[str, object]
) -> None:
    threads = {"threads": Int8s(_numbers(touched, 2)), "user": given["user"]}
    await tx.execute(_SQL["erase_exchanges"], gone=Int8s([row[0] for row in touched if not row[4]]))
    await tx.execute(_SQL["unread_exchanges"], left=Int8s(left), user=given["user"])
    await tx.execute(_SQL["recount_threads"], **threads)
    await tx.execute(_SQL["erase_threads"], **threads)


def _given(what: What, ids: Sequence[int]) -> dict[str, object]:
    whole = what.session is None and what.message is None
    return {
        "session": what.session,
        "user": what.user,
        "message": what.message,
        "person": what.user if whole else None,
        "everything": what.everything,
        "ids": Int8s(ids),
    }


def _numbers(touched: Sequence[Sequence[Any]], place: int) -> list[int]:
    return sorted({row[place] for row in touched if row[place] is not None})
