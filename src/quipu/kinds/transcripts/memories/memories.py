"""The lessons of recorded sessions, as a caller meets them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final, Literal, TypedDict
from uuid import UUID

from quipu.errors import BadInput, NotFound
from quipu.kernel.base.clock import Clock
from quipu.kernel.base.scope import check_name, optional_name
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.kernel.policy.policy import policy
from quipu.kinds.transcripts.extract.model import Extractor
from quipu.kinds.transcripts.memories import checking, extractors, store
from quipu.kinds.transcripts.memories.ageing import REINFORCED_APART
from quipu.kinds.transcripts.memories.changing import Changing
from quipu.kinds.transcripts.memories.extracting import Extracting
from quipu.kinds.transcripts.memories.filing import TRANSCRIPTS
from quipu.kinds.transcripts.memories.model import (
    ExtractionReport,
    FoundLesson,
    Lesson,
    LessonSource,
    Pruned,
    SessionExtraction,
    State,
)
from quipu.kinds.transcripts.memories.reading import aged, row_of, surest_first
from quipu.kinds.transcripts.memories.store import Due, Row
from quipu.kinds.transcripts.memories.unfiled import filed
from quipu.recall.generations import Models
from quipu.recall.model import Filters
from quipu.recall.search import Search
from quipu.record.given import behind, time, whole

_MOST: Final = 1_000
_OVERFETCH: Final = 5

SessionProgress = Callable[[int, int], None]
"""Called with how many sessions are done and how many there are."""


class _House(TypedDict):
    database: Database
    models: Models
    clock: Clock


class AsyncMemories:
    """The lessons of one database: drawn from recorded sessions, or written by hand.

    Every call names the ``space``. An id is a memory's whole id or the beginning of it, at least four digits.
    """

    def __init__(
        self, database: Database, models: Models, search: Search, *, clock: Clock, settings: Settings
    ) -> None:
        self._database = database
        self._models = models
        self._search = search
        self._clock = clock
        self._settings = settings
        self._changing = Changing(database, models, clock=clock)

    async def extract(
        self,
        *,
        space: str,
        session: str | None = None,
        since: datetime | str | None = None,
        extractor: Extractor | str = "rules",
        again: bool = False,
        limit: int = 1_000,
        progress: SessionProgress | None = None,
    ) -> ExtractionReport:
        """Read sessions and keep what was said there that lasts; each session in a transaction of its own.

        Read are sessions of people that this extractor has not read, or failed to, or read in an older
        version, or that went on since: all of them, or ``session``, or those that went on ``since`` a time.
        With ``again`` they are read whether due or not. Doing it twice changes nothing; memories that a
        person edited, confirmed or archived stay as they are. ``extractor`` is "rules", "llm" (the
        language model of the settings), or one of your own. What goes wrong with one session is noted with
        it, and the others are read.

        Raises:
            NotFound: there is no such session.
            BadInput: an argument cannot be taken.
            ConfigError, MissingExtra: the language model cannot be had.
        """
        check_name("space", space)
        session, earliest = optional_name("session", session), time("since", since)
        whole("limit", limit, least=1, most=10**6)
        house: _House = {"database": self._database, "models": self._models, "clock": self._clock}
        kept = policy((await self._database.settings(space)).policy, secrets=False)
        async with extractors.named(extractor, settings=self._settings, **house) as chosen:
            due = await self._due(chosen, space=space, session=session, since=earliest, again=again)
            reading = Extracting(extractor=chosen, secrets=self._settings.redact, policy=kept, **house)
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
        fact: str,
        *,
        space: str,
        category: str = "knowledge",
        project: str = "",
        confidence: float = 1.0,
    ) -> Lesson:
        """Write a memory by hand; secrets are cut out of it.

        Raises:
            Conflict: an active memory of the project says so already.
            BadInput: an argument cannot be taken.
        """
        id_ = await self._changing.add(
            checking.fact_of(fact, secrets=self._settings.redact),
            space=check_name("space", space),
            category=checking.category_of(category),
            project=checking.project_of(project),
            confidence=checking.confidence_of(confidence),
        )
        return await self.get(id_, space=space)

    async def get(self, id: UUID | str, *, space: str) -> Lesson:
        """The memory with an id.

        Raises:
            NotFound: there is none.
        """
        async with self._database.looking(check_name("space", space)) as within:
            row = await row_of(within, id)
            return self._aged(row, self._settings if within is None else within.settings)

    async def sources(self, id: UUID | str, *, space: str) -> list[LessonSource]:
        """Where a memory was said, the latest first. Empty for one that was written by hand.

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
        category: str | None = None,
        project: str | None = None,
        session: str | None = None,
        state: State | Literal["all"] = "active",
        limit: int = 100,
        offset: int = 0,
        after: UUID | str | None = None,
    ) -> list[Lesson]:
        """Memories, the surest first: those of a category, of a project, told by a session, in a state.

        Of equals, the latest first. ``after`` is the id of a memory: the list goes on behind where it stands
        now.

        Raises:
            BadInput: an argument cannot be taken.
        """
        if category is not None:
            checking.category_of(category)
        wanted = store.Wanted(
            category=category, project=project, session=session, state=checking.state_of(state)
        )
        whole("limit", limit, least=1, most=_MOST)
        whole("offset", offset, least=0, most=10**9)
        async with self._database.looking(check_name("space", space)) as within:
            if within is None:
                return []
            last = None if after is None else (await behind(row_of(within, after))).id
            rows = await store.surest(
                within, wanted, now=self._clock.now(), after=last, limit=limit, offset=offset
            )
            return [self._aged(row, within.settings) for row in rows]

    async def search(
        self,
        question: str,
        *,
        space: str,
        category: str | None = None,
        project: str | None = None,
        limit: int = 10,
    ) -> list[FoundLesson]:
        """The memories that answer a question, best first, by words and meaning as ``recall`` finds them.

        Archived ones are not found. Nothing relevant is a legal answer.

        Raises:
            BadInput: an argument cannot be taken.
        """
        if not question.strip():
            raise BadInput("ask something.", field="question")
        whole("limit", limit, least=1, most=_MOST)
        async with filed(self._database, self._models, check_name("space", space)) as within:
            if within is None:
                return []
            filters = Filters(kinds=(TRANSCRIPTS,))
            narrowed = category is not None or project is not None
            wide = min(limit * _OVERFETCH, _MOST) if narrowed else limit
            ((_, hits),) = await self._search.find(within, [question], filters=filters, limit=wide)
            entries = [hit.id for hit in hits]
            rows = await store.memories(within, entries=entries, category=category, project=project)
            settings = within.settings
        by_entry = {row.entry_id: row for row in rows}
        found = [
            FoundLesson(lesson=self._aged(by_entry[hit.id], settings), score=hit.score, parts=hit.parts)
            for hit in hits
            if hit.id in by_entry
        ]
        return found[:limit]

    async def edit(
        self,
        id: UUID | str,
        *,
        space: str,
        fact: str | None = None,
        category: str | None = None,
    ) -> Lesson:
        """Change what a memory says, or its category. How it read before is kept; extraction leaves it alone.

        Raises:
            NotFound: there is none.
            BadInput: nothing was given to change, it is archived, or an argument cannot be taken.
            Conflict: another active memory of the project says so already.
        """
        if fact is None and category is None:
            raise BadInput("say what is to change.", field="fact", hint="Give fact or category.")
        text = None if fact is None else checking.fact_of(fact, secrets=self._settings.redact)
        kind = None if category is None else checking.category_of(category)
        changed = await self._changing.edit(id, space=check_name("space", space), fact=text, category=kind)
        return await self.get(changed, space=space)

    async def archive(self, id: UUID | str, *, space: str) -> Lesson:
        """Take a memory out of recall; it stays and can be restored.

        Raises:
            NotFound: there is none.
        """
        await self._changing.archive([id], space=check_name("space", space))
        return await self.get(id, space=space)

    async def restore(self, id: UUID | str, *, space: str) -> Lesson:
        """Bring an archived memory back into recall; its clock starts anew.

        Raises:
            NotFound: there is none.
            Conflict: an active memory of the project says the same.
        """
        restored = await self._changing.restore(id, space=check_name("space", space))
        return await self.get(restored, space=space)

    async def confirm(self, id: UUID | str, *, space: str) -> Lesson:
        """Say that a memory is so: it is surer from now on, and its clock starts anew.

        Raises:
            NotFound: there is none.
        """
        async with self._database.writing(check_name("space", space)) as within:
            row = await row_of(within, id)
            await store.run(within, "confirm", {"id": row.id, "now": self._clock.now()})
        return await self.get(row.id, space=space)

    async def reinforce(self, ids: Sequence[UUID | str], *, space: str) -> int:
        """Note that memories were of use, not merely found: they age from now; how many uses count.

        Uses of a memory within an hour of each other count as one.

        Raises:
            NotFound: one of them is not there; no use was noted.
        """
        async with self._database.writing(check_name("space", space)) as within:
            found = [(await row_of(within, one)).id for one in ids]
            now = self._clock.now()
            return await store.reinforce(within, found, now=now, apart=REINFORCED_APART) if found else 0

    async def prune(self, *, space: str, dry_run: bool = True) -> Pruned:
        """Archive the memories whose confidence fell below the least (``memory_archive_below``).

        With ``dry_run`` only say which they are.
        """
        async with self._database.writing(check_name("space", space)) as within:
            await store.hold(within)
            settings = within.settings
            rows = await store.memories(within)
            faded = [row for row in rows if self._aged(row, settings).state == "faded"]
            if faded and not dry_run:
                await self._changing.archive_rows(within, faded)
        memories = surest_first([self._aged(row, settings) for row in faded])
        if not dry_run:
            memories = [replace(one, state="archived") for one in memories]
        return Pruned(memories=tuple(memories), archived=not dry_run)

    async def _due(
        self, extractor: Extractor, *, space: str, session: str | None, since: datetime | None, again: bool
    ) -> Sequence[Due]:
        version = None if again else extractor.version
        name = extractor.name
        async with self._database.looking(space) as within:
            if within is None:
                due, there = [], False
            else:
                due = await store.due(within, extractor=name, version=version, session=session, since=since)
                there = session is None or await store.has_session(within, session)
        if not there and session is not None:
            raise NotFound(f"There is no session {session!r} in this space.")
        return due

    def _aged(self, row: Row, settings: Settings) -> Lesson:
        return aged(row, now=self._clock.now(), settings=settings)
