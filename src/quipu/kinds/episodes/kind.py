"""Episodes as a kind: everything that they register with the system."""

from __future__ import annotations

from collections.abc import Sequence

from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.episodes.decay import store
from quipu.kinds.episodes.eraser import ERASER, NAMED
from quipu.kinds.episodes.extraction.beliefs.derived import BELIEFS
from quipu.kinds.episodes.extraction.beliefs.indexing import cite as cite_beliefs
from quipu.kinds.episodes.extraction.loops.derived import LOOPS
from quipu.kinds.episodes.extraction.loops.reminders import remind
from quipu.kinds.episodes.indexing import catch_up, sources
from quipu.kinds.episodes.jobs import HANDLERS, HEARS, JOB_SECONDS, SCHEDULES
from quipu.kinds.episodes.recall import used, weigh
from quipu.kinds.episodes.settings import SETTINGS
from quipu.kinds.plug import Kind
from quipu.recall.model import Cited


async def cite(tx: SpaceTransaction, ids: Sequence[int]) -> dict[int, Cited]:
    """Return the texts of entries, by id.

    The source names the episode, or the belief, as its message.
    """
    return {**await store.cited(tx, ids), **await cite_beliefs(tx, ids)}


async def restored(tx: SpaceTransaction, number: int) -> None:
    """Put a message back into the episode of the exchange in which it stands, if there is one."""
    await tx.execute(store.SQL["take_up"], message=number)


CODE = 4  # core.recall_kinds.code

EPISODES = Kind(
    name="episodes",
    code=CODE,
    package="quipu.kinds.episodes",
    cite=cite,
    sources=sources,
    restored=restored,
    remind=remind,
    eraser=ERASER,
    named=NAMED,
    weigh=weigh,
    used=used,
    lately=store.lately,
    catch_up=catch_up,
    subscribes=HEARS,
    handlers=HANDLERS,
    job_seconds=JOB_SECONDS,
    schedules=SCHEDULES,
    settings=SETTINGS,
    derives=(BELIEFS, LOOPS),
)
