"""Long-term memories as statements that can be marked as wrong."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import replace
from typing import ClassVar, Final, TypeVar
from uuid import UUID

from quipu.errors import Conflict
from quipu.kernel.db import queries
from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.longterm import store
from quipu.kinds.longterm.changes import HAND, Changes
from quipu.kinds.longterm.model import Edit, Evaluation, Inclusion, JudgedClaim, MemorySource
from quipu.record.corrections.model import MARKED_WRONG, CorrectedKind, Told
from quipu.record.corrections.statements import Act, Statements
from quipu.record.corrections.store import corrected

_SQL = queries.load("quipu.kinds.longterm")
_Change = TypeVar("_Change", Inclusion, Edit)
_Wrong = AbstractSet[tuple[str | None, MemorySource]]


class LongtermStatements(Statements):
    """Long-term memories that rest on messages; a memory that is wrong is archived."""

    kind: ClassVar[CorrectedKind] = "longterm"

    async def hold(self, tx: SpaceTransaction) -> None:
        """Wait until nobody else changes memories of the space."""
        await tx.execute(_SQL["hold"])

    async def find(self, tx: SpaceTransaction, id_: UUID | str) -> UUID:
        """Return the whole id of a memory.

        Raises:
            NotFound: there is none.
        """
        return UUID((await store.memory(tx, id_)).id)

    async def withdraw(self, act: Act, id_: UUID) -> None:
        """Archive a memory."""
        changes = await Changes.begin(act.tx, act.prepared, now=act.now, by=HAND)
        await changes.archive(id_, reason=act.reason)

    async def restore(self, act: Act, id_: UUID) -> None:
        """Bring a memory back, unless another says so by now.

        Raises:
            Unprepared: there is no vector for its text.
        """
        changes = await Changes.begin(act.tx, act.prepared, now=act.now, by=HAND)
        with suppress(Conflict):
            await changes.revive(id_)


MEMORIES: Final = LongtermStatements(_SQL)


async def uncorrected(tx: SpaceTransaction, evaluation: Evaluation) -> Evaluation:
    """Return an evaluation without sources whose claim is marked as wrong, and what rests on them alone."""
    wrong = await _wrong(tx, [*evaluation.inclusions, *evaluation.edits])
    if not wrong:
        return evaluation
    gone = [
        JudgedClaim(
            words=one.sources[0].excerpt, verdict="left out", reason=MARKED_WRONG, statement=one.summary
        )
        for one in (*evaluation.inclusions, *evaluation.edits)
        if one.summary and not _stays(one, wrong)
    ]
    summaries = {one.statement for one in gone}
    return replace(
        evaluation,
        inclusions=[_without(one, wrong) for one in evaluation.inclusions if _stays(one, wrong)],
        edits=[_without(one, wrong) for one in evaluation.edits if _stays(one, wrong)],
        claims=[*(one for one in evaluation.claims if one.statement not in summaries), *gone],
    )


async def _wrong(tx: SpaceTransaction, every: Sequence[Inclusion | Edit]) -> _Wrong:
    """Return summaries with those of their sources of which they are marked as wrong."""
    said = [(one.summary, source) for one in every if one.summary for source in one.sources]
    numbers = await store.numbers(tx, [source for _, source in said])
    known = [
        (pair, number)
        for place, pair in enumerate(said)
        if (number := numbers.get(place, pair[1].number)) is not None
    ]
    places = await corrected(tx, [Told(number, summary) for (summary, _), number in known])
    return {known[place][0] for place in places}


def _stays(one: Inclusion | Edit, wrong: _Wrong) -> bool:
    """Return True if a source is left, or there never was one."""
    return not one.sources or any((one.summary, source) not in wrong for source in one.sources)


def _without(one: _Change, wrong: _Wrong) -> _Change:
    return replace(one, sources=[source for source in one.sources if (one.summary, source) not in wrong])
