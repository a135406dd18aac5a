"""Erasure of memories: those of a person, and those whose every source is erased."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.longterm.store import SQL, Resting
from quipu.record import store as record
from quipu.upkeep.erasure.derived_text import repeats, words
from quipu.upkeep.erasure.model import Named, What


@dataclass(frozen=True, slots=True)
class _Doomed:
    memories: Sequence[tuple[Any, ...]]
    sources: Sequence[int]
    wordings: Sequence[int]
    audit: Sequence[int]

    @property
    def ids(self) -> list[str]:
        return [memory for memory, _ in self.memories]


class LongtermEraser:
    """Takes memories with their history, sources and places in the audit.

    A memory that other words tell too stays, without the words that go, without the earlier wordings that
    rested on them alone, and without the reasons of its changes, which may repeat them. Where it has a word
    that only what goes said, it goes as well. What replaced an earlier wording goes as a whole: the earlier
    one was no longer true.
    """

    async def count(self, tx: SpaceTransaction, what: What) -> Mapping[str, int]:
        """Count the rows that would go, by table; tables without any are left out."""
        doomed = await _doomed(tx, what)
        counts = {"long_term_memory": len(doomed.memories), "longterm_audit": len(doomed.audit)}
        return {table: count for table, count in counts.items() if count}

    async def erase(self, tx: SpaceTransaction, what: What) -> Sequence[int]:
        """Take them; returns the entries of the memories."""
        doomed = await _doomed(tx, what)
        if doomed.memories:
            await tx.execute(SQL["erase_memories"], memories=doomed.ids)
        if doomed.sources:
            sources = Int8s(doomed.sources)
            await tx.execute(SQL["erase_reasons"], sources=sources)
            await tx.execute(SQL["erase_sources"], sources=sources)
        if doomed.wordings:
            await tx.execute(SQL["erase_wordings"], wordings=Int8s(doomed.wordings))
        if doomed.audit:
            await tx.execute(SQL["erase_audit"], audit=Int8s(doomed.audit))
        if what.session is not None and what.user is None and what.message is None:
            await tx.execute(SQL["erase_names"], session=what.session)
        return [entry for _, entry in doomed.memories if entry is not None]


class OneMemory:
    """Takes one memory, with its history, its sources and its places in the audit."""

    def __init__(self, id_: str) -> None:
        self._id = id_

    async def count(self, tx: SpaceTransaction, what: What) -> Mapping[str, int]:  # noqa: ARG002
        """Count it, and its earlier wordings."""
        ((memories, wordings),) = await tx.rows(SQL["count_one"], id=self._id)
        counts = {"long_term_memory": memories, "longterm_history": wordings}
        return {table: count for table, count in counts.items() if count}

    async def erase(self, tx: SpaceTransaction, what: What) -> Sequence[int]:  # noqa: ARG002
        """Take it; returns its entry in the index."""
        return [entry for (entry,) in await tx.rows(SQL["erase_one"], id=self._id) if entry is not None]


async def _doomed(tx: SpaceTransaction, what: What) -> _Doomed:
    given: dict[str, Any] = {"session": what.session, "user": what.user, "message": what.message}
    messages = await record.matching(tx, what)
    sources = await _ids(tx, "doomed_sources", **given, messages=Int8s(messages))
    earlier: Sequence[int] = ()
    memories: Sequence[tuple[Any, ...]] = await tx.rows(
        SQL["doomed_memories"], **given, sources=Int8s(sources), everything=what.everything
    )
    if not what.everything:
        more, earlier = await _repeating(tx, sources, messages, [memory for memory, _ in memories])
        memories = [*memories, *more]
    left = {"sources": Int8s(sources), "memories": [memory for memory, _ in memories]}
    return _Doomed(
        memories,
        sources,
        [*await _ids(tx, "doomed_wordings", **left), *earlier],
        await _ids(tx, "doomed_audit", **given),
    )


async def _ids(tx: SpaceTransaction, name: str, **values: Any) -> list[int]:
    return await tx.column(SQL[name], **values)


async def _repeating(
    tx: SpaceTransaction, sources: Sequence[int], messages: Sequence[int], doomed: Sequence[str]
) -> tuple[list[tuple[str, int | None]], list[int]]:
    """Return the memories, with their entries, and earlier wordings that have a word of what goes alone."""
    rows = await tx.fetch(
        Resting, SQL["wordings"], sources=Int8s(sources), messages=Int8s(messages), doomed=list(doomed)
    )
    if not rows:
        return [], []
    erased = words(text for (text,) in await tx.rows(SQL["said"], messages=Int8s(messages)))
    memories: dict[str, int | None] = {}
    earlier: list[int] = []
    for (memory, history), group in groupby(rows, key=lambda row: (row.memory, row.history)):
        of = list(group)
        gone = erased | words(row.excerpt for row in of if row.goes)
        kept = words(text for row in of if not row.goes for text in (row.excerpt, row.content))
        if memory in memories or not repeats(of[0].text, erased=gone, remaining=kept):
            continue
        if history is None:
            memories[memory] = of[0].entry
        else:
            earlier.append(history)
    return list(memories.items()), earlier


NAMED = Named(
    gone={
        "longterm.long_term_memory": ("summary", "details"),
        "longterm.history": ("summary", "details", "reason"),
    },
    indexed=("longterm.long_term_memory",),
    words={
        "longterm.long_term_memory": ("metadata", "agent_id", "app_id", "run_id"),
        "longterm.sources": ("excerpt",),
    },
)
