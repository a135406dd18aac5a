"""Long-term memories as statements that can be marked as wrong."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import ClassVar, Final
from uuid import UUID

from quipu.errors import Conflict
from quipu.kernel.db import queries
from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.longterm import store
from quipu.kinds.longterm.changes import HAND, Changes
from quipu.kinds.longterm.model import Edit, Evaluation, Inclusion, LeftOut, MemorySource
from quipu.record.corrections.model import MARKED_WRONG, CorrectedKind, Told
from quipu.record.corrections.statements import Act, Statements
from quipu.record.corrections.store import corrected

_SQL = queries.load("quipu.kinds.longterm")


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
    inclusions: list[Inclusion] = []
    edits: list[Edit] = []
    left_out: list[LeftOut] = []
    for one in evaluation.inclusions:
        said = await _right(tx, one.summary, one.sources)
        if said is None:
            left_out.append(LeftOut(summary=one.summary, reason=MARKED_WRONG))
        else:
            inclusions.append(replace(one, sources=said))
    for edit in evaluation.edits:
        said = await _right(tx, edit.summary or "", edit.sources)
        if edit.summary and said is None:
            left_out.append(LeftOut(summary=edit.summary, reason=MARKED_WRONG))
        else:
            edits.append(edit if said is None else replace(edit, sources=said))
    if not left_out:
        return replace(evaluation, inclusions=inclusions, edits=edits)
    return replace(evaluation, inclusions=inclusions, edits=edits, left_out=[*evaluation.left_out, *left_out])


async def _right(
    tx: SpaceTransaction, summary: str, said: Sequence[MemorySource]
) -> Sequence[MemorySource] | None:
    """Return the sources whose claim is not marked as wrong; None if there were some, and all are."""
    numbers = await store.numbers(tx, said)
    known = [(place, numbers.get(place, one.number)) for place, one in enumerate(said)]
    told = {place: Told(number, summary) for place, number in known if number is not None}
    places = list(told)
    wrong = {places[place] for place in await corrected(tx, list(told.values()))}
    right = [one for place, one in enumerate(said) if place not in wrong]
    return right if right or not said else None
