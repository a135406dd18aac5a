"""Taking in: what is said now (observe), and what was recorded elsewhere (import_messages)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime

import anyio
import numpy as np
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from psycopg.errors import DeadlockDetected, UniqueViolation

from quipu.errors import BadInput, Conflict, DatabaseError
from quipu.kernel.base.clock import Clock
from quipu.kernel.base.scope import bound_person, own_user
from quipu.kernel.base.text import Marks, mentions
from quipu.kernel.db.arrays import Texts
from quipu.kernel.db.database import Database
from quipu.kernel.db.space import AsOf
from quipu.kernel.telemetry.spans import staged
from quipu.recall import index
from quipu.recall.generations import Embedded, Models
from quipu.recall.model import GenerationChanged
from quipu.record import backlog, store
from quipu.record.model import (
    Derived,
    Incoming,
    Indexing,
    PreparedMessage,
    Progress,
    Refusal,
    Report,
    Tally,
    fresh,
    prepare,
)
from quipu.record.rules import (
    Batch,
    Erased,
    Stored,
    characters,
    check,
    done,
    following,
    keys,
    listed,
    read,
    recorded,
    sift,
)
from quipu.record.writing import has_consequences, leave, leave_behind, put
from quipu.upkeep.erasure import tombstones

_FEW_CHARACTERS = 2_000  # prepared faster than another thread would begin
_TRIES = 6


class Record:
    """Writes the record of a database and makes it searchable, in one transaction."""

    def __init__(
        self,
        database: Database,
        models: Models,
        *,
        clock: Clock,
        language: str,
        redact: bool,
        subscribes: Sequence[str] = (),
    ) -> None:
        """Put a job of each topic in ``subscribes`` for every session in which something is said."""
        self._database = database
        self._models = models
        self._clock = clock
        self._language = language
        self._redact = redact
        self._hears = Texts(subscribes)

    @staged("observe")
    async def observe(
        self,
        messages: Iterable[Mapping[str, object]],
        *,
        space: str,
        session: str | None,
        user: str | None,
        verbatim: bool | None = None,
        index: Indexing = "now",
        as_of: AsOf | None = None,
    ) -> Report:
        """Take in what was just said: all of it or, where one message cannot be taken, nothing.

        ``verbatim``: whether the sessions keep items as they come, from now on; None leaves it as it is.

        ``index``: "later" leaves them to be filed by the next recall, unless one has consequences for what is
        kept of others: it is filed now, after the latest of those that wait.

        ``as_of`` is when what it is made of was read, where it was not said by anybody else.

        Raises:
            BadInput: the first message that cannot be taken, by place and field.
            Conflict: something else is stored under the same id.
            ErasedMeanwhile: something was erased in the space since ``as_of``.
        """
        started = time.perf_counter()
        now = self._clock.now()
        tally = Tally()
        checked = _checked(messages, session=session, user=user, now=now)
        prepared = await self._prepared([fresh(m) for m in checked], space, tally)
        is_new = all(m.id is None for m in checked)
        batch = Batch(prepared, None, is_new=is_new, as_of=as_of, verbatim=verbatim)
        if any(map(has_consequences, prepared)):
            await backlog.catch_up_briefly(self._database, self._models, space)
        elif index == "later":
            await self._leave(space, batch, tally, now=now)
            return tally.report(seconds=time.perf_counter() - started)
        embedding = asyncio.ensure_future(self._embedded(prepared))
        try:
            if not self._models.is_quick or characters(checked) > _FEW_CHARACTERS:
                await embedding  # else it goes on while the sessions are held and looked at
            await self._store(space, replace(batch, embedding=embedding), tally, now=now, strict=True)
        finally:
            if not embedding.done():
                embedding.cancel()
                await asyncio.wait([embedding])
        return tally.report(seconds=time.perf_counter() - started)

    async def _leave(self, space: str, batch: Batch, tally: Tally, *, now: datetime) -> None:
        """Write a batch that is filed later; what goes behind one known session, in one round trip."""
        said, sessions = batch.prepared, {p.message.session for p in batch.prepared}
        is_plain = batch.is_new and batch.as_of is None and batch.verbatim is None
        if is_plain and len(sessions) == 1 and None not in sessions and bound_person() is None:
            verbatim = await leave_behind(self._database, space, said, self._hears, now=now)
            if verbatim is not None:
                tally.keep(said, sessions if verbatim else ())
                return
        await self._store(space, batch, tally, now=now, strict=True)

    async def take(
        self,
        lines: Iterable[Mapping[str, object] | Refusal],
        *,
        space: str,
        progress: Progress | None = None,
        erased_too: bool = False,
        stored: Stored | None = None,
    ) -> Report:
        """Take in recorded messages, a few hundred to a transaction; what cannot be taken is reported.

        Stopping half-way keeps what was taken; doing it again takes the rest, and passes quickly over what is
        there. ``progress`` is told how many lines were dealt with since it was last told. What was erased is
        withheld, unless ``erased_too``. ``stored`` is called with what is new, where that is stored.
        """
        started = time.perf_counter()
        began = None if erased_too else await tombstones.clock(self._database)
        lines = listed(lines)
        tally = Tally()
        send, receive = anyio.create_memory_object_stream[Batch](1)
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._feed, lines, send, space, tally, began, stored)
                await self._drain(receive, space, tally, progress)
        except BaseExceptionGroup as group:  # one failure: of the input, the embedder or the database
            raise group.exceptions[0] from group
        return tally.report(seconds=time.perf_counter() - started)

    async def _feed(
        self,
        lines: Iterable[Mapping[str, object] | Refusal],
        send: MemoryObjectSendStream[Batch],
        space: str,
        tally: Tally,
        began: datetime | None,
        stored: Stored | None,
    ) -> None:
        """Check, clean and embed the next batch while the one before is being stored."""
        derived = Derived()
        batches = read(lines, now=self._clock.now())
        async with send:
            with suppress(anyio.BrokenResourceError):  # nobody stores any more, and says why
                while (batch := await following(lines, batches)) is not None:
                    tally.refused.extend(batch[1])
                    prepared = await self._prepared([derived.give(m) for m in batch[0]], space, tally)
                    prepared = await self._unknown(space, prepared, tally)
                    if began is not None:
                        prepared = await self._unerased(space, prepared, tally, began)
                    embedded = done(await self._embedded(prepared))
                    await send.send(Batch(prepared, embedded, began=began, stored=stored))

    async def _drain(
        self, receive: MemoryObjectReceiveStream[Batch], space: str, tally: Tally, progress: Progress | None
    ) -> None:
        reported = 0
        async with receive:
            async for batch in receive:
                await self._store(space, batch, tally, now=self._clock.now())
                done = tally.done
                if progress is not None:
                    progress(done - reported)
                reported = done

    async def _prepared(
        self, incoming: Sequence[Incoming], space: str, tally: Tally
    ) -> list[PreparedMessage]:
        """Return cleaned messages without those that were nothing but echoes."""
        marks = None
        if any(m.content and mentions(m.content) for m in incoming):
            marks = await self._database.marks(space)
        if characters(incoming) > _FEW_CHARACTERS:
            prepared = await anyio.to_thread.run_sync(self._prepare, incoming, marks)
        else:
            prepared = self._prepare(incoming, marks)
        tally.read(prepared)
        kept = [p for p in prepared if p.message.item is not None or p.message.content.strip()]
        tally.echoes += len(prepared) - len(kept)
        return kept

    def _prepare(self, incoming: Sequence[Incoming], marks: Marks | None) -> list[PreparedMessage]:
        return [prepare(m, language=self._language, secrets=self._redact, marks=marks) for m in incoming]

    async def _unknown(
        self, space: str, prepared: list[PreparedMessage], tally: Tally
    ) -> list[PreparedMessage]:
        """Return the messages that are not stored yet; the others are counted, and never embedded again."""
        async with self._database.transaction(space) as tx:
            if tx is None or not prepared:
                return prepared
            new, refused = sift(prepared, await store.known(tx, keys(prepared)))
        tally.refused.extend(refused)
        tally.duplicates += len(prepared) - len(new) - len(refused)
        return [prepared[place] for place in new]

    async def _unerased(
        self, space: str, prepared: list[PreparedMessage], tally: Tally, began: datetime
    ) -> list[PreparedMessage]:
        """Return the messages that were not erased; the others are counted, and never embedded."""
        async with self._database.unscoped() as conn:
            gone = await tombstones.erased(conn, space, recorded(prepared), began=began)
        tally.withheld += len(gone)
        return [one for place, one in enumerate(prepared) if place not in gone]

    async def _embedded(self, prepared: list[PreparedMessage], *, generation: int | None = None) -> Embedded:
        """Return a vector for each message; none at all where no message has a text."""
        texts = [p.spoken for p in prepared if p.is_indexed]
        if not texts:
            return Embedded(generation or 0, np.zeros((len(prepared), 1), dtype=np.float32))
        embedded = await self._models.embed(texts, generation=generation)
        if len(texts) == len(prepared):
            return embedded
        vectors = np.zeros((len(prepared), embedded.vectors.shape[1]), dtype=np.float32)
        vectors[[place for place, p in enumerate(prepared) if p.is_indexed]] = embedded.vectors
        return Embedded(embedded.generation, vectors)

    async def _store(
        self, space: str, batch: Batch, tally: Tally, *, now: datetime, strict: bool = False
    ) -> None:
        """Write a batch; what contradicts what is stored is refused, or raised where ``strict``."""
        while batch.prepared:
            try:
                return await self._write_again(space, batch, tally, now=now, strict=strict)
            except Erased as erased:
                tally.withheld += len(erased.places)
                batch = batch.without(erased.places)
            except GenerationChanged as moved:  # the batch in hand goes with the space to its new model
                embedded = await self._embedded(batch.prepared, generation=moved.generation)
                batch = replace(batch, embedding=done(embedded))
        return None

    async def _write_again(
        self, space: str, batch: Batch, tally: Tally, *, now: datetime, strict: bool
    ) -> None:
        """Write a batch, again where somebody was faster."""
        for tries_left in reversed(range(_TRIES)):
            try:
                return await self._write(space, batch, tally, now=now, strict=strict)
            except DatabaseError as error:
                # Somebody else stored one of these ids, or a name, between our look and our write.
                if not tries_left and isinstance(error.__cause__, UniqueViolation) and bound_person():
                    raise Conflict(
                        "a message has it that is not yours.", field="id", hint="Take another id."
                    ) from error
                if not tries_left or not isinstance(error.__cause__, UniqueViolation | DeadlockDetected):
                    raise
        return None

    async def _write(self, space: str, batch: Batch, tally: Tally, *, now: datetime, strict: bool) -> None:
        prepared = batch.prepared
        reserved = _reserved(batch)
        asked = store.Lookup(keys(prepared), is_new=batch.is_new, beside=reserved.ask)
        async with self._database.write(space, ask=asked.ask, as_of=batch.as_of) as tx:
            if batch.began is not None:
                lines = recorded(prepared)
                if erased := await tombstones.erased(tx.conn, space, lines, began=batch.began):
                    raise Erased(erased)
            sessions = await asked.sessions(tx)
            new, refused = sift(prepared, await asked.known())
            if refused and strict:
                raise Conflict(refused[0].reason, field="id", hint="Nothing was stored.")
            verbatim: frozenset[str | None] = frozenset(asked.verbatim)
            if batch.verbatim is not None:
                await store.set_verbatim(tx, sessions.values(), verbatim=batch.verbatim)
                verbatim = frozenset([None, *sessions]) if batch.verbatim else frozenset()
            chosen = [store.choose(i, prepared[i], sessions, now, verbatim=verbatim) for i in new]
            chosen.sort(key=lambda c: (c.session, c.happened_at))
            if chosen and batch.embedding is None:
                await leave(tx, chosen, reserved, self._hears, now=now)
            elif chosen and batch.embedding is not None:
                await put(tx, chosen, reserved, batch.embedding, self._hears, now=now)
                if batch.stored is not None:
                    await batch.stored(tx, [prepared[i] for i in new])
        tally.keep((prepared[i] for i in new), verbatim)
        tally.duplicates += len(prepared) - len(new) - len(refused)
        tally.refused.extend(refused)


def _checked(
    messages: Iterable[Mapping[str, object]], *, session: str | None, user: str | None, now: datetime
) -> list[Incoming]:
    found: list[Incoming] = []
    for place, raw in enumerate(listed(messages)):
        message = check(raw, default_session=session, now=now)
        if isinstance(message, Refusal):
            field = f"messages[{place}]" + (f".{message.field}" if message.field else "")
            raise BadInput(message.reason, field=field, hint="Nothing was stored.")
        found.append(replace(message, user=own_user(message.user or user)))
    return found


def _reserved(batch: Batch) -> index.Reserved:
    """Return the needs of indexing messages, as far as they are known before the space is entered."""
    messages = [p.message for p in batch.prepared]
    alone = sum(m.session is None for m in messages)
    return index.Reserved(alone=alone, names=store.names(messages) if batch.embedding is not None else ())
