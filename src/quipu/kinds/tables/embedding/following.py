"""Having the index follow the rows of agents' tables, for a while or to the end.

Triggers wrote down which rows changed; each batch of them is read, embedded and filed.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final

from quipu.kernel.db.database import Database
from quipu.kernel.queue.model import Payload
from quipu.kernel.queue.outbox import put
from quipu.kinds.plug import Context
from quipu.kinds.tables.embedding import store
from quipu.kinds.tables.embedding.ahead import Ahead
from quipu.kinds.tables.embedding.batch import Batches, Busy
from quipu.kinds.tables.embedding.truth import SECONDS, Truth, Unreadable
from quipu.kinds.tables.logins import Logins
from quipu.kinds.tables.model import StoredSchema
from quipu.recall.generations import Models

TOPIC: Final = "tables-embedding"
AT_ONCE_SECONDS: Final = 1.0
_FIRST_ROWS, _MOST_ROWS = 16, 512
_STEP_SECONDS: Final = 0.25


class Following:
    """Has the index follow the tables of schemas; ``logins`` are those that their rows are read by."""

    def __init__(self, database: Database, models: Models, logins: Logins) -> None:
        self._database = database
        self._models = models
        self._logins = logins

    async def follow(self, space: str, schema: StoredSchema, ahead: Ahead | None = None) -> int:
        """Have the index follow for about a second; how many vectors were made or taken out.

        ``ahead`` has vectors that are being made already. What is left is a job for a worker, and the next
        recalls do some of it each.
        """
        done, left = await self.advance(space, schema, seconds=AT_ONCE_SECONDS, ahead=ahead)
        if left:
            async with self._database.write(space) as tx:
                await put(tx, TOPIC, {}, key="all")
        return done

    async def advance(
        self, space: str, schema: StoredSchema, *, seconds: float | None, ahead: Ahead | None = None
    ) -> tuple[int, bool]:
        """Follow changes for so long, or to the end; return how many, and True if some are left.

        A table that cannot be read is left as it is: what changed there stays hidden.
        """
        until = None if seconds is None else time.monotonic() + seconds
        truth = Truth(self._database, self._logins, space, schema)
        batches = Batches(self._database, self._models, truth, space, schema, ahead)
        skipped: list[int] = []
        rows, done = _FIRST_ROWS, 0
        while until is None or time.monotonic() < until:
            began = time.monotonic()
            try:
                step, more = await batches.follow(rows, skipped=skipped)
            except Busy:
                return done, True
            except Unreadable as unreadable:
                skipped.append(unreadable.relation)
                continue
            done += step
            if not more:
                return done, bool(skipped)
            pace = rows / max(time.monotonic() - began, 1e-3)
            rows = max(_FIRST_ROWS, min(_MOST_ROWS, 2 * rows, round(pace * _STEP_SECONDS)))
        return done, True


async def catch_up(database: Database, models: Models, space: str) -> None:
    """Have the index follow for about a second; what is left waits for the next time, and is hidden."""
    await _advance(database, models, space, seconds=AT_ONCE_SECONDS)


async def embed(context: Context, _: Payload) -> None:
    """Have the index follow to the end; it may be done twice."""
    await _advance(context.database, context.models, context.space, seconds=None)


async def _advance(database: Database, models: Models, space: str, *, seconds: float | None) -> None:
    async with database.snapshot_read(space) as tx:
        schemas: Sequence[StoredSchema] = [] if tx is None else await store.behind(tx)
    if not schemas:
        return
    logins = Logins(database, statement_seconds=SECONDS)
    try:
        for schema in schemas:
            await Following(database, models, logins).advance(space, schema, seconds=seconds)
    finally:
        await logins.aclose()
