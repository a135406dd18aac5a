"""Forgetting memories: those of a person, and those that rest on nothing but words that are erased."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import Within
from quipu.kinds.longterm import store
from quipu.upkeep.erasure.model import Named, What


@dataclass(frozen=True, slots=True)
class _Doomed:
    memories: Sequence[tuple[UUID, int | None]]
    sources: Sequence[int]
    wordings: Sequence[int]
    audit: Sequence[int]

    @property
    def ids(self) -> list[UUID]:
        return [memory for memory, _ in self.memories]


class LongtermEraser:
    """Takes memories with their history, sources and places in the audit.

    A memory that other words tell too stays, without the words that go, without the earlier wordings that
    rested on them alone, and without the reasons of its changes, which may repeat them. What replaced an
    earlier wording goes as a whole: the earlier one was no longer true.
    """

    async def count(self, within: Within, what: What) -> Mapping[str, int]:
        """Rows that would go, by table; tables without any are left out."""
        doomed = await _doomed(within, what)
        counts = {"long_term_memory": len(doomed.memories), "longterm_audit": len(doomed.audit)}
        return {table: count for table, count in counts.items() if count}

    async def erase(self, within: Within, what: What) -> Sequence[int]:
        """Take them; returns the entries of the memories."""
        doomed = await _doomed(within, what)
        if doomed.memories:
            await store.run(within, "erase_memories", {"memories": doomed.ids})
        if doomed.sources:
            sources = {"sources": Int8s(doomed.sources)}
            await store.run(within, "erase_reasons", sources)
            await store.run(within, "erase_sources", sources)
        if doomed.wordings:
            await store.run(within, "erase_wordings", {"wordings": Int8s(doomed.wordings)})
        if doomed.audit:
            await store.run(within, "erase_audit", {"audit": Int8s(doomed.audit)})
        if what.session is not None and what.user is None and what.message is None:
            await store.run(within, "erase_names", {"session": what.session})
        return [entry for _, entry in doomed.memories if entry is not None]


async def _doomed(within: Within, what: What) -> _Doomed:
    given = {"session": what.session, "user": what.user, "message": what.message}
    messages = Int8s(await store.doomed(within, "doomed_messages", given))
    sources = await store.doomed(within, "doomed_sources", {**given, "messages": messages})
    resting = {**given, "sources": Int8s(sources), "everything": what.everything}
    memories = await store.doomed_memories(within, resting)
    left = {"sources": Int8s(sources), "memories": [memory for memory, _ in memories]}
    return _Doomed(
        memories,
        sources,
        await store.doomed(within, "doomed_wordings", left),
        await store.doomed(within, "doomed_audit", given),
    )


NAMED = Named(
    gone={
        "longterm.long_term_memory": ("summary", "details"),
        "longterm.history": ("summary", "details", "reason"),
    },
    indexed=("longterm.long_term_memory",),
    words={"longterm.sources": ("excerpt",)},
)
