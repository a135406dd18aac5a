"""Telling of a row of an agent's table that was found."""

from __future__ import annotations

from collections.abc import Sequence

from quipu.kernel.db.database import Within
from quipu.recall.model import Cited


async def cite(within: Within, ids: Sequence[int]) -> dict[int, Cited]:  # noqa: ARG001
    """What entries say, by id."""
    return {}
