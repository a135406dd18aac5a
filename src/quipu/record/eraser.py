"""Forgetting messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import Within
from quipu.kernel.queue import outbox
from quipu.record import store
from quipu.upkeep.erasure import tombstones
from quipu.upkeep.erasure.model import Named, What


class RecordEraser:
    """Takes messages out of the record, of a session of the person what nobody else said, and empty sessions.

    It comes last of all kinds: a session stays while another kind refers to it. Jobs of a session that goes,
    also those that other kinds put while they forgot, go with it: its name does not stay behind in the queue.
    """

    async def count(self, within: Within, what: What) -> Mapping[str, int]:
        """Count the messages that would go."""
        return {"messages": len(await store.matching(within, what))}

    async def erase(self, within: Within, what: What) -> Sequence[int]:
        """Take them; a message's entry has the id of the message."""
        ids = await store.matching(within, what)
        if ids:
            await store.run(within, "delete_messages", {"ids": Int8s(ids)})
            await store.run(within, "recount_sessions", {"ids": Int8s(ids)})
        await outbox.drop_of_sessions(within, await store.emptied(within, what, ids))
        values = {"user": what.user, "message": what.message, "session": what.session}
        await store.run(within, "drop_sessions", {"ids": Int8s(ids), **values})
        if what.user is not None and what.message is None:
            await store.run(within, "disown_sessions", values)
        return ids


async def noted(within: Within, what: What, now: datetime) -> None:
    """Note the messages that an erasure takes, and the sessions that it takes whole."""
    lines = await store.identities(within, await store.matching(within, what))
    await tombstones.note(within, "line", lines, until="infinity")
    if what.user is None or what.session is None:
        sessions = [("", name) for name in (await store.whole_sessions(within, what)).values()]
        await tombstones.note(within, "session", sessions, until=now)


async def _unfile(within: Within, pattern: str) -> Sequence[int]:
    """Have messages that name a person wait to be filed anew, as they read then."""
    return await store.unfile_named(within, pattern)


NAMED = Named(
    words={"core.messages": ("content",), "core.tool_calls": ("args_json", "result_json")},
    before_words=_unfile,
)
