"""Filing rows that SQL wrote: triggers note them (``core.unindex_row``), a search files them first."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import UUID

from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kernel.db.queries import Queries
from quipu.recall import index, store
from quipu.recall.generations import Models, PreparedVectors, prepare
from quipu.recall.model import Draft, GenerationChanged
from quipu.recall.terms import DEFAULT

_SECONDS: Final = 1.0
_FIRST_AT_ONCE, _MOST_AT_ONCE = 16, 512


@dataclass(frozen=True, slots=True)
class Row:
    """A row that the index does not know.

    ``text`` is embedded, ``form`` is one for all that say the same, ``draft`` is the entry without a vector.
    """

    id: UUID
    text: str
    form: str | bytes
    draft: Draft


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of a kind that SQL may write, by queries of these names:

    ``hold`` waits until nobody else changes rows by the doors of the kind; ``unindexed`` returns ``limit``
    rows without an entry, which ``read`` understands (its second argument is the language of a text that
    tells none), by their ids; ``held`` returns which of the ``ids`` have none still and holds them, without
    those that others hold; ``filed`` notes the ``entry`` and the ``form`` of the row with an ``id``, or, of
    rows that no other row has to differ from (``at_once``), the ``entries`` of those with the ``ids``.
    """

    sql: Queries
    read: Callable[[tuple[Any, ...], str], Row]
    at_once: bool = False

    async def file(self, database: Database, models: Models, space: str) -> bool:
        """File rows that have no entry for about a second; whether all are filed.

        What others hold at the moment, or takes longer, is left for the next time.
        """
        until, at_once = time.monotonic() + _SECONDS, _FIRST_AT_ONCE
        while time.monotonic() < until:
            async with database.snapshot_read(space) as tx:
                found = {} if tx is None else await self._unindexed(tx, at_once)
            if not found:
                return True
            prepared = await prepare(database, models, space, [row.text for row in found.values()])
            try:
                async with database.write(space) as tx:
                    prepared.check(tx)
                    if not await self._file(tx, prepared, found):
                        break
            except GenerationChanged:
                continue
            at_once = min(_MOST_AT_ONCE, 2 * at_once)
        return False

    async def _unindexed(self, tx: SpaceTransaction, limit: int) -> dict[tuple[Any, ...], Row]:
        """Return rows by what they are in the database."""
        fallback = next(iter(tx.space.languages), DEFAULT)
        return {row: self.read(row, fallback) for row in await tx.rows(self.sql["unindexed"], limit=limit)}

    async def _file(
        self, tx: SpaceTransaction, prepared: PreparedVectors, found: Mapping[tuple[Any, ...], Row]
    ) -> int:
        """File those of the rows that are what they were when their vectors were made; how many."""
        await tx.execute(self.sql["hold"])
        ids = [row.id for row in found.values()]
        held = {row[0] for row in await tx.rows(self.sql["held"], ids=ids)}
        still = await tx.rows(self.sql["unindexed"], limit=_MOST_AT_ONCE)
        ready = [found[row] for row in still if row in found and found[row].id in held]
        if ready:
            vectors, generation = prepared.of([row.text for row in ready])
            drafts = [replace(row.draft, vector=vector) for row, vector in zip(ready, vectors, strict=True)]
            entries = await index.file(tx, drafts, generation=generation)
            if self.at_once:
                await tx.execute(self.sql["filed"], ids=[row.id for row in ready], entries=Int8s(entries))
            else:
                for row, entry in zip(ready, entries, strict=True):
                    await tx.execute(self.sql["filed"], id=row.id, entry=entry, form=row.form)
        return len(ready)


async def settle(
    database: Database, space: str, kind: int, clear: Callable[[SpaceTransaction], Awaitable[None]]
) -> None:
    """Let ``clear`` note that nothing of a kind waits, where it sees that: writers are through by then.

    Where SQL is writing rows of the kind, that is left to the next time.
    """
    async with database.erase(space) as tx:
        if tx is not None and await store.is_left_alone(tx, kind):
            await clear(tx)
