"""Open loops as statements that can be marked as wrong."""

from __future__ import annotations

from typing import ClassVar, Final
from uuid import UUID

from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.episodes.extraction import store as marks
from quipu.kinds.episodes.extraction.loops import store
from quipu.kinds.episodes.extraction.loops.model import Opened
from quipu.record.corrections.model import CorrectedKind, Told
from quipu.record.corrections.statements import Act, Statements
from quipu.record.corrections.store import corrected


class LoopStatements(Statements):
    """Loops that messages left open; one that is wrong is closed."""

    kind: ClassVar[CorrectedKind] = "loop"

    async def hold(self, tx: SpaceTransaction) -> None:
        """Wait until nobody else changes loops of the space."""
        await marks.hold(tx)

    async def find(self, tx: SpaceTransaction, id_: UUID | str) -> UUID:
        """Return the whole id of a loop.

        Raises:
            NotFound: there is none.
        """
        return (await store.loop(tx, id_)).id

    async def withdraw(self, act: Act, id_: UUID) -> None:
        """Close a loop."""
        await store.close(act.tx, id_, at=act.now, outcome="dropped", evidence=act.reason, message=None)

    async def restore(self, act: Act, id_: UUID) -> None:
        """Open a loop again."""
        await store.reopen(act.tx, id_)


LOOPS: Final = LoopStatements(store.SQL)


async def is_wrong(tx: SpaceTransaction, one: Opened) -> bool:
    """Return True if a loop is marked as wrong of all messages whose words are in it."""
    told = [Told(message, one.text) for message in one.messages]
    return len(await corrected(tx, told)) == len(told)
