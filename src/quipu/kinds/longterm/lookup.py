"""Lookup of memories: one, lists, searches, histories and sources."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Final

from typing_extensions import Doc

from quipu.errors import BadInput
from quipu.kernel.base import scope
from quipu.kernel.base.clock import Clock
from quipu.kernel.base.parameters import (
    STATES,
    After,
    Example,
    Id,
    Limit,
    ListState,
    Matching,
    Offset,
    OnlyUser,
    Since,
    Space,
    Until,
    Words,
)
from quipu.kernel.base.scope import check_name, optional_name, reads_only
from quipu.kernel.base.text import clean
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kinds.longterm import store
from quipu.kinds.longterm.indexing import LONGTERM, filed
from quipu.kinds.longterm.model import (
    CATEGORIES,
    IMPORTANCES,
    Category,
    FoundMemory,
    Importance,
    LongtermMemory,
    MemoryCount,
    MemoryRevision,
    MemorySource,
)
from quipu.kinds.longterm.store import Narrowed
from quipu.recall.filters import parse
from quipu.recall.generations import Models
from quipu.recall.model import Filters, Found
from quipu.recall.search import Search
from quipu.record.ids import behind

_MOST: Final = 1_000
_OVERFETCH: Final = 5
_ARCHIVED: Final[dict[ListState, bool | None]] = {"live": False, "archived": True, "all": None}

OnlyCategory = Annotated[Category | None, Doc("Only this category."), Example("preference")]
OnlyImportance = Annotated[Importance | None, Doc("Only this importance."), Example("high")]
OnlyText = Annotated[str | None, Doc("Only memories that contain this text, in any case."), Example("tea")]
Question = Annotated[str, Doc("The question to ask."), Words(), Example("How does she like her answers?")]

_SPECIAL: Final = re.compile(r"([\\%_])")


class AsyncLongtermLookup:
    """Look at the memories of one database. Nothing here changes anything or appears in the audit."""

    def __init__(
        self, database: Database, models: Models, search: Search, *, clock: Clock, settings: Settings
    ) -> None:
        self._database = database
        self._models = models
        self._search = search
        self._clock = clock
        self._settings = settings

    @reads_only
    async def get(self, id: Id, *, space: Space) -> LongtermMemory:
        """Show a memory.

        Raises:
            NotFound: There is no such memory.
        """
        async with self._database.list_read(check_name("space", space)) as tx:
            return (await store.memory(tx, id)).public

    @reads_only
    async def history(self, id: Id, *, space: Space) -> Sequence[MemoryRevision]:
        """Show the text of a memory before each change, the latest change first.

        Each entry says who made the change, and why.

        Raises:
            NotFound: There is no such memory.
        """
        async with self._database.list_read(check_name("space", space)) as tx:
            row = await store.memory(tx, id)
            return [] if tx is None else await tx.fetch(MemoryRevision, store.SQL["history"], id=row.id)

    @reads_only
    async def sources(self, id: Id, *, space: Space) -> Sequence[MemorySource]:
        """Show the words a memory rests on, the latest first.

        These are the words behind the memory as it reads now. A memory written by hand has none.

        Raises:
            NotFound: There is no such memory.
        """
        async with self._database.list_read(check_name("space", space)) as tx:
            row = await store.memory(tx, id)
            return [] if tx is None else await tx.fetch(MemorySource, store.SQL["sources"], id=row.id)

    @reads_only
    async def list(
        self,
        *,
        space: Space,
        user: OnlyUser = None,
        category: OnlyCategory = None,
        importance: OnlyImportance = None,
        text: OnlyText = None,
        since: Since = None,
        until: Until = None,
        state: Annotated[ListState, Doc("Live memories, archived ones, or all.")] = "live",
        ended: Annotated[bool, Doc("List what holds no longer, too.")] = False,
        limit: Limit = 100,
        offset: Offset = 0,
        after: After = None,
        filter: Matching = None,
    ) -> Sequence[LongtermMemory]:
        """List memories, the most important first.

        Live memories come before archived ones; among equals, the most recently changed comes first.

        Raises:
            BadInput: An argument is invalid; the error names it.
        """
        wanted = narrowed(
            user=user,
            category=category,
            importance=importance,
            text=text,
            since=since,
            until=until,
            state=state,
        )
        if state == "live" and not ended:
            wanted = replace(wanted, current_at=self._clock.now())
        if filter is not None and (by := parse(filter)) is not None:
            wanted = replace(wanted, filter=by.over_metadata)
        scope.whole("limit", limit, most=_MOST)
        scope.whole("offset", offset, least=0, most=10**9)
        async with self._database.list_read(check_name("space", space)) as tx:
            if tx is None:
                return []
            last = None if after is None else await behind(store.memory(tx, after))
            rows = await store.memories(tx, wanted, after=last, limit=limit, offset=offset)
        return [row.public for row in rows]

    async def search(
        self,
        question: Question,
        *,
        space: Space,
        user: Annotated[
            str | None, Doc("Only what is about this person or about everybody."), Example("ana")
        ] = None,
        category: OnlyCategory = None,
        importance: OnlyImportance = None,
        limit: Limit = 10,
        filter: Matching = None,
    ) -> Sequence[FoundMemory]:
        """Find the live memories that answer a question, the best first.

        Words and meaning both count. A search changes nothing and leaves no line in the audit; for the prompt
        of an agent, use `recover`.

        Raises:
            BadInput: An argument is invalid; the error names it.
        """
        if not question.strip():
            raise BadInput("ask something.", field="question")
        scope.whole("limit", limit, most=_MOST)
        by = None if filter is None else parse(filter)
        wanted = narrowed(category=category, importance=importance)
        wanted = replace(wanted, current_at=self._clock.now())
        filters = Filters(kinds=(LONGTERM,), user=optional_name("user", user), or_nobody=user is not None)
        wide = limit if category is None and importance is None else min(limit * _OVERFETCH, _MOST)
        async with filed(self._database, self._search.models, check_name("space", space)) as tx:
            if tx is None:
                return []
            if by is not None:
                filters = replace(filters, ids=tuple(await store.matching(tx, by)))
            ((_, hits),) = await self._search.find(tx, [question], filters=filters, limit=wide)
            return (await memories_of(tx, hits, wanted))[:limit]

    @reads_only
    async def counts(self, *, space: Space, user: OnlyUser = None) -> Sequence[MemoryCount]:
        """Count the memories of each category and importance."""
        async with self._database.list_read(check_name("space", space)) as tx:
            if tx is None:
                return []
            return await tx.fetch(MemoryCount, store.SQL["counts"], user=optional_name("user", user))


async def memories_of(
    tx: SpaceTransaction, hits: Sequence[Found], wanted: Narrowed | None = None
) -> list[FoundMemory]:
    """Return the memories of hits, in their order; those that are not wanted are left out."""
    rows = await store.memories(tx, wanted, entries=[hit.id for hit in hits]) if hits else []
    by_entry = {row.entry_id: row.public for row in rows}
    return [
        FoundMemory(memory=by_entry[hit.id], score=hit.score, parts=hit.parts)
        for hit in hits
        if hit.id in by_entry
    ]


def narrowed(
    *,
    user: str | None = None,
    category: str | None = None,
    importance: str | None = None,
    text: str | None = None,
    since: datetime | str | None = None,
    until: datetime | str | None = None,
    state: str = "live",
) -> Narrowed:
    """Return the checked filter of a list or an archive.

    Raises:
        BadInput: An argument is invalid; the error names it.
    """
    return Narrowed(
        category=None if category is None else scope.one_of("category", category, CATEGORIES),
        importance=None if importance is None else scope.one_of("importance", importance, IMPORTANCES),
        user=optional_name("user", user),
        archived=_ARCHIVED[scope.one_of("state", state, STATES)],
        # Each sign stands for itself in the pattern of ILIKE.
        text=None if text is None else "%" + _SPECIAL.sub(r"\\\1", clean(text).text) + "%",
        since=scope.time("since", since),
        until=scope.time("until", until),
    )
