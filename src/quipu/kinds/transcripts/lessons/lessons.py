"""The lessons of recorded sessions, as a caller meets them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Final, Literal, TypedDict
from uuid import UUID

from annotated_types import Interval
from typing_extensions import Doc

from quipu.errors import BadInput, NotFound
from quipu.kernel.base.clock import Clock
from quipu.kernel.base.parameters import (
    After,
    Confirm,
    Example,
    Id,
    Limit,
    Matching,
    Metadata,
    Offset,
    OnlySession,
    Since,
    Space,
    Words,
)
from quipu.kernel.base.scope import check_name, one_of, optional_name, reads_only, time, whole
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.kernel.policy.policy import policy
from quipu.kinds.transcripts.extract.model import Extractor
from quipu.kinds.transcripts.lessons import changes, extraction, store
from quipu.kinds.transcripts.lessons.changes import Changes, archive_rows
from quipu.kinds.transcripts.lessons.decay import REINFORCED_APART, aged, surest_first
from quipu.kinds.transcripts.lessons.extraction import SessionReader
from quipu.kinds.transcripts.lessons.index import CODE, filed
from quipu.kinds.transcripts.lessons.model import (
    STATES,
    ExtractionReport,
    FoundLesson,
    Lesson,
    LessonSource,
    Pruned,
    SessionExtraction,
    State,
)
from quipu.kinds.transcripts.lessons.store import SQL, Due, StoredLesson, row_of
from quipu.recall.filters import parse
from quipu.recall.generations import Models
from quipu.recall.model import Filters
from quipu.recall.search import Search
from quipu.record.ids import behind
from quipu.record.items import checked_metadata
from quipu.record.store import session_id

_MOST: Final = 1_000
_MOST_SESSIONS: Final = 1_000_000
_OVERFETCH: Final = 5

_CATEGORIES: Final = "preferences, knowledge, patterns, context, corrections or todo"
_OnlyCategory = Annotated[
    str | None, Doc(f"Only lessons of this category: {_CATEGORIES}."), Example("knowledge")
]
_OnlyProject = Annotated[
    str | None, Doc("Only lessons of the project at this path."), Example("/home/ana/boat")
]
_Fact = Annotated[str, Doc("The lesson, in one sentence."), Example("The tests need Docker.")]

SessionProgress = Callable[[int, int], None]
"""Called with how many sessions are done and how many there are."""


class _Shared(TypedDict):
    database: Database
    models: Models
    clock: Clock


class AsyncLessons:
    """Look up and correct lessons: what lasts of recorded sessions, or is written by hand.

    Confidence is what a lesson is worth at the time of the call: it falls with time, and rises where the
    lesson is used or confirmed.
    """

    def __init__(
        self, database: Database, models: Models, search: Search, *, clock: Clock, settings: Settings
    ) -> None:
        self._database = database
        self._models = models
        self._search = search
        self._clock = clock
        self._settings = settings
        self._changes = Changes(database, models, clock=clock)

    async def extract(
        self,
        *,
        space: Space,
        session: OnlySession = None,
        since: Since = None,
        extractor: Annotated[
            Extractor | str, Doc("`rules`, `llm` (the language model of the settings), or one of your own.")
        ] = "rules",
        again: Annotated[bool, Doc("Read sessions whether they are due or not.")] = False,
        limit: Annotated[int, Doc("The most sessions to read."), Interval(ge=1, le=_MOST_SESSIONS)] = 1_000,
        progress: Annotated[
            SessionProgress | None, Doc("Called with how many sessions are read, and how many there are.")
        ] = None,
    ) -> ExtractionReport:
        """Read sessions, and keep what was said there that lasts.

        A session is due if this extractor has not read it, failed at it, read it in an older version, or if
        it went on since. Each is read in a transaction of its own; what goes wrong with one is noted with it.
        Doing it twice changes nothing; lessons that a person edited, confirmed or archived stay as they are.

        Raises:
            NotFound: There is no such session.
            BadInput: An argument is invalid; the error names it.
            ConfigError: The language model of the settings cannot be had.
            MissingExtra: The language model of the settings needs a package that is not installed.
        """
        check_name("space", space)
        session, earliest = optional_name("session", session), time("since", since)
        whole("limit", limit, least=1, most=_MOST_SESSIONS)
        shared: _Shared = {"database": self._database, "models": self._models, "clock": self._clock}
        settings = await self._database.settings(space)
        kept = policy(settings.policy, secrets=False)
        async with extraction.named(extractor, settings=settings, **shared) as chosen:
            due = await self._due(chosen, space=space, session=session, since=earliest, again=again)
            reading = SessionReader(extractor=chosen, secrets=self._settings.redact, policy=kept, **shared)
            done: list[SessionExtraction] = []
            for one in due[:limit]:
                done.append(await reading.read(one, space=space))
                if progress is not None:
                    progress(len(done), min(len(due), limit))
        return ExtractionReport(
            extractor=chosen.name,
            version=chosen.version,
            sessions=tuple(done),
            redacted=dict(reading.redacted),
            left=max(len(due) - limit, 0),
        )

    async def add(
        self,
        fact: _Fact,
        *,
        space: Space,
        category: Annotated[str, Doc(f"Its category: {_CATEGORIES}."), Example("knowledge")] = "knowledge",
        project: Annotated[str, Doc("The path of its project; empty for all projects.")] = "",
        confidence: Annotated[float, Doc("The confidence, 0 to 1."), Interval(ge=0, le=1)] = 1.0,
        metadata: Metadata = None,
    ) -> Lesson:
        """Write a lesson by hand.

        Secrets are cut out of it.

        Raises:
            Conflict: A live lesson of the project says so already.
            BadInput: An argument is invalid; the error names it.
        """
        id_ = await self._changes.add(
            changes.fact_of(fact, secrets=self._settings.redact),
            space=check_name("space", space),
            category=changes.category_of(category),
            project="" if project == "" else check_name("project", project),
            confidence=changes.confidence_of(confidence),
            metadata=checked_metadata(metadata, secrets=self._settings.redact),
        )
        return await self.get(id_, space=space)

    @reads_only
    async def get(self, id: Id, *, space: Space) -> Lesson:
        """Show a lesson as it stands now.

        Raises:
            NotFound: There is no such lesson.
        """
        async with self._database.list_read(check_name("space", space)) as tx:
            row = await row_of(tx, id)
            return self._aged(row, self._settings if tx is None else tx.settings)

    @reads_only
    async def sources(self, id: Id, *, space: Space) -> Sequence[LessonSource]:
        """List where a lesson was said, the latest first.

        One that was written by hand has no sources.

        Raises:
            NotFound: There is no such lesson.
        """
        async with self._database.list_read(check_name("space", space)) as tx:
            row = await row_of(tx, id)
            return [] if tx is None else await tx.fetch(LessonSource, SQL["sources"], id=row.id)

    @reads_only
    async def list(
        self,
        *,
        space: Space,
        category: _OnlyCategory = None,
        project: _OnlyProject = None,
        session: OnlySession = None,
        state: Annotated[
            State | Literal["all"],
            Doc("Live lessons, faded ones (which `prune` would archive), archived ones, or all."),
        ] = "live",
        ended: Annotated[bool, Doc("List what holds no longer, too.")] = False,
        limit: Limit = 50,
        offset: Offset = 0,
        after: After = None,
        filter: Matching = None,
    ) -> Sequence[Lesson]:
        """List lessons, the surest first; of equally sure ones the latest.

        Raises:
            BadInput: An argument is invalid; the error names it.
        """
        if category is not None:
            changes.category_of(category)
        chosen = one_of("state", state, (*STATES, "all"))
        whole("limit", limit, least=1, most=_MOST)
        whole("offset", offset, least=0, most=10**9)
        by = None if filter is None else parse(filter)
        async with self._database.list_read(check_name("space", space)) as tx:
            if tx is None:
                return []
            last = None if after is None else (await behind(row_of(tx, after))).id
            rows = await store.surest(
                tx,
                category=category,
                project=project,
                session=session,
                state=None if chosen == "all" else chosen,
                ended=ended or chosen != "live",
                now=self._clock.now(),
                after=last,
                filter=None if by is None else by.over_metadata,
                limit=limit,
                offset=offset,
            )
            return [self._aged(row, tx.settings) for row in rows]

    async def search(
        self,
        question: Annotated[str, Doc("The words to look for."), Words(), Example("How are the tests run?")],
        *,
        space: Space,
        category: _OnlyCategory = None,
        project: _OnlyProject = None,
        limit: Limit = 10,
        filter: Matching = None,
    ) -> Sequence[FoundLesson]:
        """Find the lessons that answer a question, the best first.

        They are found by words and meaning, as by `recall`. Archived lessons are not found. Where
        nothing is relevant, the answer is empty.

        Raises:
            BadInput: An argument is invalid; the error names it.
        """
        if not question.strip():
            raise BadInput("ask something.", field="question")
        whole("limit", limit, least=1, most=_MOST)
        by = None if filter is None else parse(filter)
        async with filed(self._database, self._models, check_name("space", space)) as tx:
            if tx is None:
                return []
            filters = Filters(kinds=(CODE,), ids=None if by is None else await store.matching(tx, by))
            wide = min(limit * _OVERFETCH, _MOST) if category or project is not None else limit
            ((_, hits),) = await self._search.find(tx, [question], filters=filters, limit=wide)
            found = [hit.id for hit in hits]
            rows = await store.memories(tx, entries=found, category=category, project=project)
            settings = tx.settings
        now = self._clock.now()
        by_entry = {row.entry_id: row for row in rows if not row.valid_until or row.valid_until > now}
        lessons = [
            FoundLesson(lesson=self._aged(by_entry[hit.id], settings), score=hit.score, parts=hit.parts)
            for hit in hits
            if hit.id in by_entry
        ]
        return lessons[:limit]

    async def edit(
        self,
        id: Id,
        *,
        space: Space,
        fact: Annotated[
            str | None, Doc("The new text."), Example("The tests need Docker and network.")
        ] = None,
        category: Annotated[str | None, Doc(f"A new category: {_CATEGORIES}.")] = None,
        metadata: Metadata = None,
    ) -> Lesson:
        """Change what a lesson says, its category, or its metadata as a whole.

        How it read before is kept; extraction leaves it alone from then on.

        Raises:
            NotFound: There is no such lesson.
            BadInput: Nothing is given, it is archived, or an argument is invalid.
            Conflict: Another live lesson of the project says so already.
        """
        if fact is None and category is None and metadata is None:
            raise BadInput("say what is to change.", field="fact", hint="Give fact, category or metadata.")
        given = None if metadata is None else checked_metadata(metadata, secrets=self._settings.redact)
        text = None if fact is None else changes.fact_of(fact, secrets=self._settings.redact)
        kind = None if category is None else changes.category_of(category)
        changed = await self._changes.edit(
            id, space=check_name("space", space), fact=text, category=kind, metadata=given
        )
        return await self.get(changed, space=space)

    async def archive(self, id: Id, *, space: Space) -> Lesson:
        """Archive a lesson, so that it is not recalled any more.

        Nothing is lost; `unarchive` brings it back.

        Raises:
            NotFound: There is no such lesson.
        """
        await self._changes.archive(id, space=check_name("space", space))
        return await self.get(id, space=space)

    async def unarchive(self, id: Id, *, space: Space) -> Lesson:
        """Bring an archived lesson back into recall; it ages from now.

        Raises:
            NotFound: There is no such lesson.
            Conflict: A live lesson of the project says the same.
        """
        restored = await self._changes.restore(id, space=check_name("space", space))
        return await self.get(restored, space=space)

    async def confirm(self, id: Id, *, space: Space) -> Lesson:
        """Confirm that a lesson is so: it is surer from now on, and ages from now.

        Raises:
            NotFound: There is no such lesson.
        """
        async with self._database.write(check_name("space", space)) as tx:
            row = await row_of(tx, id)
            await tx.execute(SQL["confirm"], id=row.id, now=self._clock.now())
        return await self.get(row.id, space=space)

    async def reinforce(
        self,
        ids: Annotated[
            Sequence[UUID | str],
            Doc("The lessons that were of use."),
            Example("0198c5a2-7f3e-7cc1-9d55-3a1f0c9b2e4d"),
        ],
        *,
        space: Space,
    ) -> int:
        """Note that lessons were of use, not merely found, and return how many uses count.

        They age from now. Uses of a lesson within an hour of each other count as one.

        Raises:
            NotFound: One of the lessons does not exist; no use was noted.
        """
        async with self._database.write(check_name("space", space)) as tx:
            numbers = [(await row_of(tx, one)).id for one in ids]
            return await tx.execute(
                SQL["reinforce"], ids=numbers, now=self._clock.now(), apart=REINFORCED_APART
            )

    async def prune(self, *, space: Space, confirm: Confirm = False) -> Pruned:
        """Archive the lessons whose confidence fell below the least (`memory_archive_below`)."""
        async with self._database.write(check_name("space", space)) as tx:
            await tx.execute(SQL["hold"])
            settings = tx.settings
            rows = await store.memories(tx)
            faded = [row for row in rows if self._aged(row, settings).state == "faded"]
            if faded and confirm:
                await archive_rows(tx, faded, now=self._clock.now())
        lessons = surest_first([self._aged(row, settings) for row in faded])
        if confirm:
            lessons = [replace(one, state="archived") for one in lessons]
        return Pruned(lessons=tuple(lessons), archived=confirm)

    async def _due(
        self, extractor: Extractor, *, space: str, session: str | None, since: datetime | None, again: bool
    ) -> Sequence[Due]:
        name, version = extractor.name, None if again else extractor.version
        async with self._database.list_read(space) as tx:
            if tx is not None and (session is None or await session_id(tx, session) is not None):
                return await store.due(tx, extractor=name, version=version, session=session, since=since)
        if session is not None:
            raise NotFound(f"There is no session {session!r} in this space.")
        return []

    def _aged(self, row: StoredLesson, settings: Settings) -> Lesson:
        return aged(row, now=self._clock.now(), settings=settings)
