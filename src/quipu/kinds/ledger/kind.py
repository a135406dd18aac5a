"""The ledger as a kind: everything that it registers with the system."""

from __future__ import annotations

from collections.abc import Sequence

from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.ledger import store
from quipu.kinds.ledger.eraser import LedgerEraser
from quipu.kinds.ledger.indexing import LEDGER as CODE
from quipu.kinds.ledger.indexing import catch_up
from quipu.kinds.ledger.retention.retention import AsyncRetention
from quipu.kinds.ledger.settings import RETENTION, SETTINGS
from quipu.kinds.plug import Context, Kind, Schedule
from quipu.recall.model import Cited, Source


async def _retain(context: Context) -> None:
    """Take out of a space what is past its time, where the settings let a worker do so."""
    if not context.settings.of(RETENTION):
        return
    retention = AsyncRetention(context.database, clock=context.clock, erasers=context.erasers)
    await retention.retention(space=context.space, confirm=True)


NIGHTLY_RETENTION = Schedule(
    name="ledger retention", cron="41 2 * * *", each_space=True, removes=True, handler=_retain
)


async def cite(tx: SpaceTransaction, ids: Sequence[int]) -> dict[int, Cited]:
    """Return the texts of entries, by id; what has expired meanwhile is left out.

    The source names the event (or the evidence) as its message, and its certainty as the role: ``explicit``,
    ``inferred``, ``assumed``, ``default``, or the source of the evidence.
    """
    return {
        entry: Cited(text, happened_at, recorded_at, Source(id_, session, role=role, user=user))
        for entry, text, happened_at, recorded_at, id_, session, user, role in await tx.rows(
            store.SQL["cite"], ids=Int8s(ids)
        )
    }


LEDGER = Kind(
    name="ledger",
    code=CODE,
    package="quipu.kinds.ledger",
    cite=cite,
    eraser=LedgerEraser(),
    catch_up=catch_up,
    schedules=(NIGHTLY_RETENTION,),
    settings=SETTINGS,
)
