"""Forgetting conversations and all that was understood from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.episodes.building.eraser import CondensedEraser, empty_named
from quipu.kinds.episodes.conversations.eraser import ConversationsEraser, unread_named
from quipu.kinds.episodes.extraction.beliefs import store as beliefs
from quipu.kinds.episodes.extraction.loops import store as loops
from quipu.record import store as record
from quipu.upkeep.erasure.model import Named, What
from quipu.upkeep.erasure.service import Eraser


class ExtractionEraser:
    """Takes loops that have words of what goes, and beliefs that nothing else said.

    A loop that was closed by words that go stays closed, without them. A belief that other messages said too
    stays, without the excerpt that goes. With a person goes what is believed of them. What stood before an
    erased correction does not come back.
    """

    async def count(self, tx: SpaceTransaction, what: What) -> Mapping[str, int]:
        """Count the rows that would go, by table; tables without any are left out."""
        messages, person = await record.matching(tx, what), _person(what)
        doomed_loops = await loops.doomed(tx, messages, person=person, everything=what.everything)
        doomed_beliefs = await beliefs.doomed(tx, messages, person=person, everything=what.everything)
        counts = {"loops": len(doomed_loops), "beliefs": len(doomed_beliefs)}
        return {table: count for table, count in counts.items() if count}

    async def erase(self, tx: SpaceTransaction, what: What) -> Sequence[int]:
        """Take them; returns the entries of the beliefs."""
        messages, person = await record.matching(tx, what), _person(what)
        doomed_loops = await loops.doomed(tx, messages, person=person, everything=what.everything)
        await loops.erase(tx, doomed_loops, messages=messages)
        doomed_beliefs = await beliefs.doomed(tx, messages, person=person, everything=what.everything)
        await beliefs.delete(tx, [id_ for id_, _ in doomed_beliefs])
        await beliefs.erase_sources(tx, messages)
        await tx.execute(beliefs.SQL["end_free"])
        return [entry for _, entry in doomed_beliefs if entry is not None]


def _person(what: What) -> str | None:
    """Return the person who goes as a whole, if anybody does."""
    return what.user if what.session is None and what.message is None else None


class EpisodesEraser:
    """Takes what each part of this kind holds, in their order."""

    def __init__(self, parts: Sequence[Eraser]) -> None:
        self._parts = parts

    async def count(self, tx: SpaceTransaction, what: What) -> Mapping[str, int]:
        """Count the rows that would go, by table; tables without any are left out."""
        counts: dict[str, int] = {}
        for part in self._parts:
            counts |= await part.count(tx, what)
        return counts

    async def erase(self, tx: SpaceTransaction, what: What) -> Sequence[int]:
        """Take them; returns their entries in the index."""
        return [entry for part in self._parts for entry in await part.erase(tx, what)]


# What rests on others comes first: episodes on exchanges, exchanges on messages.
ERASER = EpisodesEraser((ExtractionEraser(), CondensedEraser(), ConversationsEraser()))


async def _again(tx: SpaceTransaction, pattern: str) -> Sequence[int]:
    await unread_named(tx, pattern)
    return await empty_named(tx, pattern)


NAMED = Named(
    gone={
        "episodes.beliefs": ("person", "value", "form"),
        "episodes.loops": ("content", "by_whom", "evidence"),
    },
    indexed=("episodes.beliefs",),
    words={
        "episodes.belief_sources": ("excerpt",),
        "episodes.conversation_details": ("topic", "title", "thread"),
        "episodes.prompts": ("content",),
    },
    again={
        "episodes.exchanges": ("chunk",),
        "episodes.topics": ("name", "words"),
        "episodes.stored_episodes": (
            *("intent", "context", "action", "emotion", "outcome", "gist", "topic", "open_loops"),
        ),
        "episodes.episode_history": ("said",),
    },
    make_again=_again,
)
