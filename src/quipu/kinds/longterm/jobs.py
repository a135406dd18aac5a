"""Jobs of long-term memory, done without being asked for."""

from __future__ import annotations

from datetime import timedelta

from quipu.kinds.longterm import auditing
from quipu.kinds.plug import Context, Schedule


async def _prune_audit(context: Context) -> None:
    """Take out the lines of the audit that are past their time."""
    days = context.settings.longterm_audit_days
    if days == 0:
        return
    async with context.database.space(context.space) as within:
        if within is not None:
            await auditing.prune(within, before=context.clock.now() - timedelta(days=days))


AUDIT_PRUNING = Schedule(
    name="longterm audit", cron="23 3 * * *", each_space=True, removes=True, handler=_prune_audit
)
