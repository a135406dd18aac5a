"""Updates of the index after rows of agents' tables changed.

Triggers note which rows changed. Each batch of these is read, embedded and filed in one transaction, by one
process at a time for a schema. Rows that change meanwhile are noted again, for the next batch.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

from anyio import to_thread
from psycopg import errors as pg

from quipu.errors import DatabaseError
from quipu.kernel.db.arrays import Texts
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kernel.queue.model import Payload
from quipu.kernel.queue.outbox import put
from quipu.kinds.plug import Context
from quipu.kinds.tables.embedding import store
from quipu.kinds.tables.embedding.ahead import FEW_TEXTS, Ahead
from quipu.kinds.tables.embedding.indexing import Filing
from quipu.kinds.tables.embedding.model import (
    EntryPlace,
    IndexedPart,
    Pending,
    Plan,
    Relation,
    RowChange,
    Values,
    Wanted,
)
from quipu.kinds.tables.embedding.row_reader import SECONDS, RowReader, Unreadable
from quipu.kinds.tables.embedding.rules import plan
from quipu.kinds.tables.embedding.store import SQL
from quipu.kinds.tables.logins import Logins
from quipu.kinds.tables.model import StoredSchema
from quipu.recall.generations import Models
from quipu.recall.index import Reserved, withdraw
from quipu.recall.model import GenerationChanged

TOPIC: Final = "tables-embedding"
AT_ONCE_SECONDS: Final = 1.0
_FIRST_ROWS, _MOST_ROWS = 16, 512
_STEP_SECONDS: Final = 0.25
_MOST_TEXTS: Final = 256
_GONE_AT_ONCE: Final = 5_000
_LONGEST_KEY: Final = 2_000  # characters; an index of PostgreSQL has no room for much more


class Busy(Exception):
    """Another process updates the index for that schema, and takes long."""


class _Batches:
    """Follows the tables of one schema, batch by batch."""

    def __init__(
        self,
        database: Database,
        models: Models,
        reader: RowReader,
        space: str,
        schema: StoredSchema,
        ahead: Ahead | None = None,
    ) -> None:
        self._database = database
        self._ahead = ahead
        self._filing = Filing(models, schema.id, ahead)
        self._reader = reader
        self._space = space
        self._schema = schema.id

    async def follow(self, rows: int, *, skipped: Sequence[int]) -> tuple[int, bool]:
        """Follow so many rows of a table that is not among ``skipped``.

        Returns how many vectors were made or taken out, and whether there may be more to do.

        Raises:
            Busy: somebody else holds the schema.
            Unreadable: the table cannot be read.
        """
        # After an insert there is usually a noted change. If there is none, and before each recall, it is
        # checked that every table is watched.
        thorough = self._ahead is None or not self._ahead.begun
        while True:
            ids = Reserved(alone=0 if self._ahead is None else self._ahead.count)
            query = store.PendingQuery(
                self._schema, skipped=skipped, limit=rows, thorough=thorough, beside=ids.ask
            )
            try:
                async with self._database.write(self._space, ask=query.ask) as tx:
                    if await query.is_watched():
                        pending = await query.pending()
                        if pending is not None:
                            return await self._followed(tx, pending, ids)
                        if thorough:
                            return 0, False
            except GenerationChanged:  # the space has another model now
                continue
            except DatabaseError as error:
                if isinstance(error.__cause__, pg.LockNotAvailable):
                    raise Busy from error
                raise
            if thorough:
                async with self._database.write(self._space) as tx:
                    await tx.execute(SQL["watch"], schema=self._schema)
            thorough = True

    async def _followed(self, tx: SpaceTransaction, pending: Pending, entries: Reserved) -> tuple[int, bool]:
        changes, relation = pending.changes, pending.relation
        noted = {one.source_id: one for one in changes if one.source_id is not None}
        ids = [one for one in noted if len(one) <= _LONGEST_KEY]
        if relation is None:
            return await self._take_out(tx, changes), True
        if not noted:
            await self._look_at_all(tx, relation)
            await store.followed(tx, self._schema, changes)
            return 0, True
        values = None if self._ahead is None else self._ahead.values(relation, changes)
        if values is None:
            values = await self._reader.values(relation, ids)
        if len(ids) > FEW_TEXTS:
            taken, steps = await to_thread.run_sync(_planned, ids, pending.known, values)
        else:
            taken, steps = _planned(ids, pending.known, values)
        left = set(ids) - set(taken)
        done = [one for one in changes if one.source_id not in left]
        more = await self._filing.file(tx, relation, steps, done, entries)
        return len(steps.gone) + len(steps.new), more

    async def _take_out(self, tx: SpaceTransaction, changes: Sequence[RowChange]) -> int:
        """Take the entries of a table that is gone out of the index."""
        number = changes[0].relation_id
        rows = await tx.rows(SQL["some_of"], schema=self._schema, relation=number, limit=_GONE_AT_ONCE)
        entries = [entry for (entry,) in rows]
        await withdraw(tx, entries)
        await store.drop(tx, entries)
        if len(entries) < _GONE_AT_ONCE:
            await store.followed(tx, self._schema, changes)
        return len(entries)

    async def _look_at_all(self, tx: SpaceTransaction, relation: Relation) -> None:
        """Note the rows of a table that differ from what the index has, and those that are gone."""
        place: dict[str, Any] = {"schema": self._schema, "relation": relation.id}
        async with self._reader.pages(relation) as pages:
            async for page in pages:
                ids = Texts([source_id for source_id, _ in page for _ in relation.fields])
                fields = Texts(list(relation.fields) * len(page))
                hashes = Texts([one for _, hashes in page for one in hashes])
                await tx.run(SQL["note"], {**place, "source_ids": ids, "fields": fields, "hashes": hashes})
        await tx.run(SQL["note_removed_fields"], {**place, "fields": Texts(relation.fields)})
        after: str | None = None
        while rows := await tx.rows(SQL["kept_rows"], **place, after=after, limit=_GONE_AT_ONCE):
            kept = [source_id for (source_id,) in rows]
            there = await self._reader.there(relation, kept)
            gone = Texts([one for one in kept if one not in there])
            await tx.run(SQL["note_rows"], {**place, "source_ids": gone})
            after = kept[-1]


def _planned(
    ids: Sequence[str], known: Mapping[EntryPlace, IndexedPart], values: Values
) -> tuple[list[str], Plan]:
    """Plan the changes of the first rows that have not too many texts; return these rows, too."""
    of: dict[str, dict[EntryPlace, IndexedPart]] = {}
    for place, one in known.items():
        of.setdefault(place.source_id, {})[place] = one
    taken: list[str] = []
    gone: list[int] = []
    new: dict[EntryPlace, Wanted] = {}
    rehashed: dict[int, str] = {}
    for source_id in ids:
        if len(new) >= _MOST_TEXTS:
            break
        one = plan(of.get(source_id, {}), {source_id: values.get(source_id, {})})
        taken.append(source_id)
        gone += one.gone
        new |= one.new
        rehashed |= one.rehashed
    return taken, Plan(sorted(gone), new, rehashed)


class Follower:
    """Updates the index for the tables of schemas; their rows are read through ``logins``."""

    def __init__(self, database: Database, models: Models, logins: Logins) -> None:
        self._database = database
        self._models = models
        self._logins = logins

    async def follow(self, space: str, schema: StoredSchema, ahead: Ahead | None = None) -> int:
        """Update the index for about a second; return how many vectors were made or taken out.

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
        """Follow changes for so long, or to the end; return the number of vectors, and True if some are left.

        A table that cannot be read is left as it is: what changed there stays hidden.
        """
        until = None if seconds is None else time.monotonic() + seconds
        reader = RowReader(self._database, self._logins, space, schema)
        batches = _Batches(self._database, self._models, reader, space, schema, ahead)
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
    """Update the index for about a second; what is left waits for the next time, and is hidden."""
    await _advance(database, models, space, seconds=AT_ONCE_SECONDS)


async def embed(context: Context, _: Payload) -> None:
    """Update the index to the end; it may be done twice."""
    await _advance(context.database, context.models, context.space, seconds=None)


async def _advance(database: Database, models: Models, space: str, *, seconds: float | None) -> None:
    async with database.snapshot_read(space) as tx:
        schemas = [] if tx is None else await tx.fetch(StoredSchema, SQL["behind"])
    if not schemas:
        return
    logins = Logins(database, statement_seconds=SECONDS)
    try:
        for schema in schemas:
            await Follower(database, models, logins).advance(space, schema, seconds=seconds)
    finally:
        await logins.aclose()
