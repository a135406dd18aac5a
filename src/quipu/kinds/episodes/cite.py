"""Telling of an episode that was found: what it says and where it is from."""

from __future__ import annotations

from collections.abc import Sequence

from quipu.kernel.db.database import Within
from quipu.kinds.episodes.fading import store
from quipu.recall.model import Cited


async def cite(within: Within, ids: Sequence[int]) -> dict[int, Cited]:
    """What entries say, by id.

    The source names the episode as its message.
    """
    return await store.cited(within, ids)
