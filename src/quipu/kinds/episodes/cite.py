"""Telling of an episode or a belief that was found: what it says and where it is from."""

from __future__ import annotations

from collections.abc import Sequence

from quipu.kernel.db.database import Within
from quipu.kinds.episodes.fading import store
from quipu.kinds.episodes.minding.beliefs.filing import cite as cite_beliefs
from quipu.recall.model import Cited


async def cite(within: Within, ids: Sequence[int]) -> dict[int, Cited]:
    """Return the texts of entries, by id.

    The source names the episode, or the belief, as its message.
    """
    return {**await store.cited(within, ids), **await cite_beliefs(within, ids)}
