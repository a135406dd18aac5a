"""Episodes, as a caller meets them: what conversations condensed into, how it fades, and what keeps it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, Final
from uuid import UUID

from annotated_types import Interval
from anyio import to_thread
from typing_extensions import Doc

from quipu.errors import BadInput
from quipu.kernel.base.clock import Clock
from quipu.kernel.base.parameters import (
    STATES,
    After,
    Confirm,
    Example,
    Id,
    Limit,
    ListState,
    Offset,
    OnlySession,
    OnlyUser,
    Since,
    Space,
    Until,
    Words,
)
from quipu.kernel.base.scope import check_name, everybody_only, one_of, optional_name, reads_only, time, whole
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.kinds.episodes import indexing
from quipu.kinds.episodes.building.eraser import OneEpisode
from quipu.kinds.episodes.decay import archival, life, store
from quipu.kinds.episodes.decay.model import (
    ORDERS,
    Condensation,
    Episode,
    EpisodeCurve,
    EpisodeMessage,
    EpisodeStats,
    EpisodeVersion,
    FoundEpisode,
    Order,
)
from quipu.kinds.episodes.decay.weights import HALF_REMEMBERED
from quipu.kinds.episodes.recall import note, weigh
from quipu.recall.generations import Models
from quipu.recall.model import Filters
from quipu.recall.search import Search
from quipu.record.ids import behind
from quipu.upkeep.erasure import service as erasure
from quipu.upkeep.erasure.model import Erasure, What

if TYPE_CHECKING:
    from quipu.kinds.episodes.building.service import EpisodeWriter

_SPARE: Final = 10
_MOST: Final = 1_000
_LONGEST_AHEAD_DAYS: Final = 3_650
_NOBODY: Final = EpisodeStats(
    episodes=0, archived=0, emptied=0, troubled=0, unresolved=0, uses=0, exchanges=0, waiting=0,
    salience=0.0, freshness=0.0, first_at=None, last_at=None,
)  # fmt: skip


class AsyncEpisodes:
    """Look up and tend the episodes: conversations condensed, which fade unless they are used.

    Salience, freshness and activation are those of the moment of the call.
    """

    def __init__(
        self, database: Database, models: Models, search: Search, *, clock: Clock, settings: Settings
    ) -> None:
        self._database = database
        self._models = models
        self._search = search
        self._clock = clock
        self._settings = settings

    @reads_only
    async def list(
        self,
        *,
        space: Space,
        session: OnlySession = None,
        user: OnlyUser = None,
        topic: Annotated[str | None, Doc("Only episodes about this topic."), Example("travel")] = None,
        since: Since = None,
        until: Until = None,
        state: Annotated[ListState, Doc("Live episodes, archived ones, or all.")] = "live",
        order: Annotated[Order, Doc("The latest first, or the one with the most of this.")] = "recent",
        limit: Limit = 50,
        offset: Offset = 0,
        after: After = None,
    ) -> Sequence[Episode]:
        """List episodes as they are now.

        An episode happened when it ended. Of equal ones the latest is first.

        Raises:
            BadInput: An argument is invalid; the error names it.
        """
        now = self._clock.now()
        session, user = optional_name("session", session), optional_name("user", user)
        since, until = time("since", since), time("until", until)
        one_of("state", state, STATES)
        one_of("order", order, ORDERS)
        whole("limit", limit, most=_MOST)
        whole("offset", offset, least=0, most=10**9)
        async with self._database.list_read(check_name("space", space)) as tx:
            if tx is None:
                return []
            last = None if after is None else await behind(store.row_of(tx, after))
            pacing = life.pace(tx.settings)
            listed = await tx.rows(
                store.SQL["listed"],
                session=session,
                user=user,
                topic=topic,
                since=since,
                until=until,
                state=state,
                order=order,
                decay=pacing.decay_per_hour,
                boost=pacing.boost,
                now=now,
                after=None if last is None else last.id,
                after_ended=None if last is None else last.happened_at,
                limit=limit,
                offset=offset,
            )
            rows = {row.id: row for row in await store.episodes(tx, ids=[id_ for (id_,) in listed])}
        return [rows[id_].at(now) for (id_,) in listed]

    @reads_only
    async def get(self, id: Id, *, space: Space) -> Episode:
        """Show an episode as it is now.

        Raises:
            NotFound: There is no such episode.
        """
        now = self._clock.now()
        async with self._database.list_read(check_name("space", space)) as tx:
            return (await store.row_of(tx, id)).at(now)

    @reads_only
    async def messages(self, id: Id, *, space: Space) -> Sequence[EpisodeMessage]:
        """List the messages that an episode was made of, in their order.

        One that was written by SQL has none.

        Raises:
            NotFound: There is no such episode.
        """
        async with self._database.list_read(check_name("space", space)) as tx:
            row = await store.row_of(tx, id)
            return [] if tx is None else await tx.fetch(EpisodeMessage, store.SQL["messages_of"], id=row.id)

    @reads_only
    async def history(self, id: Id, *, space: Space) -> Sequence[EpisodeVersion]:
        """List the earlier versions of an episode, the latest first.

        Raises:
            NotFound: There is no such episode.
        """
        async with self._database.list_read(check_name("space", space)) as tx:
            row = await store.row_of(tx, id)
            return [] if tx is None else await tx.fetch(EpisodeVersion, store.SQL["versions"], id=row.id)

    @reads_only
    async def curve(
        self,
        id: Id,
        *,
        space: Space,
        points: Annotated[
            int,
            Doc("The number of moments, at equal distances; its uses are added."),
            Interval(ge=2, le=_MOST),
        ] = 60,
        ahead_days: Annotated[
            int | None,
            Doc("The days to look ahead; if not given, as many as it is old (1 to 60)."),
            Interval(ge=0, le=_LONGEST_AHEAD_DAYS),
            Example(30),
        ] = None,
    ) -> EpisodeCurve:
        """Show the points at which an episode faded and was refreshed, and will fade if nobody uses it.

        Raises:
            NotFound: There is no such episode.
            BadInput: An argument is invalid; the error names it.
        """
        whole("points", points, least=2, most=_MOST)
        ahead = None
        if ahead_days is not None:
            ahead = timedelta(days=whole("ahead_days", ahead_days, least=0, most=_LONGEST_AHEAD_DAYS))
        now = self._clock.now()
        async with self._database.list_read(check_name("space", space)) as tx:
            row = await store.row_of(tx, id)
        return EpisodeCurve(
            episode=row.at(now),
            life=row.life,
            now=now,
            points=tuple(life.curve(row.life, now, points=points, ahead=ahead)),
        )

    @reads_only
    async def search(
        self,
        question: Annotated[
            str, Doc("The words to look for."), Words(), Example("What was the trouble with the landlord?")
        ],
        *,
        space: Space,
        user: OnlyUser = None,
        limit: Limit = 10,
    ) -> Sequence[FoundEpisode]:
        """Find the episodes that answer a question, the best first.

        Scores are those of `recall`. Looking changes nothing. Where nothing is relevant, the answer is
        empty.

        Raises:
            BadInput: An argument is invalid; the error names it.
        """
        if not question.strip():
            raise BadInput("ask something.", field="question")
        whole("limit", limit, most=_MOST)
        check_name("space", space)
        await indexing.catch_up(self._database, self._models, space)
        now = self._clock.now()
        async with self._database.snapshot_read(space) as tx:
            if tx is None:
                return []
            filters = Filters(kinds=(indexing.EPISODES,), user=optional_name("user", user))
            ((understood, hits),) = await self._search.find(
                tx, [question], filters=filters, limit=2 * limit + _SPARE
            )
            entries = [hit.id for hit in hits]
            weighed = await weigh(tx, understood, now, entries)
            rows = await store.episodes(tx, entries=entries)
        by_entry = {row.entry_id: row for row in rows}
        episodes: list[FoundEpisode] = []
        for hit in hits:
            row, more = by_entry.get(hit.id), weighed.get(hit.id) or {}
            if row is not None:
                parts = {**hit.parts, **more}
                score = round(min(1.0, max(0.0, hit.score + sum(more.values()))), 6)
                half = HALF_REMEMBERED in parts
                episodes.append(
                    FoundEpisode(episode=row.at(now), score=score, parts=parts, half_remembered=half)
                )
        return sorted(episodes, key=lambda one: -one.score)[:limit]

    async def reinforce(
        self,
        ids: Annotated[
            Sequence[UUID | str],
            Doc("The episodes that were of use."),
            Example("0198c5a2-7f3e-7cc1-9d55-3a1f0c9b2e4d"),
        ],
        *,
        space: Space,
    ) -> int:
        """Note that episodes were of use, not merely found, and return how many uses count.

        They fade from now. Uses of an episode within ten minutes of each other count as one.

        Raises:
            NotFound: One of the episodes does not exist; no use was noted.
        """
        async with self._database.write(check_name("space", space)) as tx:
            numbers = [(await store.row_of(tx, one)).id for one in ids]
            return await note(tx, self._clock.now(), ids=numbers)

    async def archive(self, id: Id, *, space: Space) -> Episode:
        """Archive an episode, so that it is not recalled any more.

        Nothing is lost; `unarchive` brings it back.

        Raises:
            NotFound: There is no such episode.
        """
        number = await archival.archive(
            self._database, id, space=check_name("space", space), clock=self._clock
        )
        return await self.get(number, space=space)

    async def unarchive(self, id: Id, *, space: Space) -> Episode:
        """Bring an archived episode back; its uses are as they were.

        Raises:
            NotFound: There is no such episode.
        """
        number = await archival.unarchive(self._database, self._models, id, space=check_name("space", space))
        return await self.get(number, space=space)

    async def erase(self, id: Id, *, space: Space, confirm: Confirm = False) -> Erasure:
        """Erase an episode for good.

        Its messages stay, and are not condensed again; `forget` takes them, too.

        Raises:
            NotFound: There is no such episode.
        """
        async with self._database.snapshot_read(check_name("space", space)) as tx:
            number = (await store.row_of(tx, id)).id
        what, erasers = What(message=f"episode {number}"), (OneEpisode(number),)
        if not confirm:
            return await erasure.preview(self._database, erasers, what, space=space)
        return await erasure.erase(self._database, erasers, what, space=space, now=self._clock.now())

    async def condense(self, *, space: Space, session: OnlySession = None) -> Condensation:
        """Make episodes now of all exchanges that wait, as if nothing more were said.

        Workers do this when a conversation rests. Messages of this moment wait for the chunker;
        a worker does both.

        Raises:
            ConfigError: The language model of the settings cannot be had.
            MissingExtra: The language model of the settings needs a package that is not installed.
        """
        from quipu.kinds.episodes.building import rebuild  # noqa: PLC0415 - recall needs none of it

        everybody_only("Condensing concerns")
        async with self._episode_writer() as writer:
            return await rebuild.condense(
                self._database,
                writer,
                space=check_name("space", space),
                session=optional_name("session", session),
            )

    async def rebuild(
        self,
        *,
        space: Space,
        id: Annotated[UUID | str | None, Doc("Only this episode.")] = None,
        session: OnlySession = None,
        again: Annotated[bool, Doc("Also episodes that this version of the builder wrote.")] = False,
    ) -> Condensation:
        """Rewrite episodes from their messages: one, those of a session, or all of the space.

        Episodes of another builder or of an older version of this one are written. They keep their ids and
        uses, and how they read before stays in their history. Episodes that are archived, or were written by
        SQL, are left alone.

        Raises:
            NotFound: There is no such episode.
            ConfigError: The language model of the settings cannot be had.
            MissingExtra: The language model of the settings needs a package that is not installed.
        """
        from quipu.kinds.episodes.building import rebuild  # noqa: PLC0415 - as above

        everybody_only("Condensing concerns")
        ids = None
        async with self._database.list_read(check_name("space", space)) as tx:
            if id is not None:
                ids = [(await store.row_of(tx, id)).id]
        async with self._episode_writer() as writer:
            return await rebuild.rebuild(
                self._database,
                writer,
                space=space,
                ids=ids,
                session=optional_name("session", session),
                again=again,
            )

    @reads_only
    async def stats(self, *, space: Space) -> EpisodeStats:
        """Count episodes and the exchanges that wait, and tell how fresh they are on average."""
        async with self._database.list_read(check_name("space", space)) as tx:
            return _NOBODY if tx is None else await store.stats(tx, now=self._clock.now())

    @asynccontextmanager
    async def _episode_writer(self) -> AsyncGenerator[EpisodeWriter]:
        # Not at the top: it brings pydantic and the language model along, and recall needs neither.
        from quipu.kernel.language.budget import DailyBudget  # noqa: PLC0415
        from quipu.kernel.language.choose import choose  # noqa: PLC0415
        from quipu.kinds.episodes.building.service import EpisodeWriter  # noqa: PLC0415

        budget = DailyBudget(self._database, clock=self._clock)
        settings = await self._database.settings()
        language = await to_thread.run_sync(lambda: choose(settings, budget=budget))
        try:
            secrets = self._settings.redact
            yield EpisodeWriter(
                self._database, self._models, clock=self._clock, language=language, secrets=secrets
            )
        finally:
            if language is not None:
                await language.aclose()
