"""Changes of memories: each in one transaction with its index entry and its history."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from datetime import datetime
from typing import Final, Self, TypeVar
from uuid import UUID, uuid4

from psycopg.types.json import Jsonb

from quipu.errors import BadInput, Conflict, NotFound
from quipu.kernel.base.clock import Clock
from quipu.kernel.base.scope import own_user
from quipu.kernel.base.text import clean, excerpt
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kernel.db.space import AsOf
from quipu.kernel.redact import redact
from quipu.kinds.longterm import indexing, store
from quipu.kinds.longterm.arguments import LONGEST_EXCERPT
from quipu.kinds.longterm.indexing import MemoryEntry
from quipu.kinds.longterm.model import Act, Category, Kept, MemorySource, New, Refuses, Rewording, Wording
from quipu.kinds.longterm.rules import filed_text, more_important, rule_of, summary_hash
from quipu.kinds.longterm.store import StoredMemory
from quipu.recall.generations import Models, PreparedVectors, Unprepared, prepare
from quipu.recall.index import withdraw
from quipu.recall.model import GenerationChanged

_T = TypeVar("_T")

HAND: Final = "hand"
_SHOWN: Final = 200


async def changed(
    database: Database,
    models: Models,
    work: Callable[[Changes], Awaitable[_T]],
    *,
    space: str,
    clock: Clock,
    by: str = HAND,
    texts: Sequence[str] = (),
    refuses: Refuses | None = None,
    transaction: Callable[[], AbstractAsyncContextManager[SpaceTransaction]] | None = None,
    as_of: AsOf | None = None,
) -> _T:
    """Make changes in one transaction, all or none, and return the result of ``work``.

    Vectors are made before it begins: of ``texts``, and of whatever else turns out to be filed; then ``work``
    begins again, so it may be called more than once. ``transaction`` is where a job writes (its
    ``context.effect``); without it there is a new one, which makes a missing space. ``as_of`` is the state of
    the space from which the written words were read, if they were.

    Raises:
        ErasedMeanwhile: something was erased in the space since.
    """
    wanted = list(dict.fromkeys(texts))
    while True:
        prepared = await prepare(database, models, space, wanted)
        try:
            async with transaction() if transaction else database.write(space, as_of=as_of) as tx:
                return await work(await Changes.begin(tx, prepared, now=clock.now(), by=by, refuses=refuses))
        except Unprepared as missing:
            wanted.append(missing.text)
        except GenerationChanged:
            continue


async def _still_there(tx: SpaceTransaction, said: Sequence[MemorySource]) -> list[MemorySource]:
    """Return sources with their record numbers, without those whose message was forgotten meanwhile."""
    numbers = await store.numbers(tx, said)
    known = [replace(one, number=numbers.get(place, one.number)) for place, one in enumerate(said)]
    there = await store.messages_there(tx, [one.number for one in known if one.number is not None])
    return [one for one in known if one.number is None or one.number in there]


class Changes:
    """Changes memories in a transaction that holds those of the space until it ends.

    ``by`` says who: ``hand``, ``import``, or an evaluator and its version. ``refuses`` is the policy, for
    what is written automatically.
    """

    def __init__(
        self,
        tx: SpaceTransaction,
        prepared: PreparedVectors,
        *,
        now: datetime,
        by: str,
        refuses: Refuses | None,
    ) -> None:
        self.tx = tx
        self.now = now
        self.by = by
        self._prepared = prepared
        self._refuses = refuses

    @classmethod
    async def begin(
        cls,
        tx: SpaceTransaction,
        prepared: PreparedVectors,
        *,
        now: datetime,
        by: str,
        refuses: Refuses | None = None,
    ) -> Self:
        """Begin to change memories.

        Raises:
            GenerationChanged: the vectors are not of the model of the space (any more).
        """
        prepared.check(tx)
        await tx.execute(store.SQL["hold"])
        return cls(tx, prepared, now=now, by=by, refuses=refuses)

    async def store(self, new: New) -> Kept:
        """Keep a memory. One that says so already is restated: its importance may rise, never fall."""
        rule = self._refused(new.summary, new.details, new.category, new.requested)
        if rule is not None:
            return Kept(id=None, outcome="refused", reason=rule)
        said = await _still_there(self.tx, new.said)
        if new.said and not said:
            return Kept(id=None, outcome="gone")
        new = replace(new, user=own_user(new.user))
        same = await store.by_hash(self.tx, user=new.user, hash=summary_hash(new.summary))
        if same is None:
            return Kept(id=await self._insert(new, said), outcome="included", reason=new.reason)
        if said and await self._rests_on(same.id, said):
            return Kept(id=same.id, outcome="kept")
        return await self._restate(same, new, said)

    async def edit(self, id_: UUID | str, to: Rewording) -> StoredMemory:
        """Change what a memory says; how it read is kept, its hash and entry are made again.

        Nothing is written where it reads so already.

        Raises:
            NotFound: there is none.
            Conflict: it is at another version than expected, or another live memory of the user says so.
            BadInput: it is archived, or the policy refuses the text.
        """
        row = await store.memory(self.tx, id_)
        await self._check_version(row, to.expected_version)
        _check_live(row)
        now_says = _reworded(row, to)
        if to.metadata is not None and to.metadata != row.metadata:
            values = {"id": row.id, "metadata": Jsonb(dict(to.metadata)), "now": self.now}
            await self.tx.execute(store.SQL["set_metadata"], **values)
            row = await store.memory(self.tx, row.id)
        if now_says == row.wording:
            return row
        rule = self._refused(now_says.summary, now_says.details, now_says.category, to.requested)
        if rule is not None:
            raise BadInput(f"it must not be kept: {rule}.", field="summary")
        said = await _still_there(self.tx, to.said)
        return await self._rewrite(
            row, now_says, act="edit", said=said, reason=to.reason, happened_at=to.happened_at
        )

    async def revert(self, id_: UUID | str, *, to: int, reason: str | None = None) -> StoredMemory:
        """Have a memory read as its version ``to`` did; that is a new version.

        Raises:
            NotFound: there is no such memory, or no such version of it.
            Conflict: another live memory of the user says so.
            BadInput: it is archived.
        """
        row = await store.memory(self.tx, id_)
        _check_live(row)
        if to == row.version:
            return row
        said_then = await store.wording(self.tx, row.id, to)
        if said_then is None:
            raise NotFound(
                f"Memory {row.id} has no version {to}.", hint=f"The history of {row.id} shows them."
            )
        return await self._rewrite(row, said_then, act="revert", said=(), reason=reason, rests_on=to)

    async def archive(
        self, id_: UUID | str, *, reason: str | None = None, expected_version: int | None = None
    ) -> StoredMemory:
        """Take a memory out of recall; it stays and can be revived. One that is archived stays as it is.

        Raises:
            NotFound: there is none.
            Conflict: it is at another version than expected.
        """
        row = await store.memory(self.tx, id_)
        await self._check_version(row, expected_version)
        await self.archive_rows([row], reason=reason)
        return await store.memory(self.tx, row.id)

    async def archive_rows(self, rows: Sequence[StoredMemory], *, reason: str | None = None) -> list[str]:
        """Archive many memories; return the ids of those that were live."""
        live = [row for row in rows if not row.archived]
        ids = [row.id for row in live]
        await withdraw(self.tx, sorted(row.entry_id for row in live if row.entry_id is not None))
        await self.tx.execute(store.SQL["archive"], ids=ids, now=self.now)
        await self._sign(ids, act="archive", reason=reason)
        return ids

    async def revive(self, id_: UUID | str, *, reason: str | None = None) -> StoredMemory:
        """Bring an archived memory back into recall.

        Raises:
            NotFound: there is none.
            Conflict: another live memory of the user says so.
        """
        row = await store.memory(self.tx, id_)
        if not row.archived:
            return row
        await self._check_alone(row, row.hash)
        await self._revive(row, reason=reason)
        return await store.memory(self.tx, row.id)

    async def file(self, entries: Sequence[MemoryEntry]) -> list[int]:
        """Make memories findable; the ids of their entries, in their order."""
        return await indexing.file(self.tx, entries, self._prepared, now=self.now)

    async def _insert(self, new: New, said: Sequence[MemorySource]) -> str:
        id_ = str(uuid4())
        first = next(iter(said), None)
        session = new.session or (first.session if first else None)
        happened_at = new.happened_at or (first.happened_at if first else None) or self.now
        filed = indexing.entry(
            id_, summary=new.summary, details=new.details, user=new.user, happened_at=happened_at
        )
        (entry,) = await self.file([filed])
        await self.tx.execute(
            store.SQL["insert_memory"],
            id=id_,
            category=new.category,
            importance=new.importance,
            summary=new.summary,
            details=new.details,
            hash=summary_hash(new.summary),
            source=new.source or session,
            user=new.user,
            session=session,
            happened_at=happened_at,
            now=self.now,
            entry=entry,
            metadata=Jsonb(dict(new.metadata)),
            valid_from=new.valid_from,
            valid_until=new.valid_until,
        )
        await self._cite(id_, 1, said, reason=new.reason)
        return id_

    async def _restate(self, row: StoredMemory, new: New, said: Sequence[MemorySource]) -> Kept:
        if row.archived:
            await self._revive(row, reason=new.reason)
        version, raised = row.version, more_important(row.importance, new.importance)
        if raised != row.importance:
            await self.tx.execute(store.SQL["raise_importance"], id=row.id, importance=raised)
            await self._sign([row.id], act="restate", reason=new.reason)
            version += 1
            await self.tx.execute(store.SQL["carry_sources"], id=row.id, before=row.version, version=version)
        await self.tx.execute(store.SQL["restate"], id=row.id, now=self.now)
        if new.metadata:
            await self.tx.execute(store.SQL["add_metadata"], id=row.id, metadata=Jsonb(dict(new.metadata)))
        await self._cite(row.id, version, said, reason=new.reason)
        return Kept(id=row.id, outcome="revived" if row.archived else "restated", reason=new.reason)

    async def _rewrite(
        self,
        row: StoredMemory,
        to: Wording,
        *,
        act: Act,
        said: Sequence[MemorySource],
        reason: str | None,
        rests_on: int | None = None,
        happened_at: datetime | None = None,
    ) -> StoredMemory:
        hash_ = summary_hash(to.summary)
        await self._check_alone(row, hash_)
        same_text = (to.summary, to.details) == (row.summary, row.details)
        latest = max((one.happened_at for one in said if one.happened_at is not None), default=self.now)
        happened_at = row.happened_at if same_text else happened_at or latest
        entry = row.entry_id
        if not same_text:
            filed = indexing.entry(
                row.id, summary=to.summary, details=to.details, user=row.user, happened_at=happened_at
            )
            (entry,) = await self.file([filed])
            await withdraw(self.tx, [] if row.entry_id is None else [row.entry_id])
        await self.tx.execute(
            store.SQL["rewrite"],
            id=row.id,
            category=to.category,
            importance=to.importance,
            summary=to.summary,
            details=to.details,
            hash=hash_,
            entry=entry,
            happened_at=happened_at,
            now=self.now,
        )
        await self._sign([row.id], act=act, reason=reason)
        # Where part of the text stays, it still rests on the same words.
        keeps_text = to.summary == row.summary or (to.details is not None and to.details == row.details)
        before = rests_on or (row.version if keeps_text else None)
        if before is not None:
            await self.tx.execute(
                store.SQL["carry_sources"], id=row.id, before=before, version=row.version + 1
            )
        await self._cite(row.id, row.version + 1, said, reason=reason)
        return await store.memory(self.tx, row.id)

    async def _revive(self, row: StoredMemory, *, reason: str | None) -> None:
        filed = indexing.entry(
            row.id, summary=row.summary, details=row.details, user=row.user, happened_at=row.happened_at
        )
        (entry,) = await self.file([filed])
        await self.tx.execute(store.SQL["revive"], id=row.id, entry=entry, now=self.now)
        await self._sign([row.id], act="revive", reason=reason)

    async def _check_alone(self, row: StoredMemory, hash_: str) -> None:
        others = await self.tx.rows(store.SQL["live_with_hash"], user=row.user, hash=hash_, id=row.id)
        if others:
            raise Conflict(
                f"memory {others[0][0]} says so already.",
                field="summary",
                hint="Edit that one, or archive one of the two.",
            )

    async def _sign(self, ids: Sequence[str], *, act: Act, reason: str | None) -> None:
        """Say in the history, where the database has noted how they read, who changed them and why."""
        await self.tx.execute(
            store.SQL["sign"], ids=list(ids), act=act, now=self.now, by=self.by, reason=reason
        )

    async def _rests_on(self, id_: str, said: Sequence[MemorySource]) -> bool:
        """Return True if a memory rests on all of these messages already."""
        known = await store.cited_messages(self.tx, id_, said)
        return all(
            source.message is not None and (source.session, source.message) in known for source in said
        )

    async def _cite(
        self, id_: str, version: int, said: Sequence[MemorySource], *, reason: str | None
    ) -> None:
        """Note the sources of a version of a memory; secrets are cut out of the words."""
        for source in said:
            await self.tx.execute(
                store.SQL["insert_source"],
                id=id_,
                version=version,
                session=source.session,
                message=source.message,
                number=source.number,
                turn=source.turn,
                excerpt=excerpt(redact(clean(source.excerpt).text).text, LONGEST_EXCERPT),
                by=self.by,
                rule=rule_of(reason, self.by),
                happened_at=source.happened_at,
                now=self.now,
            )

    async def _check_version(self, row: StoredMemory, expected: int | None) -> None:
        if expected is None or expected == row.version:
            return
        seen = await store.wording(self.tx, row.id, expected)
        raise Conflict(
            f"you saw version {expected}{_quoted(seen)}; memory {row.id} is at version {row.version} by now"
            f"{_quoted(row.wording)}.",
            field="expected_version",
            hint=f"The history of {row.id} shows what changed.",
        )

    def _refused(self, summary: str, details: str | None, category: Category, asked: bool) -> str | None:
        return None if self._refuses is None else self._refuses(filed_text(summary, details), category, asked)


def _reworded(row: StoredMemory, to: Rewording) -> Wording:
    details = row.details if to.details is None else to.details or None
    return Wording(
        category=to.category or row.category,
        importance=to.importance or row.importance,
        summary=to.summary or row.summary,
        details=details,
    )


def _quoted(wording: Wording | None) -> str:
    if wording is None:
        return ""
    return f" ({wording.category}, {wording.importance}: {excerpt(wording.summary, _SHOWN)!r})"


def _check_live(row: StoredMemory) -> None:
    if row.archived:
        raise BadInput("it is archived.", field="id", hint=f"Unarchive {row.id} to bring it back.")
