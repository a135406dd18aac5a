"""Retention, as a caller of the ledger meets it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from quipu.errors import BadInput
from quipu.kernel.base.clock import Clock
from quipu.kernel.base.scope import check_name
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.kinds.ledger.eraser import LedgerEraser
from quipu.kinds.ledger.retention.keeping import enforce, preview
from quipu.kinds.ledger.retention.model import Limits, RetentionReport
from quipu.record.eraser import RecordEraser
from quipu.upkeep.erasure.service import Eraser

ERASERS: Final[Sequence[Eraser]] = (LedgerEraser(), RecordEraser())
"""Of the ledger and of the record, which comes last. Where there are more kinds, the house names all."""

_LONGEST_DAYS: Final = 36_500


class AsyncRetention:
    """Takes out of a database what is no longer needed."""

    def __init__(self, database: Database, *, clock: Clock, erasers: Sequence[Eraser]) -> None:
        self._database = database
        self._clock = clock
        self._erasers = erasers

    async def retention(
        self,
        *,
        space: str,
        confirm: bool = False,
        session_days: int | None = None,
        excerpt_days: int | None = None,
        evidence_days: int | None = None,
    ) -> RetentionReport:
        """What of a space is no longer needed; with ``confirm`` it goes.

        A session in which nothing was written for ``session_days`` goes with everything that was said and
        known in it; preferences and other values whose ``expires_at`` is over get an event that says so, and
        stand no more. Evidence loses its excerpt after ``excerpt_days`` and goes with its recommendation
        after ``evidence_days``; until then it keeps its session, emptied of all else. What is not given is as
        the settings of these names say; 0 keeps for ever.

        Raises:
            BadInput: a number of days is out of range (0 to 36,500).
        """
        check_name("space", space)
        given = {"session_days": session_days, "excerpt_days": excerpt_days, "evidence_days": evidence_days}
        checked = {name: _checked(name, days) for name, days in given.items()}
        limits = _limits(checked, await self._database.settings(space), now=self._clock.now())
        if not confirm:
            return await preview(self._database, self._erasers, limits, space=space)
        return await enforce(self._database, self._erasers, limits, space=space)


def _limits(given: dict[str, int | None], settings: Settings, *, now: datetime) -> Limits:
    usual = {
        "session_days": settings.session_days,
        "excerpt_days": settings.excerpt_days,
        "evidence_days": settings.evidence_days,
    }
    before: dict[str, datetime | None] = {}
    for name, days in given.items():
        kept = usual[name] if days is None else days
        before[name] = now - timedelta(days=kept) if kept else None
    return Limits(now, before["session_days"], before["excerpt_days"], before["evidence_days"])


def _checked(field: str, days: int | None) -> int | None:
    if days is not None and (type(days) is not int or not 0 <= days <= _LONGEST_DAYS):
        raise BadInput(f"a whole number of days from 0 (for ever) to {_LONGEST_DAYS:,}.", field=field)
    return days
