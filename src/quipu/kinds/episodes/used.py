"""Episodes that were handed to somebody to be used: that is what keeps them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from quipu.kernel.db.database import Within
from quipu.kinds.episodes.fading import store
from quipu.kinds.episodes.fading.pace import pace
from quipu.kinds.episodes.fading.salience import counts_as_use


async def used(within: Within, ids: Sequence[int], now: datetime) -> int:
    """Note a use of the episodes of some entries; how many count: of two that are close one does."""
    return await note(within, now, await store.last_uses(within, entries=ids))


async def lately(within: Within, limit: int) -> list[tuple[int, datetime]]:
    """Return the entries of the episodes used last, with the time; latest first."""
    return await store.lately(within, limit)


async def note(within: Within, now: datetime, held: Sequence[store.Use]) -> int:
    """Note a use of episodes that are held; how many uses count."""
    apart = timedelta(minutes=pace(within.settings).uses_apart_minutes)
    counted = [one for one in held if counts_as_use(one.used_at, now, apart=apart)]
    for one in counted:
        await store.run(within, "note_use", {"id": one.id, "uses": one.uses + 1, "now": now})
    return len(counted)
