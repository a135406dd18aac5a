"""Doing a request once, however often it is sent."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from quipu.errors import BadInput, Conflict
from quipu.kernel.base.clock import Clock
from quipu.kernel.base.scope import acting_for
from quipu.kernel.db.database import Database
from quipu.upkeep.answers import store
from quipu.upkeep.answers.model import Asking, KeptAnswer

KEPT: Final = timedelta(hours=24)
_ABANDONED: Final = timedelta(minutes=5)  # longer than any request may take: its process died


class AsyncAnswers:
    """Answers to requests that may be sent again. Kept for 24 hours."""

    def __init__(self, database: Database, *, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def begin(self, asking: Asking) -> KeptAnswer | None:
        """Take a request on: None where it is to be done now, else what was answered to it before.

        Raises:
            BadInput: something else was asked under the same key.
            Conflict: it is being done at this moment.
        """
        now = self._clock.now()
        with acting_for(None):  # it is the key's: who has it asked before
            async with self._database.write(asking.space) as tx:
                begun = await store.begin(tx, asking, now=now, expired=now - KEPT, abandoned=now - _ABANDONED)
                found = None if begun else await store.find(tx, asking)
        if found is None:
            return None
        sha256, answer = found
        if sha256 != asking.sha256:
            raise BadInput(
                "something else was asked under this key.",
                field="Idempotency-Key",
                hint="Take a new key for each new request.",
            )
        if answer is None:
            raise Conflict("This request is being done.", hint="Wait a moment, then send it again.")
        return answer

    async def keep(self, asking: Asking, answer: KeptAnswer) -> None:
        """Keep the answer to a request that was done; not where an erasure took the request meanwhile."""
        with acting_for(None):
            async with self._database.transaction(asking.space) as tx:
                if tx is not None:
                    await store.keep(tx, asking, answer)

    async def release(self, asking: Asking) -> None:
        """Give back a request that failed: it may be sent again under the same key."""
        with acting_for(None):
            async with self._database.transaction(asking.space) as tx:
                if tx is not None:
                    await store.release(tx, asking)

    async def drop_old(self) -> int:
        """Drop what is older than 24 hours, in every space; how many."""
        async with self._database.unscoped() as conn:
            return await store.drop_old(conn, self._clock.now() - KEPT)
