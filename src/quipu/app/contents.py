"""Contents of a memory: spaces and sessions, their counts, what is open in them and what was used."""

from __future__ import annotations

from typing import Annotated

from annotated_types import Interval
from typing_extensions import Doc

from quipu.app.entries import Used
from quipu.app.kinds import KINDS
from quipu.app.timeline import AsyncTimeline
from quipu.kernel.base.parameters import Example, Limit, Offset, OnlyKinds, OnlySession, OnlyUser, Space
from quipu.kernel.base.scope import check_name, everybody_only, reads_only, whole
from quipu.record.store import Session
from quipu.upkeep.health import Health, examine
from quipu.upkeep.overview import Overview, SpaceCounts, count_spaces, overview


class AsyncContents(AsyncTimeline):
    """Methods of a memory that tell what it holds."""

    async def reminders(
        self, *, space: Space, user: OnlyUser = None, session: OnlySession = None, kinds: OnlyKinds = None
    ) -> list[str]:
        """Return the open loops of a person, a session or the space, a line each, most urgent first.

        `recall_block` begins with these lines.
        """
        return await self._ready.answering.reminders(space, user=user, session=session, kinds=kinds)

    @reads_only
    async def used_lately(
        self,
        *,
        space: Space,
        limit: Annotated[int, Doc("The most rows to return."), Interval(ge=1, le=200)] = 10,
    ) -> list[Used]:
        """Return the memories that agents used last: episodes, lessons, long-term memories.

        The latest use comes first; memories that are no longer found are left out.
        """
        return await self._ready.answering.used_lately(space, limit=limit)

    @reads_only
    async def sessions(self, *, space: Space, limit: Limit = 100, offset: Offset = 0) -> list[Session]:
        """Return the sessions of a space, latest first."""
        return await self._ready.answering.sessions(check_name("space", space), limit=limit, offset=offset)

    async def spaces(
        self,
        *,
        after: Annotated[str | None, Doc("Continue after the space of this name."), Example("ana")] = None,
        limit: Annotated[
            int | None, Doc("The most spaces to count; all, if not given."), Interval(ge=1, le=1_000_000)
        ] = None,
    ) -> list[SpaceCounts]:
        """Return every space of the database, by name, with how many memories and sessions it holds.

        Counting takes a millisecond for each space; pass ``limit`` and ``after`` (a name) to count a part of
        them.

        For whoever administers the database: it is the one call that is not kept to one space. It tells
        names and numbers, nothing that was said; but names are often people, so do not hand it to an agent.
        """
        if limit is not None:
            whole("limit", limit, least=1, most=1_000_000)
        return await count_spaces(self._ready.database, after=after, limit=limit)

    async def space_names(self) -> list[str]:
        """Return the names of all spaces of the database, in order; quick, because nothing is counted.

        For whoever administers the database, as `spaces` is.
        """
        return [space.name for space in await self._ready.database.spaces()]

    @reads_only
    async def overview(self, *, space: Space) -> Overview:
        """Count the memories of each kind in a space, and how many came in on, and tell of, each day."""
        everybody_only("The counts of a space concern")
        async with self._ready.answering.filed(check_name("space", space)) as tx:
            return await overview(tx, {kind.code: kind.name for kind in KINDS})

    async def health(self) -> Health:
        """Return the server, the embedding model and the size of this memory."""
        ready = self._ready
        return await examine(ready.database, self._settings, embedded=self._settings.database_url is None)
