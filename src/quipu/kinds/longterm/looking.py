"""Looking at memories, as a caller meets them."""

from __future__ import annotations

from datetime import datetime
from typing import Final
from uuid import UUID

from quipu.errors import BadInput
from quipu.kernel.base.scope import check_name, optional_name
from quipu.kernel.db.database import Database
from quipu.kinds.longterm import checking, store
from quipu.kinds.longterm.filing import LONGTERM
from quipu.kinds.longterm.model import Category, Count, Found, Importance, LongtermMemory, Revision, Said
from quipu.kinds.longterm.patterns import holding
from quipu.kinds.longterm.reading import memory, row_of
from quipu.kinds.longterm.store import Narrowed
from quipu.kinds.longterm.unfiled import filed
from quipu.recall.model import Filters
from quipu.recall.search import Search
from quipu.record import given

_MOST: Final = 1_000
_OVERFETCH: Final = 5


class AsyncLooking:
    """Looks at the memories of one database. Nothing here changes anything, or is in any audit."""

    def __init__(self, database: Database, *, search: Search) -> None:
        self._database = database
        self._search = search

    async def get(self, id: UUID | str, *, space: str) -> LongtermMemory:
        """The memory with an id.

        Raises:
            NotFound: there is none.
        """
        async with self._database.looking(check_name("space", space)) as within:
            return memory(await row_of(within, id), space=space)

    async def history(self, id: UUID | str, *, space: str) -> list[Revision]:
        """How a memory read before each change, who changed it and why; the latest first.

        Raises:
            NotFound: there is none.
        """
        async with self._database.looking(check_name("space", space)) as within:
            row = await row_of(within, id)
            return [] if within is None else await store.history(within, row.id)

    async def sources(self, id: UUID | str, *, space: str) -> list[Said]:
        """The words that a memory rests on as it reads now, the latest first. Empty for one by hand.

        Raises:
            NotFound: there is none.
        """
        async with self._database.looking(check_name("space", space)) as within:
            row = await row_of(within, id)
            return [] if within is None else await store.sources(within, row.id)

    async def listing(
        self,
        *,
        space: str,
        user: str | None = None,
        category: Category | None = None,
        importance: Importance | None = None,
        text: str | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        archived: bool | None = False,
        limit: int = 100,
        offset: int = 0,
        after: UUID | str | None = None,
    ) -> list[LongtermMemory]:
        """Memories: live ones before archived ones, the most important first, of equals what changed last.

        Those of a user, a category, an importance, that hold a ``text`` in whatever case, that were said
        ``since`` (included) or ``until`` (not included) a time; live ones, ``archived`` ones, or both (None).
        ``after`` is the id of a memory: the list goes on behind where it stands now.

        Raises:
            BadInput: an argument cannot be taken (``limit`` is 1 to 1,000).
        """
        wanted = narrowed(
            user=user,
            category=category,
            importance=importance,
            text=text,
            since=since,
            until=until,
            archived=archived,
        )
        given.whole("limit", limit, most=_MOST)
        given.whole("offset", offset, least=0, most=10**9)
        async with self._database.looking(check_name("space", space)) as within:
            if within is None:
                return []
            last = None if after is None else await given.behind(row_of(within, after))
            rows = await store.memories(within, wanted, after=last, limit=limit, offset=offset)
        return [memory(row, space=space) for row in rows]

    async def search(
        self,
        question: str,
        *,
        space: str,
        user: str | None = None,
        category: Category | None = None,
        importance: Importance | None = None,
        limit: int = 10,
    ) -> list[Found]:
        """The live memories that answer a question, best first, found by words and meaning.

        With ``user``, those of the user and those that hold for everybody. It changes nothing and is in no
        audit; for the prompt of an agent use ``recover``.

        Raises:
            BadInput: an argument cannot be taken.
        """
        if not question.strip():
            raise BadInput("ask something.", field="question")
        given.whole("limit", limit, most=_MOST)
        wanted = narrowed(category=category, importance=importance)
        filters = Filters(kinds=(LONGTERM,), user=optional_name("user", user), or_nobody=user is not None)
        wide = limit if category is None and importance is None else min(limit * _OVERFETCH, _MOST)
        async with filed(self._database, self._search.models, check_name("space", space)) as within:
            if within is None:
                return []
            ((_, hits),) = await self._search.find(within, [question], filters=filters, limit=wide)
            rows = await store.memories(within, wanted, entries=[hit.id for hit in hits])
        by_entry = {row.entry_id: row for row in rows}
        found = [
            Found(memory=memory(by_entry[hit.id], space=space), score=hit.score, parts=hit.parts)
            for hit in hits
            if hit.id in by_entry
        ]
        return found[:limit]

    async def counts(self, *, space: str, user: str | None = None) -> list[Count]:
        """How many memories there are of each category and importance."""
        async with self._database.looking(check_name("space", space)) as within:
            return [] if within is None else await store.counts(within, user=optional_name("user", user))


def narrowed(
    *,
    user: str | None = None,
    category: str | None = None,
    importance: str | None = None,
    text: str | None = None,
    since: datetime | str | None = None,
    until: datetime | str | None = None,
    archived: bool | None = False,
) -> Narrowed:
    """Which memories are wanted.

    Raises:
        BadInput: an argument cannot be taken.
    """
    return Narrowed(
        category=None if category is None else checking.category_of(category),
        importance=None if importance is None else checking.importance_of(importance),
        user=optional_name("user", user),
        archived=archived,
        text=holding(text),
        since=given.time("since", since),
        until=given.time("until", until),
    )
