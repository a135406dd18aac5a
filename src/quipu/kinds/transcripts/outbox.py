"""Work that a sync leaves to a worker: one job for each space, however often its sessions grew."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from quipu.kernel.db.database import SpaceTransaction
from quipu.kernel.queue.outbox import put

LEARN: Final = "transcripts-learn"
QUIET: Final = timedelta(minutes=15)


async def ask(tx: SpaceTransaction, *, now: datetime) -> None:
    """Have what was taken in indexed and learned from in ``QUIET`` time, when its session may be at its end.

    What goes on longer is read then as far as it is, and again after what came later.
    """
    await put(tx, LEARN, {}, key="all", due=now + QUIET)
