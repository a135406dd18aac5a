"""Forgetting messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime

from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import SpaceTransaction
from quipu.kernel.queue import outbox
from quipu.record import aliases, relations, removal, store
from quipu.record.corrections import store as corrections
from quipu.record.standing import store as standing
from quipu.upkeep.erasure import tombstones
from quipu.upkeep.erasure.model import Named, What


class RecordEraser:
    """Takes messages out of the record, of a session of the person what nobody else said, and empty sessions.

    It comes last of all kinds: a session stays while another kind refers to it. Jobs of a session that goes,
    also those that other kinds put while they forgot, go with it: its name does not stay behind in the queue.
    """

    async def count(self, tx: SpaceTransaction, what: What) -> Mapping[str, int]:
        """Count the messages that would go, and with them links, corrections, standing rules, other names."""
        ids = await store.matching(tx, what)
        besides = {
            "removed_messages": len(await removal.matching(tx, what)),
            "relations": await relations.count(tx, ids) if ids else 0,
            "corrections": await corrections.count_of_erasure(tx, ids) if ids else 0,
            "standing_rules": await standing.count_of_erasure(tx, what, ids),
            "aliases": await aliases.count(tx, ids, _person(what), everything=what.everything),
        }
        return {"messages": len(ids), **{name: count for name, count in besides.items() if count}}

    async def erase(self, tx: SpaceTransaction, what: What) -> Sequence[int]:
        """Take them; a message's entry has the id of the message."""
        ids = await store.matching(tx, what)
        await standing.erase_of_person(tx, what)
        removed = await removal.erase(tx, what)
        if (person := _person(what)) is not None:
            await corrections.disown(tx, person)
        if ids:
            await corrections.erase_beside(tx, ids)
            await store.run(tx, "delete_messages", {"ids": Int8s(ids)})
            await store.run(tx, "recount_sessions", {"ids": Int8s(ids)})
        await outbox.drop_of_sessions(tx, await store.emptied(tx, what, [*ids, *removed]))
        await aliases.erase_of(tx, _person(what), everything=what.everything)
        values = asdict(what)
        await store.run(tx, "drop_sessions", {"ids": Int8s([*ids, *removed]), **values})
        await removal.drop_threads(tx, removed)
        if what.user is not None and what.message is None:
            await store.run(tx, "disown_sessions", values)
        return ids


def _person(what: What) -> str | None:
    """Return the person who is forgotten whole; None where an erasure is of a part."""
    return what.user if what.session is None and what.message is None else None


async def noted(tx: SpaceTransaction, what: What, now: datetime) -> None:
    """Note the messages that an erasure takes, and the sessions that it takes whole."""
    lines = await store.identities(tx, await store.matching(tx, what))
    lines += (await removal.matching(tx, what)).values()
    await tombstones.note(tx, "line", lines, until="infinity")
    if what.user is None or what.session is None:
        sessions = [("", name) for name in (await store.whole_sessions(tx, what)).values()]
        await tombstones.note(tx, "session", sessions, until=now)


NAMED = Named(
    gone={"core.aliases": ("alias", "name")},
    words={
        "core.corrections": ("text", "reason"),
        "core.messages": ("content", "item", "metadata", "role"),
        "core.removed_messages": ("content", "item", "metadata", "role"),
        "core.relations": ("reason",),
        "core.standing_rules": ("scope", "text"),
        "core.tool_calls": ("args_json", "result_json"),
    },
    before_words=store.unindex_named,
)
