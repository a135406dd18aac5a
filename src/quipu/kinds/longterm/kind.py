"""Long-term memory as a kind: everything that it registers with the system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.longterm import audit, store
from quipu.kinds.longterm.derived import MEMORIES
from quipu.kinds.longterm.eraser import NAMED, LongtermEraser
from quipu.kinds.longterm.evaluation.jobs import EVALUATE, evaluate
from quipu.kinds.longterm.indexing import LONGTERM as CODE
from quipu.kinds.longterm.indexing import catch_up
from quipu.kinds.longterm.rules import filed_text
from quipu.kinds.longterm.settings import AUDIT_DAYS, SETTINGS
from quipu.kinds.plug import Context, Kind, Parts, Schedule
from quipu.recall.model import Cited, Source
from quipu.recall.question import Question, concerns


async def _prune_audit(context: Context) -> None:
    """Take out the lines of the audit that are past their time."""
    days = context.settings.of(AUDIT_DAYS)
    if days == 0:
        return
    async with context.database.transaction(context.space) as tx:
        if tx is not None:
            await audit.prune(tx, before=context.clock.now() - timedelta(days=days))


AUDIT_PRUNING = Schedule(
    name="longterm audit", cron="23 3 * * *", each_space=True, removes=True, handler=_prune_audit
)


async def cite(tx: SpaceTransaction, ids: Sequence[int]) -> dict[int, Cited]:
    """Return the texts of entries, by id.

    The source names the memory as its message and its category as the role.
    """
    return {
        entry: Cited(
            filed_text(summary, details),
            happened_at,
            recorded_at,
            Source(id_, session, role=role, user=user),
            metadata,
        )
        for entry, summary, details, happened_at, recorded_at, id_, session, role, user, metadata in (
            await tx.rows(store.SQL["cited"], ids=Int8s(ids))
        )
    }


async def sources(tx: SpaceTransaction, ids: Sequence[int]) -> dict[int, list[int]]:
    """Return the messages that memories rest on as they read now, by their entries."""
    return dict(await tx.rows(store.SQL["sources_of_entries"], ids=Int8s(ids)))


async def weigh(
    tx: SpaceTransaction, question: Question, now: datetime, ids: Sequence[int]
) -> Mapping[int, Parts | None]:
    """Return None for what holds no longer, unless the question names a time at which it held."""
    return {
        entry: None
        for entry, since, until in await tx.rows(store.SQL["ended"], ids=Int8s(ids), now=now)
        if not concerns(question, since=since, until=until)
    }


LONGTERM = Kind(
    name="longterm",
    code=CODE,
    package="quipu.kinds.longterm",
    cite=cite,
    sources=sources,
    matching=store.matching,
    weigh=weigh,
    lately=store.lately,
    catch_up=catch_up,
    eraser=LongtermEraser(),
    named=NAMED,
    subscribes=(EVALUATE,),
    handlers={EVALUATE: evaluate},
    schedules=(AUDIT_PRUNING,),
    settings=SETTINGS,
    derives=(MEMORIES,),
)
