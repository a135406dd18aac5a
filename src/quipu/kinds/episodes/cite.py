"""Telling of an episode or a belief that was found: what it says and where it is from."""

from __future__ import annotations

from collections.abc import Sequence

from quipu.kernel.db.database import Within
from quipu.kinds.episodes.minding.beliefs.filing import cite as cite_beliefs
from quipu.recall.model import Cited


async def cite(within: Within, ids: Sequence[int]) -> dict[int, Cited]:
    """What entries say, by id."""
    return await cite_beliefs(within, ids)
