"""Retention of one space: what its time is over for, counted or taken out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kinds.ledger.eraser import LedgerEraser
from quipu.kinds.ledger.retention import store
from quipu.kinds.ledger.retention.emptying import Emptying
from quipu.kinds.ledger.retention.model import EXCERPTS, Due, RetentionLimits, RetentionReport
from quipu.recall.index import remove
from quipu.upkeep.erasure.model import Erasure, What
from quipu.upkeep.erasure.service import Eraser, count, take

_AT_ONCE: Final = 50  # sessions in one transaction; those who write wait for it
_OF_THEMSELVES: Final = (
    "expire_preferences",
    "expire_values",
    "delete_unsaid_preferences",
    "delete_unsaid_values",
    "delete_old_recommendations",
    "delete_old_evidence",
)
_EXPIRED: Final = ("ledger.chat_user_preferences", "ledger.chat_session_memory")


async def preview(
    database: Database, erasers: Sequence[Eraser], limits: RetentionLimits, *, space: str
) -> RetentionReport:
    """Return what would go; nothing is changed."""
    async with database.snapshot_read(space) as tx:
        if tx is None:
            return _report(space, limits, [], {}, [], done=False)
        due = await store.due(tx, limits)
        of_themselves = await _count(tx, limits, due)
        erased = [
            Erasure(space, what, await count(tx, chosen, what))
            for what, chosen in _erasures(due, erasers, limits)
        ]
    return _report(space, limits, due, of_themselves, erased, done=False)


async def enforce(
    database: Database, erasers: Sequence[Eraser], limits: RetentionLimits, *, space: str
) -> RetentionReport:
    """Take it out. Sessions go in groups, each at once; what was cut off is finished by doing it again."""
    async with database.snapshot_read(space) as tx:
        names = [] if tx is None else [one.name for one in await store.due(tx, limits)]
    due: list[Due] = []
    erased: list[Erasure] = []
    for start in range(0, len(names), _AT_ONCE):
        async with database.erase(space) as tx:
            if tx is None:
                break
            # Somebody may have written there meanwhile; from here on nobody does.
            group = await store.due(tx, limits, names=names[start : start + _AT_ONCE])
            erased += await take(tx, _erasures(group, erasers, limits), now=limits.now)
            due += group
    async with database.erase(space) as tx:
        if tx is None:
            return _report(space, limits, due, {}, erased, done=True)
        of_themselves = await _end(tx, limits)
    return _report(space, limits, due, of_themselves, erased, done=True)


async def _end(tx: SpaceTransaction, limits: RetentionLimits) -> Mapping[str, int]:
    counts = await _count(tx, limits, [])
    for step in _OF_THEMSELVES:
        await store.apply(tx, step, limits)
    if EXCERPTS in counts:
        entries = await store.entries(tx, "entries_of_old_excerpts", {"excerpts": limits.excerpts})
        await store.apply(tx, "cut_old_excerpts", limits)
        if entries:
            await remove(tx, entries)
    return counts


def _erasures(
    due: Iterable[Due], erasers: Sequence[Eraser], limits: RetentionLimits
) -> Iterator[tuple[What, Sequence[Eraser]]]:
    """Yield what is to be erased of each session, and by which erasers."""
    emptying = Emptying(limits.evidence)
    keeping = [emptying if isinstance(eraser, LedgerEraser) else eraser for eraser in erasers]
    for one in due:
        yield What(session=one.name), keeping if one.kept else erasers


async def _count(tx: SpaceTransaction, limits: RetentionLimits, due: Iterable[Due]) -> dict[str, int]:
    given = {
        "now": limits.now,
        "evidence": limits.evidence,
        "excerpts": limits.excerpts,
        "due": [one.name for one in due],
    }
    return await store.count(tx, "count_due_rows", given)


def _report(
    space: str,
    limits: RetentionLimits,
    due: Sequence[Due],
    of_themselves: Mapping[str, int],
    erased: Iterable[Erasure],
    *,
    done: bool,
) -> RetentionReport:
    counts = Counter(of_themselves)
    receipts: list[str] = []
    for erasure in erased:
        counts.update(erasure.counts)
        if erasure.receipt is not None:
            receipts.append(erasure.receipt)
    emptied = sum(one.kept for one in due)
    return RetentionReport(
        space=space,
        done=done,
        limits=limits,
        sessions=len(due) - emptied,
        emptied=emptied,
        expired=sum(of_themselves.get(table, 0) for table in _EXPIRED),
        excerpts=counts[EXCERPTS],
        counts={table: rows for table, rows in sorted(counts.items()) if rows},
        receipts=tuple(receipts),
    )
