"""Memories by hand, as a caller meets them: write, change, take out of recall, bring back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TypeVar
from uuid import UUID

from quipu.errors import BadInput
from quipu.kernel.base.clock import Clock
from quipu.kernel.base.scope import check_name, optional_name
from quipu.kernel.db.database import Database
from quipu.kinds.longterm import checking, store
from quipu.kinds.longterm.changes import HAND, Changes
from quipu.kinds.longterm.changing import changed
from quipu.kinds.longterm.looking import narrowed
from quipu.kinds.longterm.model import Archived, Category, Importance, LongtermMemory
from quipu.kinds.longterm.reading import memory, row_of
from quipu.kinds.longterm.requests import New, Rewording
from quipu.kinds.longterm.rules import filed_text
from quipu.kinds.longterm.store import Narrowed, Row
from quipu.recall.generations import Models
from quipu.record import given

T = TypeVar("T")


class AsyncRemembering:
    """Writes the memories of one database by hand.

    Every call names the ``space``. An id is a memory's whole id or the beginning of it, at least four digits.
    """

    def __init__(self, database: Database, models: Models, *, clock: Clock, redact: bool) -> None:
        self._database = database
        self._models = models
        self._clock = clock
        self._redact = redact

    async def add(
        self,
        summary: str,
        *,
        space: str,
        category: Category = "context",
        importance: Importance = "medium",
        details: str | None = None,
        user: str | None = None,
        session: str | None = None,
        source: str | None = None,
        time: datetime | str | None = None,
    ) -> LongtermMemory:
        """Write a memory by hand; the memory as it stands then.

        Where a live memory of the user says so already, that one was said once more (``stated_count``) and
        becomes as important as this where this is more; an archived one that says so is brought back.
        ``time`` is when it was said, if not now. ``user`` is whom it is about; without one it holds for
        everybody in the space.

        Raises:
            BadInput: an argument cannot be taken, or the text holds a secret.
        """
        new = New(
            summary=checking.summary_of(summary, secrets=self._redact),
            category=checking.category_of(category),
            importance=checking.importance_of(importance),
            details=checking.details_of(details, secrets=self._redact),
            user=optional_name("user", user),
            session=optional_name("session", session),
            source=optional_name("source", source),
            happened_at=given.time("time", time),
        )
        texts = [filed_text(new.summary, new.details)]
        kept = await self._changed(lambda changes: changes.store(new), space=space, texts=texts)
        async with self._database.reading(space) as within:
            return memory(await row_of(within, str(kept.id)), space=space)

    async def edit(
        self,
        id: UUID | str,
        *,
        space: str,
        summary: str | None = None,
        details: str | None = None,
        category: Category | None = None,
        importance: Importance | None = None,
        expected_version: int | None = None,
        reason: str | None = None,
    ) -> LongtermMemory:
        """Change what a memory says; its version grows, and how it read before is kept.

        What is None stays as it is; ``details=""`` takes them away. With ``expected_version`` nothing is
        changed where somebody else changed it meanwhile.

        Raises:
            NotFound: there is none.
            Conflict: it is at another version (both are shown), or another live memory says so already.
            BadInput: nothing was given to change, it is archived, or an argument cannot be taken.
        """
        if summary is None and details is None and category is None and importance is None:
            raise BadInput(
                "say what is to change.", field="summary", hint="Or category, importance, details."
            )
        to = Rewording(
            summary=None if summary is None else checking.summary_of(summary, secrets=self._redact),
            details="" if details == "" else checking.details_of(details, secrets=self._redact),
            category=None if category is None else checking.category_of(category),
            importance=None if importance is None else checking.importance_of(importance),
            expected_version=_optional_version(expected_version),
            reason=checking.reason_of(reason, secrets=self._redact),
        )
        return await self._changed_one(id, lambda changes, row: changes.edit(row.id, to), space=space)

    async def archive(
        self,
        id: UUID | str,
        *,
        space: str,
        reason: str | None = None,
        expected_version: int | None = None,
    ) -> LongtermMemory:
        """Take a memory out of recall; it stays, and can be revived. One that is archived stays so.

        Raises:
            NotFound: there is none.
            Conflict: it is at another version than expected.
        """
        why, version = checking.reason_of(reason, secrets=self._redact), _optional_version(expected_version)
        return await self._changed_one(
            id,
            lambda changes, row: changes.archive(row.id, reason=why, expected_version=version),
            space=space,
        )

    async def revive(self, id: UUID | str, *, space: str, reason: str | None = None) -> LongtermMemory:
        """Bring an archived memory back into recall.

        Raises:
            NotFound: there is none.
            Conflict: another live memory of the user says so.
        """
        why = checking.reason_of(reason, secrets=self._redact)
        return await self._changed_one(
            id, lambda changes, row: changes.revive(row.id, reason=why), space=space
        )

    async def revert(
        self, id: UUID | str, *, space: str, to: int, reason: str | None = None
    ) -> LongtermMemory:
        """Have a memory read as its version ``to`` did. That is a new version, and can be reverted too.

        Raises:
            NotFound: there is no such memory, or no such version of it.
            Conflict: another live memory of the user says so.
            BadInput: it is archived.
        """
        version, why = checking.version_of("to", to), checking.reason_of(reason, secrets=self._redact)
        return await self._changed_one(
            id, lambda changes, row: changes.revert(row.id, to=version, reason=why), space=space
        )

    async def archive_many(
        self,
        *,
        space: str,
        user: str | None = None,
        category: Category | None = None,
        importance: Importance | None = None,
        text: str | None = None,
        before: datetime | str | None = None,
        reason: str | None = None,
        dry_run: bool = True,
    ) -> Archived:
        """Archive all live memories of a user, a category, an importance, that hold a text, said ``before``.

        With ``dry_run`` it is a preview: nothing is changed.

        Raises:
            BadInput: nothing narrows it, or an argument cannot be taken.
        """
        if all(one is None for one in (user, category, importance, text, before)):
            raise BadInput(
                "say which: a user, category, importance, text or before.", field="category",
                hint="To forget everything of somebody for good: forget(user=…)."
            )  # fmt: skip
        wanted = narrowed(user=user, category=category, importance=importance, text=text, until=before)
        why = checking.reason_of(reason, secrets=self._redact)
        async with self._database.looking(check_name("space", space)) as within:
            rows = [] if within is None else await store.memories(within, wanted)
        if rows and not dry_run:
            rows = await self._changed(lambda changes: _archive_all(changes, wanted, why), space=space)
        shown = [memory(row, space=space) for row in rows]
        memories = shown if dry_run else [replace(one, archived=True) for one in shown]
        return Archived(memories=tuple(memories), archived=not dry_run)

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
        self, id_: UUID | str, work: Callable[[Changes, Row], Awaitable[Row]], *, space: str
    ) -> LongtermMemory:
        """The memory after a change. It is looked up first: to change makes no space that is not there."""
        async with self._database.reading(check_name("space", space)) as within:
            row = await row_of(within, id_)
        return memory(await self._changed(lambda changes: work(changes, row), space=space), space=space)


async def _archive_all(changes: Changes, wanted: Narrowed, reason: str | None) -> list[Row]:
    rows = await store.memories(changes.within, wanted)
    await changes.archive_rows(rows, reason=reason)
    return rows


def _optional_version(version: object) -> int | None:
    return None if version is None else checking.version_of("expected_version", version)
