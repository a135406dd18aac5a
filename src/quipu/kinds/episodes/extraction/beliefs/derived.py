"""Beliefs as statements that can be marked as wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final
from uuid import UUID

from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.episodes.extraction import store as marks
from quipu.kinds.episodes.extraction.beliefs import store
from quipu.kinds.episodes.extraction.beliefs.model import Claim
from quipu.kinds.episodes.extraction.beliefs.writer import BeliefWriter
from quipu.record.corrections.model import CorrectedKind, Told
from quipu.record.corrections.statements import Act, Statements
from quipu.record.corrections.store import corrected


class BeliefStatements(Statements):
    """Beliefs that were read in messages; one that is wrong ends, and stays in the history."""

    kind: ClassVar[CorrectedKind] = "belief"

    async def hold(self, tx: SpaceTransaction) -> None:
        """Wait until nobody else changes beliefs of the space."""
        await marks.hold(tx)

    async def find(self, tx: SpaceTransaction, id_: UUID | str) -> UUID:
        """Return the whole id of a belief.

        Raises:
            NotFound: there is none.
        """
        return (await store.row(tx, id_)).id

    async def withdraw(self, act: Act, id_: UUID) -> None:
        """End a belief; the surest that contested it stands then.

        Raises:
            Unprepared: there is no vector for the text of that one.
        """
        await BeliefWriter(act.tx, act.prepared, now=act.now).reject(await store.row(act.tx, id_))

    async def restore(self, act: Act, id_: UUID) -> None:
        """Let a belief stand again, unless another stands in its place.

        Raises:
            Unprepared: there is no vector for its text.
        """
        await BeliefWriter(act.tx, act.prepared, now=act.now).accept(await store.row(act.tx, id_))


BELIEFS: Final = BeliefStatements(store.SQL)


async def uncorrected(tx: SpaceTransaction, claims: Sequence[Claim]) -> list[Claim]:
    """Return the claims that nobody marked as wrong; those that deny something are none of these."""
    told = [Told(one.message, f"{one.key.replace('_', ' ')}: {one.value}") for one in claims]
    wrong = await corrected(tx, told)
    return [one for place, one in enumerate(claims) if one.denies or place not in wrong]
