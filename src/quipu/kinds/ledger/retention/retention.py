"""Retention of one space: count or delete what is past its time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any, Final

from annotated_types import Interval
from typing_extensions import Doc

from quipu.errors import BadInput
from quipu.kernel.base.clock import Clock
from quipu.kernel.base.parameters import Confirm, Example, Space
from quipu.kernel.base.scope import check_name
from quipu.kernel.config import Settings
from quipu.kernel.db import queries
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kinds.ledger.eraser import LedgerEraser
from quipu.kinds.ledger.retention.model import EXCERPTS, Due, RetentionLimits, RetentionReport
from quipu.kinds.ledger.settings import EVIDENCE_DAYS, EXCERPT_DAYS, SESSION_DAYS
from quipu.recall.index import remove
from quipu.record.eraser import RecordEraser
from quipu.upkeep.erasure.model import Erasure, What
from quipu.upkeep.erasure.service import Eraser, count, take

_SQL = queries.load("quipu.kinds.ledger.retention")

ERASERS: Final[Sequence[Eraser]] = (LedgerEraser(), RecordEraser())
"""Of the ledger and of the record, which comes last. Where there are more kinds, the system names all."""

_LONGEST_DAYS: Final = 36_500
_Days = Annotated[int | None, Interval(ge=0, le=_LONGEST_DAYS), Example(90)]

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

_STEPS: Final = (
    "erase_events_of_session",
    "forget_last_session",
    "delete_session_memory",
    "delete_old_evidence_of",
    "delete_unbacked",
    "cut_excerpts_of",
    "delete_competitor_checks",
    "delete_signal_runs",
    "delete_fallbacks",
    "delete_tool_calls",
    "blank_details",
)


class AsyncRetention:
    """Delete what a database no longer needs."""

    def __init__(self, database: Database, *, clock: Clock, erasers: Sequence[Eraser]) -> None:
        self._database = database
        self._clock = clock
        self._erasers = erasers

    async def retention(
        self,
        *,
        space: Space,
        session_days: Annotated[
            _Days, Doc("Sessions go after so many days without a message or a fact; 0 keeps them for ever.")
        ] = None,
        excerpt_days: Annotated[
            _Days, Doc("Evidence loses its excerpt after so many days; 0 keeps it for ever.")
        ] = None,
        evidence_days: Annotated[
            _Days, Doc("Evidence goes with its recommendation after so many days; 0 keeps both for ever.")
        ] = None,
        confirm: Confirm = False,
    ) -> RetentionReport:
        """Take out of a space what is no longer needed.

        That is idle sessions, expired values and old evidence. A session goes with everything that was said
        and known in it. Values whose `expires_at` is over get an event that says so, and stand no more.
        Evidence that stays keeps its session, emptied of all else. Days that are not given are as the
        settings of these names say.

        Raises:
            BadInput: A number of days is out of range (0 to 36,500).
        """
        check_name("space", space)
        given = {"session_days": session_days, "excerpt_days": excerpt_days, "evidence_days": evidence_days}
        checked = {name: _checked(name, days) for name, days in given.items()}
        limits = _limits(checked, await self._database.settings(space), now=self._clock.now())
        return await (self._enforce if confirm else self._preview)(limits, space=space)

    async def _preview(self, limits: RetentionLimits, *, space: str) -> RetentionReport:
        """Count the rows that would go; nothing is changed."""
        async with self._database.snapshot_read(space) as tx:
            if tx is None:
                return _report(space, limits, [], {}, [], done=False)
            due = await _due(tx, limits)
            of_themselves = await _count(tx, limits, due)
            erased = [
                Erasure(space, what, await count(tx, chosen, what))
                for what, chosen in _erasures(due, self._erasers, limits)
            ]
        return _report(space, limits, due, of_themselves, erased, done=False)

    async def _enforce(self, limits: RetentionLimits, *, space: str) -> RetentionReport:
        """Take it out. Sessions go in groups, each at once; doing it again finishes what was cut off."""
        async with self._database.snapshot_read(space) as tx:
            names = [] if tx is None else [one.name for one in await _due(tx, limits)]
        due: list[Due] = []
        erased: list[Erasure] = []
        for start in range(0, len(names), _AT_ONCE):
            async with self._database.erase(space) as tx:
                if tx is None:
                    break
                # Somebody may have written there meanwhile; from here on nobody does.
                group = await _due(tx, limits, names=names[start : start + _AT_ONCE])
                erased += await take(tx, _erasures(group, self._erasers, limits), now=limits.now)
                due += group
        async with self._database.erase(space) as tx:
            of_themselves: Mapping[str, int] = {} if tx is None else await _end(tx, limits)
        return _report(space, limits, due, of_themselves, erased, done=True)


@dataclass(frozen=True, slots=True)
class Emptying:
    """In the place of the ledger's eraser where a session goes but evidence since ``before`` is to be kept.

    The session itself stays too, as the record keeps one that another kind refers to: so an erasure of its
    person still finds the evidence.
    """

    before: datetime | None

    async def count(self, tx: SpaceTransaction, what: What) -> Mapping[str, int]:
        """Count the rows that would go, by table, and the excerpts that would be cut."""
        return await _by_table(tx, "count_emptied", session=what.session, before=self.before)

    async def erase(self, tx: SpaceTransaction, what: What) -> Sequence[int]:
        """Take them; returns the index entries of the excerpts that were cut."""
        assert what.session is not None
        uids = await tx.rows(_SQL["session_uid"], session=what.session)
        values: dict[str, Any] = {"uid": uids[0][0] if uids else None, "before": self.before}
        entries = await tx.rows(_SQL["entries_of_emptied"], session=what.session, before=self.before)
        for step in _STEPS:
            await tx.execute(_SQL[step], **values)
        return [entry for (entry,) in entries]


async def _end(tx: SpaceTransaction, limits: RetentionLimits) -> Mapping[str, int]:
    counts = await _count(tx, limits, [])
    values: dict[str, Any] = {"name": tx.space.name, **asdict(limits)}
    for step in _OF_THEMSELVES:
        await tx.execute(_SQL[step], **values)
    if EXCERPTS in counts:
        entries = await tx.rows(_SQL["entries_of_old_excerpts"], excerpts=limits.excerpts)
        await tx.execute(_SQL["cut_old_excerpts"], excerpts=limits.excerpts)
        if entries:
            await remove(tx, [entry for (entry,) in entries])
    return counts


def _erasures(
    due: Iterable[Due], erasers: Sequence[Eraser], limits: RetentionLimits
) -> Iterator[tuple[What, Sequence[Eraser]]]:
    """Yield the erasure of each session and its erasers."""
    emptying = Emptying(limits.evidence)
    keeping = [emptying if isinstance(eraser, LedgerEraser) else eraser for eraser in erasers]
    for one in due:
        yield What(session=one.name), keeping if one.kept else erasers


async def _count(tx: SpaceTransaction, limits: RetentionLimits, due: Iterable[Due]) -> dict[str, int]:
    return await _by_table(
        tx,
        "count_due_rows",
        now=limits.now,
        evidence=limits.evidence,
        excerpts=limits.excerpts,
        due=[session.name for session in due],
    )


async def _by_table(tx: SpaceTransaction, query: str, **values: Any) -> dict[str, int]:
    """Return rows by table, as a counting query names them; those without any are left out."""
    row = await tx.fetch_one(dict[str, int], _SQL[query], **values)
    return {f"ledger.{table}": rows for table, rows in (row or {}).items() if rows}


async def _due(
    tx: SpaceTransaction, limits: RetentionLimits, *, names: Sequence[str] | None = None
) -> list[Due]:
    """Return the sessions whose time is over, of all or of those named."""
    if limits.sessions is None:
        return []
    return await tx.fetch(
        Due,
        _SQL["due_sessions"],
        before=limits.sessions,
        evidence=limits.evidence,
        names=None if names is None else list(names),
    )


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


def _limits(given: dict[str, int | None], settings: Settings, *, now: datetime) -> RetentionLimits:
    usual = {
        "session_days": settings.of(SESSION_DAYS),
        "excerpt_days": settings.of(EXCERPT_DAYS),
        "evidence_days": settings.of(EVIDENCE_DAYS),
    }
    before: dict[str, datetime | None] = {}
    for name, days in given.items():
        kept = usual[name] if days is None else days
        before[name] = now - timedelta(days=kept) if kept else None
    return RetentionLimits(now, before["session_days"], before["excerpt_days"], before["evidence_days"])


def _checked(field: str, days: int | None) -> int | None:
    if days is not None and (type(days) is not int or not 0 <= days <= _LONGEST_DAYS):
        raise BadInput(f"a whole number of days from 0 (for ever) to {_LONGEST_DAYS:,}.", field=field)
    return days
