"""Long-term memory as a kind: everything that it registers with the system."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.longterm import auditing, store
from quipu.kinds.longterm.eraser import NAMED, LongtermEraser
from quipu.kinds.longterm.evaluating.jobs import EVALUATE, evaluate
from quipu.kinds.longterm.indexing import LONGTERM as CODE
from quipu.kinds.longterm.indexing import catch_up
from quipu.kinds.longterm.rules import filed_text
from quipu.kinds.longterm.settings import AUDIT_DAYS, SETTINGS
from quipu.kinds.plug import Context, Kind, Schedule
from quipu.recall.model import Cited, Source


async def _prune_audit(context: Context) -> None:
    """Take out the lines of the audit that are past their time."""
    days = context.settings.of(AUDIT_DAYS)
    if days == 0:
        return
    async with context.database.transaction(context.space) as tx:
        if tx is not None:
            await auditing.prune(tx, before=context.clock.now() - timedelta(days=days))


AUDIT_PRUNING = Schedule(
    name="longterm audit", cron="23 3 * * *", each_space=True, removes=True, handler=_prune_audit
)


async def lately(tx: SpaceTransaction, limit: int) -> list[tuple[int, datetime]]:
    """Return the entries of the memories used last, with the time; latest first."""
    return await store.lately(tx, limit)


async def cite(tx: SpaceTransaction, ids: Sequence[int]) -> dict[int, Cited]:
    """Return the texts of entries, by id.

    The source names the memory as its message and its category as the role.
    """
    return {
        one.id: Cited(
            text=filed_text(one.summary, one.details),
            happened_at=one.happened_at,
            recorded_at=one.recorded_at,
            source=Source(one.said, one.session, role=one.category, user=one.user),
        )
        for one in await store.cited(tx, ids)
    }


LONGTERM = Kind(
    name="longterm",
    code=CODE,
    package="quipu.kinds.longterm",
    cite=cite,
    lately=lately,
    catch_up=catch_up,
    eraser=LongtermEraser(),
    named=NAMED,
    subscribes=(EVALUATE,),
    handlers={EVALUATE: evaluate},
    schedules=(AUDIT_PRUNING,),
    settings=SETTINGS,
)
