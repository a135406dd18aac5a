"""Retention, as a caller of the ledger meets it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Annotated, Final

from annotated_types import Interval
from typing_extensions import Doc

from quipu.errors import BadInput
from quipu.kernel.base.clock import Clock
from quipu.kernel.base.parameters import Confirm, Example, Space
from quipu.kernel.base.scope import check_name
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.kinds.ledger.eraser import LedgerEraser
from quipu.kinds.ledger.retention.keeping import enforce, preview
from quipu.kinds.ledger.retention.model import RetentionLimits, RetentionReport
from quipu.kinds.ledger.settings import EVIDENCE_DAYS, EXCERPT_DAYS, SESSION_DAYS
from quipu.record.eraser import RecordEraser
from quipu.upkeep.erasure.service import Eraser

ERASERS: Final[Sequence[Eraser]] = (LedgerEraser(), RecordEraser())
"""Of the ledger and of the record, which comes last. Where there are more kinds, the system names all."""

_LONGEST_DAYS: Final = 36_500
_Days = Annotated[int | None, Interval(ge=0, le=_LONGEST_DAYS), Example(90)]


class AsyncRetention:
    """Takes out of a database what is no longer needed."""

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
        if not confirm:
            return await preview(self._database, self._erasers, limits, space=space)
        return await enforce(self._database, self._erasers, limits, space=space)


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
