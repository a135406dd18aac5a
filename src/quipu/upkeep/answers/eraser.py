"""Forgetting kept answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from quipu.kernel.db.database import SpaceTransaction
from quipu.upkeep.answers import store
from quipu.upkeep.erasure.model import What


class AnswersEraser:
    """Takes every kept answer of the space, whatever is forgotten: any of them may repeat it.

    They are no memories, and kept for a day at most; so no preview counts them.
    """

    async def count(self, tx: SpaceTransaction, what: What) -> Mapping[str, int]:  # noqa: ARG002 - as above
        """Return nothing: nobody would miss these answers."""
        return {}

    async def erase(self, tx: SpaceTransaction, what: What) -> Sequence[int]:  # noqa: ARG002 - as above
        """Take them; they have no entries in the index."""
        await store.drop_of_space(tx)
        return ()
