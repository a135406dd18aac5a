"""Long-term memory as callers use it: writing by hand here, the rest inherited."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Annotated, TypeVar
from uuid import UUID

from annotated_types import Interval
from typing_extensions import Doc

from quipu.errors import BadInput
from quipu.kernel.base import scope
from quipu.kernel.base.parameters import (
    LAST_VERSION,
    Confirm,
    Example,
    ExpectedVersion,
    Id,
    Metadata,
    OnlyUser,
    Reason,
    Session,
    Space,
    Time,
    User,
    ValidFrom,
    ValidUntil,
)
from quipu.kernel.base.scope import check_name, optional_name
from quipu.kernel.policy.policy import safety
from quipu.kinds.longterm import arguments, store
from quipu.kinds.longterm.changes import HAND, Changes, changed
from quipu.kinds.longterm.eraser import OneMemory
from quipu.kinds.longterm.evaluation.remember import AsyncAgentClaims
from quipu.kinds.longterm.lookup import OnlyCategory, OnlyImportance, OnlyText, narrowed
from quipu.kinds.longterm.model import (
    CATEGORIES,
    IMPORTANCES,
    ArchivedMemories,
    Category,
    Importance,
    LongtermMemory,
    New,
    Rewording,
)
from quipu.kinds.longterm.recovery import AsyncRecovery
from quipu.kinds.longterm.rules import filed_text
from quipu.kinds.longterm.sqlite.exchange import AsyncMemoryFiles
from quipu.kinds.longterm.store import Narrowed, StoredMemory
from quipu.record.items import checked_metadata
from quipu.upkeep.erasure import service as erasure
from quipu.upkeep.erasure.model import Erasure, What

T = TypeVar("T")


class AsyncLongterm(AsyncRecovery, AsyncAgentClaims, AsyncMemoryFiles):
    """Memories about a person, to know before answering: by category and importance, each once.

    Every call names the ``space``. An id is a memory's whole id or the beginning of it, at least four digits.
    """

    async def add(
        self,
        summary: Annotated[str, Doc("The memory, in one sentence."), Example("Prefers short answers.")],
        *,
        space: Space,
        category: Annotated[
            Category | None,
            Doc("The category; without one, context, or constraint where it tells an allergy."),
            Example("preference"),
        ] = None,
        importance: Annotated[
            Importance | None,
            Doc("The importance; without one, medium, or high where it tells an allergy."),
        ] = None,
        details: Annotated[str | None, Doc("More about it.")] = None,
        user: User = None,
        session: Session = None,
        source: Annotated[str | None, Doc("Where it is from, if not from a session.")] = None,
        time: Time = None,
        valid_from: ValidFrom = None,
        valid_until: ValidUntil = None,
        metadata: Metadata = None,
    ) -> LongtermMemory:
        """Write a memory by hand, and return it as it stands then.

        A live memory that says so already is not doubled: it counts as said once more (`stated_count`) and
        takes the higher importance, and its metadata grows. An archived one that says so becomes live again.

        Raises:
            BadInput: An argument is invalid, or the text holds a secret.
        """
        said = arguments.summary_of(summary, secrets=self._settings.redact)
        unsafe = safety(said)
        new = New(
            summary=said,
            category=scope.one_of(
                "category", category or ("constraint" if unsafe else "context"), CATEGORIES
            ),
            importance=scope.one_of(
                "importance", importance or ("high" if unsafe else "medium"), IMPORTANCES
            ),
            details=arguments.details_of(details, secrets=self._settings.redact),
            user=optional_name("user", user),
            session=optional_name("session", session),
            source=optional_name("source", source),
            happened_at=scope.time("time", time),
            **scope.validity(valid_from, valid_until),
            metadata=checked_metadata(metadata, secrets=self._settings.redact),
        )
        texts = [filed_text(new.summary, new.details)]
        kept = await self._changed(lambda changes: changes.store(new), space=space, texts=texts)
        async with self._database.snapshot_read(space) as tx:
            return (await store.memory(tx, str(kept.id))).public

    async def edit(
        self,
        id: Id,
        *,
        space: Space,
        summary: Annotated[str | None, Doc("The new text."), Example("Prefers very short answers.")] = None,
        details: Annotated[str | None, Doc('More about it; "" takes the details away.')] = None,
        category: Annotated[Category | None, Doc("Its category from now on.")] = None,
        importance: Annotated[Importance | None, Doc("Its importance from now on.")] = None,
        expected_version: ExpectedVersion = None,
        reason: Reason = None,
        metadata: Metadata = None,
    ) -> LongtermMemory:
        """Change what a memory says.

        What is not given stays as it is. The version grows, and the earlier text stays in the history;
        metadata is replaced as a whole, and is in no version.

        Raises:
            NotFound: There is no such memory.
            Conflict: Somebody changed it meanwhile, or another live memory says so already.
            BadInput: Nothing is to change, the memory is archived, or an argument is invalid.
        """
        if all(one is None for one in (summary, details, category, importance, metadata)):
            raise BadInput(
                "say what is to change.", field="summary", hint="Or category, importance, details, metadata."
            )
        to = Rewording(
            summary=None if summary is None else arguments.summary_of(summary, secrets=self._settings.redact),
            details="" if details == "" else arguments.details_of(details, secrets=self._settings.redact),
            category=None if category is None else scope.one_of("category", category, CATEGORIES),
            importance=None if importance is None else scope.one_of("importance", importance, IMPORTANCES),
            expected_version=_optional_version(expected_version),
            reason=arguments.reason_of(reason, secrets=self._settings.redact),
            metadata=None if metadata is None else checked_metadata(metadata, secrets=self._settings.redact),
        )
        return await self._changed_one(id, lambda changes, row: changes.edit(row.id, to), space=space)

    async def archive(
        self, id: Id, *, space: Space, reason: Reason = None, expected_version: ExpectedVersion = None
    ) -> LongtermMemory:
        """Take a memory out of recall.

        It stays, and `unarchive` brings it back. Archiving it again changes nothing.

        Raises:
            NotFound: There is no such memory.
            Conflict: Somebody changed it meanwhile.
        """
        why, version = (
            arguments.reason_of(reason, secrets=self._settings.redact),
            _optional_version(expected_version),
        )
        return await self._changed_one(
            id,
            lambda changes, row: changes.archive(row.id, reason=why, expected_version=version),
            space=space,
        )

    async def unarchive(self, id: Id, *, space: Space, reason: Reason = None) -> LongtermMemory:
        """Bring an archived memory back into recall.

        Raises:
            NotFound: There is no such memory.
            Conflict: Another live memory of the person says so already.
        """
        why = arguments.reason_of(reason, secrets=self._settings.redact)
        return await self._changed_one(
            id, lambda changes, row: changes.revive(row.id, reason=why), space=space
        )

    async def revert(
        self,
        id: Id,
        *,
        space: Space,
        to: Annotated[int, Doc("The version to go back to."), Interval(ge=1, le=LAST_VERSION), Example(1)],
        reason: Reason = None,
    ) -> LongtermMemory:
        """Restore what an earlier version of a memory said.

        This makes a new version, which can be reverted too. `history` shows the versions.

        Raises:
            NotFound: There is no such memory, or no such version of it.
            Conflict: Another live memory of the person says so already.
            BadInput: The memory is archived.
        """
        version, why = (
            scope.whole("to", to, most=LAST_VERSION),
            arguments.reason_of(reason, secrets=self._settings.redact),
        )
        return await self._changed_one(
            id, lambda changes, row: changes.revert(row.id, to=version, reason=why), space=space
        )

    async def erase(self, id: Id, *, space: Space, confirm: Confirm = False) -> Erasure:
        """Erase a memory for good, with its history.

        What it was read in stays, and may be read again; `corrections` keep it from that, and `forget` takes
        the words, too.

        Raises:
            NotFound: There is no such memory.
        """
        async with self._database.snapshot_read(check_name("space", space)) as tx:
            number = (await store.memory(tx, id)).id
        what, erasers = What(message=f"memory {number}"), (OneMemory(number),)
        if not confirm:
            return await erasure.preview(self._database, erasers, what, space=space)
        return await erasure.erase(self._database, erasers, what, space=space, now=self._clock.now())

    async def archive_many(
        self,
        *,
        space: Space,
        user: OnlyUser = None,
        category: OnlyCategory = None,
        importance: OnlyImportance = None,
        text: OnlyText = None,
        before: Annotated[
            datetime | str | None, Doc("Only what was said before this time."), Example("2026-06-01")
        ] = None,
        reason: Reason = None,
        confirm: Confirm = False,
    ) -> ArchivedMemories:
        """Archive every live memory that matches all filters.

        Each of them can be unarchived.

        Raises:
            BadInput: No filter is given, or an argument is invalid.
        """
        if all(one is None for one in (user, category, importance, text, before)):
            raise BadInput(
                "say which: a user, category, importance, text or before.", field="category",
                hint="To forget everything of somebody for good, forget the user."
            )  # fmt: skip
        wanted = narrowed(user=user, category=category, importance=importance, text=text, until=before)
        why = arguments.reason_of(reason, secrets=self._settings.redact)
        async with self._database.list_read(check_name("space", space)) as tx:
            rows = [] if tx is None else await store.memories(tx, wanted)
        if rows and confirm:
            rows = await self._changed(lambda changes: _archive_all(changes, wanted, why), space=space)
        memories = tuple(replace(row.public, archived=row.archived or confirm) for row in rows)
        return ArchivedMemories(memories=memories, archived=confirm)

    async def _changed(
        self, work: Callable[[Changes], Awaitable[T]], *, space: str, texts: Sequence[str] = ()
    ) -> T:
        return await changed(
            self._database,
            self._models,
            work,
            space=check_name("space", space),
            clock=self._clock,
            by=HAND,
            texts=texts,
        )

    async def _changed_one(
        self, id_: UUID | str, work: Callable[[Changes, StoredMemory], Awaitable[StoredMemory]], *, space: str
    ) -> LongtermMemory:
        """Return a memory after a change. It is looked up first: a change makes no missing space."""
        async with self._database.snapshot_read(check_name("space", space)) as tx:
            row = await store.memory(tx, id_)
        return (await self._changed(lambda changes: work(changes, row), space=space)).public


async def _archive_all(changes: Changes, wanted: Narrowed, reason: str | None) -> list[StoredMemory]:
    rows = await store.memories(changes.tx, wanted)
    await changes.archive_rows(rows, reason=reason)
    return rows


def _optional_version(version: object) -> int | None:
    return None if version is None else scope.whole("expected_version", version, most=LAST_VERSION)
