"""Jobs of the ledger, done without being asked for."""

from __future__ import annotations

from quipu.kinds.ledger.retention.retaining import AsyncRetention
from quipu.kinds.plug import Context, Schedule


async def _retain(context: Context) -> None:
    """Take out of a space what is past its time, where the settings let a worker do so."""
    if not context.settings.retention:
        return
    retention = AsyncRetention(context.database, clock=context.clock, erasers=context.erasers)
    await retention.retention(space=context.space, confirm=True)


RETENTION = Schedule(
    name="ledger retention", cron="41 2 * * *", each_space=True, removes=True, handler=_retain
)
