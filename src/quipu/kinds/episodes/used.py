"""Episodes that were handed to somebody to be used: that is what keeps them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.episodes.decay import store
from quipu.kinds.episodes.decay.pace import pace
from quipu.kinds.episodes.decay.salience import counts_as_use


async def used(tx: SpaceTransaction, ids: Sequence[int], now: datetime) -> int:
    """Note a use of the episodes of some entries; how many count: of two that are close one does."""
    return await note(tx, now, await store.last_uses(tx, entries=ids))


async def lately(tx: SpaceTransaction, limit: int) -> list[tuple[int, datetime]]:
    """Return the entries of the episodes used last, with the time; latest first."""
    return await store.lately(tx, limit)


async def note(tx: SpaceTransaction, now: datetime, held: Sequence[store.Use]) -> int:
    """Note a use of episodes that are held; how many uses count."""
    apart = timedelta(minutes=pace(tx.settings).uses_apart_minutes)
    counted = [one for one in held if counts_as_use(one.used_at, now, apart=apart)]
    for one in counted:
        await store.run(tx, "note_use", {"id": one.id, "uses": one.uses + 1, "now": now})
    return len(counted)
