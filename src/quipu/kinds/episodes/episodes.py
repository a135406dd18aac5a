"""Episodes, as a caller meets them: what conversations condensed into, how it fades, and what keeps it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final
from uuid import UUID

from anyio import to_thread

from quipu.errors import BadInput
from quipu.kernel.base.clock import Clock
from quipu.kernel.base.scope import check_name, optional_name
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.kernel.db.person import everybody_only
from quipu.kinds.episodes.condensing.eraser import OneEpisode
from quipu.kinds.episodes.fading import asked, life, putting, store
from quipu.kinds.episodes.fading.model import (
    ORDERS,
    PUTS,
    Condensation,
    Episode,
    EpisodeCurve,
    EpisodeMessage,
    EpisodeStats,
    EpisodeVersion,
    FoundEpisode,
    Order,
    Put,
)
from quipu.kinds.episodes.fading.weighing import HALF_REMEMBERED
from quipu.kinds.episodes.filing import entries as filing
from quipu.kinds.episodes.used import note
from quipu.kinds.episodes.weigh import weigh
from quipu.recall.generations import Models
from quipu.recall.model import Filters
from quipu.recall.search import Search
from quipu.record.given import behind, one_of, time, whole
from quipu.upkeep.erasure import service as erasure
from quipu.upkeep.erasure.model import Erasure, What

if TYPE_CHECKING:
    from quipu.kinds.episodes.condensing.condensing import Condensing

_SPARE: Final = 10
_MOST: Final = 1_000
_LONGEST_AHEAD_DAYS: Final = 3_650
_NOBODY: Final = EpisodeStats(
    episodes=0, put_away=0, emptied=0, troubled=0, unresolved=0, uses=0, exchanges=0, waiting=0,
    salience=0.0, freshness=0.0, first_at=None, last_at=None,
)  # fmt: skip


class AsyncEpisodes:
    """The episodes of one database.

    Every call names the ``space``. An id is an episode's whole id or its beginning, at least four digits.
    """

    def __init__(
        self, database: Database, models: Models, search: Search, *, clock: Clock, settings: Settings
    ) -> None:
        self._database = database
        self._models = models
        self._search = search
        self._clock = clock
        self._settings = settings

    async def listing(
        self,
        *,
        space: str,
        session: str | None = None,
        user: str | None = None,
        topic: str | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        state: Put = "active",
        order: Order = "recent",
        limit: int = 50,
        offset: int = 0,
        after: UUID | str | None = None,
    ) -> list[Episode]:
        """Episodes as they are now: of a session, a person, a topic, a time (``since`` in, ``until`` out).

        ``order`` is "recent", or the most of "salience", "freshness" or "activation", of equals the latest
        first; ``state`` "active", or "deleted" for those that were put away. ``after`` is the id of an
        episode: the list goes on behind where it stands now.

        Raises:
            BadInput: an argument cannot be taken.
        """
        now = self._clock.now()
        wanted = store.Wanted(
            session=optional_name("session", session),
            user=optional_name("user", user),
            topic=topic,
            since=time("since", since),
            until=time("until", until),
            state=one_of("state", state, PUTS),
            order=one_of("order", order, ORDERS),
            limit=whole("limit", limit, most=_MOST),
            offset=whole("offset", offset, least=0, most=10**9),
        )
        async with self._database.looking(check_name("space", space)) as within:
            if within is None:
                return []
            last = None if after is None else await behind(asked.row_of(within, after))
            rows = await store.listed(within, wanted, after=last, now=now)
        return [row.at(now) for row in rows]

    async def get(self, id: UUID | str, *, space: str) -> Episode:
        """The episode with an id, as it is now.

        Raises:
            NotFound: there is none.
        """
        now = self._clock.now()
        async with self._database.looking(check_name("space", space)) as within:
            return (await asked.row_of(within, id)).at(now)

    async def messages(self, id: UUID | str, *, space: str) -> list[EpisodeMessage]:
        """What was said in an episode, in its order. Empty for one that was written by SQL.

        Raises:
            NotFound: there is none.
        """
        async with self._database.looking(check_name("space", space)) as within:
            found = await asked.id_of(within, id)
            return [] if within is None else await store.messages_of(within, found)

    async def history(self, id: UUID | str, *, space: str) -> list[EpisodeVersion]:
        """How an episode read before it was written anew, the latest first.

        Raises:
            NotFound: there is none.
        """
        async with self._database.looking(check_name("space", space)) as within:
            found = await asked.id_of(within, id)
            return [] if within is None else await store.versions(within, found)

    async def curve(
        self, id: UUID | str, *, space: str, points: int = 60, ahead_days: int | None = None
    ) -> EpisodeCurve:
        """How an episode faded and was refreshed until now, and how it will fade if nobody uses it.

        ``points`` moments apart by the same time, and those of its latest uses. ``ahead_days``: how far to
        look; as far as there is behind (1 to 60 days) if it is not given.

        Raises:
            NotFound: there is none.
            BadInput: an argument is out of range.
        """
        whole("points", points, least=2, most=_MOST)
        ahead = None
        if ahead_days is not None:
            ahead = timedelta(days=whole("ahead_days", ahead_days, least=0, most=_LONGEST_AHEAD_DAYS))
        now = self._clock.now()
        async with self._database.looking(check_name("space", space)) as within:
            row = await asked.row_of(within, id)
        return EpisodeCurve(
            episode=row.at(now),
            life=row.life,
            now=now,
            points=tuple(life.curve(row.life, now, points=points, ahead=ahead)),
        )

    async def recall(
        self, question: str, *, space: str, user: str | None = None, limit: int = 10
    ) -> list[FoundEpisode]:
        """The episodes that answer a question, best first, scored as in ``memory.recall``.

        It changes nothing. Nothing relevant is a legal answer.

        Raises:
            BadInput: an argument cannot be taken.
        """
        if not question.strip():
            raise BadInput("ask something.", field="question")
        whole("limit", limit, most=_MOST)
        check_name("space", space)
        await filing.catch_up(self._database, self._models, space)
        now = self._clock.now()
        async with self._database.reading(space) as within:
            if within is None:
                return []
            filters = Filters(kinds=(filing.EPISODES,), user=optional_name("user", user))
            ((understood, hits),) = await self._search.find(
                within, [question], filters=filters, limit=2 * limit + _SPARE
            )
            entries = [hit.id for hit in hits]
            weighed = await weigh(within, understood, now, entries)
            rows = await store.episodes(within, entries=entries)
        by_entry = {row.entry_id: row for row in rows}
        found: list[FoundEpisode] = []
        for hit in hits:
            row, more = by_entry.get(hit.id), weighed.get(hit.id) or {}
            if row is not None:
                parts = {**hit.parts, **more}
                score = round(min(1.0, max(0.0, hit.score + sum(more.values()))), 6)
                found.append(
                    FoundEpisode(
                        episode=row.at(now),
                        score=score,
                        parts=parts,
                        half_remembered=HALF_REMEMBERED in parts,
                    )
                )
        return sorted(found, key=lambda one: -one.score)[:limit]

    async def reinforce(self, ids: Sequence[UUID | str], *, space: str) -> int:
        """Note that episodes were of use, not merely found: they fade from now; how many uses count.

        Uses of an episode within ten minutes of each other count as one.

        Raises:
            NotFound: one of them is not there; no use was noted.
        """
        async with self._database.writing(check_name("space", space)) as within:
            found = [await asked.id_of(within, one) for one in ids]
            return await note(within, self._clock.now(), await store.last_uses(within, ids=found))

    async def forget(self, id: UUID | str, *, space: str) -> Episode:
        """Put an episode away: it is not recalled any more, stays, and can be restored.

        Raises:
            NotFound: there is none.
        """
        found = await putting.put_away(
            self._database, id, space=check_name("space", space), clock=self._clock
        )
        return await self.get(found, space=space)

    async def restore(self, id: UUID | str, *, space: str) -> Episode:
        """Bring an episode back that was put away; what it was, and its uses, are as they were.

        Raises:
            NotFound: there is none.
        """
        found = await putting.bring_back(self._database, self._models, id, space=check_name("space", space))
        return await self.get(found, space=space)

    async def erase(self, id: UUID | str, *, space: str, confirm: bool = False) -> Erasure:
        """Erase an episode for good; what was said stays, and is not condensed again.

        Without ``confirm`` it is a preview. What was said too goes with ``memory.forget``.

        Raises:
            NotFound: there is none.
        """
        async with self._database.reading(check_name("space", space)) as within:
            found = await asked.id_of(within, id)
        what, erasers = What(message=f"episode {found}"), (OneEpisode(found),)
        if not confirm:
            return await erasure.preview(self._database, erasers, what, space=space)
        return await erasure.erase(self._database, erasers, what, space=space, now=self._clock.now())

    async def condense(self, *, space: str, session: str | None = None) -> Condensation:
        """Make episodes now of all that waits, in ``session`` or in all, as if nothing more were said.

        Workers do this when a conversation rests. What was said a moment ago waits for the chunker:
        ``memory.work()`` does both.

        Raises:
            ConfigError, MissingExtra: the language model of the settings cannot be had.
        """
        from quipu.kinds.episodes.condensing import rebuilding  # noqa: PLC0415 - recall needs none of it

        everybody_only("Condensing concerns")
        async with self._condensing() as condensing:
            return await rebuilding.condense(
                self._database,
                condensing,
                space=check_name("space", space),
                session=optional_name("session", session),
            )

    async def rebuild(
        self,
        *,
        space: str,
        id: UUID | str | None = None,
        session: str | None = None,
        again: bool = False,
    ) -> Condensation:
        """Write episodes anew from what they are made of: one, those of a session, or all of the space.

        Written are those that another builder wrote, or an older version of this one; with ``again`` all.
        They keep their ids and uses, and how they read before stays as their history. Those that were put
        away, or written by SQL, are left alone.

        Raises:
            NotFound: there is none with that id.
            ConfigError, MissingExtra: the language model of the settings cannot be had.
        """
        from quipu.kinds.episodes.condensing import rebuilding  # noqa: PLC0415 - as above

        everybody_only("Condensing concerns")
        ids = None
        async with self._database.looking(check_name("space", space)) as within:
            if id is not None:
                ids = [await asked.id_of(within, id)]
        async with self._condensing() as condensing:
            return await rebuilding.rebuild(
                self._database,
                condensing,
                space=space,
                ids=ids,
                session=optional_name("session", session),
                again=again,
            )

    async def stats(self, *, space: str) -> EpisodeStats:
        """How many episodes there are, how many exchanges wait, and how fresh it all is."""
        async with self._database.looking(check_name("space", space)) as within:
            return _NOBODY if within is None else await store.stats(within, now=self._clock.now())

    @asynccontextmanager
    async def _condensing(self) -> AsyncGenerator[Condensing]:
        # Not at the top: it brings pydantic and the language model along, and recall needs neither.
        from quipu.kernel.language.budget import DailyBudget  # noqa: PLC0415
        from quipu.kernel.language.choose import choose  # noqa: PLC0415
        from quipu.kinds.episodes.condensing.condensing import Condensing  # noqa: PLC0415

        budget = DailyBudget(self._database, clock=self._clock)
        language = await to_thread.run_sync(lambda: choose(self._settings, budget=budget))
        try:
            yield Condensing(
                self._database,
                self._models,
                clock=self._clock,
                language=language,
                secrets=self._settings.redact,
            )
        finally:
            if language is not None:
                await language.aclose()
