"""Forgetting conversations and all that was understood from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.episodes.building.eraser import CondensedEraser, empty_named
from quipu.kinds.episodes.conversations.eraser import ConversationsEraser, unread_named
from quipu.kinds.episodes.extraction.eraser import MindingEraser
from quipu.upkeep.erasure.model import Named, What
from quipu.upkeep.erasure.service import Eraser


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
ERASER = EpisodesEraser((MindingEraser(), CondensedEraser(), ConversationsEraser()))


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
