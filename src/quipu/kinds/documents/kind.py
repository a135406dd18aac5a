"""Documents as a kind: everything that they register with the system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.documents import store
from quipu.kinds.documents.eraser import NAMED, DocumentsEraser
from quipu.kinds.documents.indexing import DOCUMENT, TOPIC, catch_up, index
from quipu.kinds.documents.model import DocumentFilter
from quipu.kinds.documents.settings import HISTORY_DAYS, SETTINGS
from quipu.kinds.documents.store import SQL
from quipu.kinds.plug import Context, Kind, Parts, Schedule
from quipu.recall.filters import Filter
from quipu.recall.model import Cited, Source
from quipu.recall.question import Question

_EVER: Final = datetime(1970, 1, 1, tzinfo=UTC)


async def _expire(context: Context) -> None:
    """Take out documents that have expired."""
    async with context.database.transaction(context.space) as tx:
        if tx is not None:
            await store.expire(tx, now=context.clock.now())


async def _prune(context: Context) -> None:
    """Take out versions that are past their time."""
    days = context.settings.of(HISTORY_DAYS)
    if days == 0:
        return
    async with context.database.transaction(context.space) as tx:
        if tx is not None:
            await tx.execute(SQL["prune"], before=context.clock.now() - timedelta(days=days))


EXPIRY = Schedule(name="documents expiry", cron="*/5 * * * *", each_space=True, removes=True, handler=_expire)
PRUNING = Schedule(name="documents history", cron="17 3 * * *", each_space=True, removes=True, handler=_prune)


async def cite(tx: SpaceTransaction, ids: Sequence[int]) -> dict[int, Cited]:
    """Return the texts of entries, by id.

    The source names path, key and first line as the message (``notes/work/todo.md:12``), and as the role the
    headings that the passage stands under, or the path into the value.
    """
    return {
        entry: Cited(
            text,
            happened_at,
            recorded_at,
            Source(f"{address}:{line}" if line else address, None, role=heading or field or None, user=user),
            metadata,
        )
        for entry, text, happened_at, recorded_at, address, heading, line, field, user, metadata in (
            await tx.rows(SQL["cited"], ids=Int8s(ids))
        )
    }


async def matching(tx: SpaceTransaction, by: Filter) -> Sequence[int]:
    """Return the entries of documents that a filter lets through; `weigh` leaves out what has expired."""
    return await store.matching(tx, DocumentFilter(filter=by.parameters), now=_EVER)


async def weigh(
    tx: SpaceTransaction, _question: Question, now: datetime, ids: Sequence[int]
) -> Mapping[int, Parts | None]:
    """Return None for what has expired."""
    return dict.fromkeys(await tx.column(SQL["expired"], ids=Int8s(ids), now=now)) if ids else {}


DOCUMENTS = Kind(
    name="document",
    code=DOCUMENT,
    package="quipu.kinds.documents",
    cite=cite,
    matching=matching,
    weigh=weigh,
    eraser=DocumentsEraser(),
    named=NAMED,
    catch_up=catch_up,
    handlers={TOPIC: index},
    job_seconds={TOPIC: 3600},
    schedules=(EXPIRY, PRUNING),
    settings=SETTINGS,
)
