"""Lessons as statements that can be marked as wrong."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import ClassVar, Final
from uuid import UUID

from quipu.errors import Conflict
from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.transcripts.extract.model import Finding
from quipu.kinds.transcripts.lessons import store
from quipu.kinds.transcripts.lessons.changes import archive_rows, restore_row
from quipu.record.corrections.model import CorrectedKind, Told
from quipu.record.corrections.statements import Act, Statements
from quipu.record.corrections.store import corrected


class LessonStatements(Statements):
    """Lessons that were read in sessions; one that is wrong is archived."""

    kind: ClassVar[CorrectedKind] = "lesson"
    is_of_everybody: ClassVar = True

    async def hold(self, tx: SpaceTransaction) -> None:
        """Wait until nobody else changes lessons of the space."""
        await tx.execute(store.SQL["hold"])

    async def find(self, tx: SpaceTransaction, id_: UUID | str) -> UUID:
        """Return the whole id of a lesson.

        Raises:
            NotFound: there is none.
        """
        return UUID((await store.row_of(tx, id_)).id)

    async def withdraw(self, act: Act, id_: UUID) -> None:
        """Archive a lesson."""
        await archive_rows(act.tx, [await store.row_of(act.tx, id_)], now=act.now)

    async def restore(self, act: Act, id_: UUID) -> None:
        """Bring a lesson back, unless another of its project says so by now.

        Raises:
            Unprepared: there is no vector for its fact.
        """
        with suppress(Conflict):
            await restore_row(act.tx, await store.row_of(act.tx, id_), act.prepared, now=act.now)


LESSONS: Final = LessonStatements(store.SQL)


async def wrong_places(tx: SpaceTransaction, findings: Sequence[Finding]) -> set[int]:
    """Return the places of the findings that are marked as wrong of their message."""
    told = {
        place: Told(one.message_id, one.fact)
        for place, one in enumerate(findings)
        if one.message_id is not None
    }
    places = list(told)
    return {places[place] for place in await corrected(tx, list(told.values()))}
