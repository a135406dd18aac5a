"""Forgetting what was understood of conversations: exchanges, threads, topics, prompts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import Within
from quipu.kernel.queue import outbox
from quipu.kinds.episodes.conversing import remaking
from quipu.kinds.episodes.queues import CHUNKER
from quipu.record import store as record
from quipu.upkeep.erasure.model import What

_SQL = queries.load("quipu.kinds.episodes.conversing")


class ConversationsEraser:
    """Takes exchanges with the messages that they are of.

    Of an exchange that keeps some of its messages what was understood goes, and it is read anew. Threads and
    topics without exchanges go; the words and the name of a topic that has others are made anew from these,
    so that none is left that only an erased message said.
    """

    async def count(self, within: Within, what: What) -> Mapping[str, int]:
        """Count the rows that would go, by table; tables without any are left out."""
        ids = await record.matching(within, what)
        touched = await _rows(within, "touched", {"ids": Int8s(ids)})
        ((prompts,),) = await _rows(within, "count_prompts", _given(what, ids))
        counts = {"exchanges": sum(not row[4] for row in touched), "prompts": prompts}
        return {table: count for table, count in counts.items() if count}

    async def erase(self, within: Within, what: What) -> Sequence[int]:
        """Take them. None of it has entries in the index."""
        ids = await record.matching(within, what)
        given = _given(what, ids)
        touched = await _rows(within, "touched", {"ids": Int8s(ids)})
        whole = {"sessions": Int8s(list(await record.whole_sessions(within, what)))}
        left = [row[0] for row in touched if row[4]]
        await _run(within, "erase_prompts", given)
        await _run(within, "erase_progress", whole)
        await _run(within, "erase_conversations", whole)
        if what.everything:
            await _run(within, "erase_all", given)
        if touched:
            await _take(within, touched, left, given)
        await _run(within, "erase_topics", {**given, "topics": Int8s(_numbers(touched, 3))})
        await _run(within, "unname_conversations", given)
        await remaking.remake(within, _numbers(touched, 3), without=ids)
        await _put(within, left)
        return []


async def unread_named(within: Within, pattern: str) -> None:
    """Have exchanges read anew, and topics made anew, in which a name stands."""
    values = {"pattern": pattern}
    left = [row[0] for row in await _rows(within, "named_exchanges", values)]
    if left:
        await _run(within, "unread_exchanges", {"left": Int8s(left), "user": None})
        await _put(within, left)
    await remaking.remake(within, [row[0] for row in await _rows(within, "named_topics", values)])


async def _put(within: Within, left: Sequence[int]) -> None:
    """Have exchanges read by a worker."""
    for (session,) in await _rows(within, "unread_sessions", {"left": Int8s(left)}):
        await outbox.put(within, CHUNKER, {"session": session}, key=session, session=session)


async def _take(
    within: Within, touched: Sequence[Sequence[Any]], left: Sequence[int], given: Mapping[str, object]
) -> None:
    threads = {"threads": Int8s(_numbers(touched, 2)), "user": given["user"]}
    await _run(within, "erase_exchanges", {"gone": Int8s([row[0] for row in touched if not row[4]])})
    await _run(within, "unread_exchanges", {"left": Int8s(left), "user": given["user"]})
    await _run(within, "recount_threads", threads)
    await _run(within, "erase_threads", threads)


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


async def _rows(within: Within, name: str, values: Mapping[str, object]) -> list[tuple[Any, ...]]:
    return await (await within.conn.execute(_SQL[name], {"space": within.space.id, **values})).fetchall()


async def _run(within: Within, name: str, values: Mapping[str, object]) -> None:
    await within.conn.execute(_SQL[name], {"space": within.space.id, **values})
