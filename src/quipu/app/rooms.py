"""The kinds of memory as an open memory shows them: each is opened when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar, cast

from quipu.app.kinds import BEHIND, CITES, DERIVED, ERASERS, KINDS, REGISTER
from quipu.app.parts import Parts
from quipu.kernel.base.clock import Clock
from quipu.kernel.base.parameters import Space
from quipu.kernel.base.scope import everybody_only
from quipu.kernel.base.text import Marks
from quipu.kernel.config import Settings

if TYPE_CHECKING:
    from quipu.app.aliases import AsyncAliases
    from quipu.app.corrections import AsyncCorrections
    from quipu.app.directory.databases import AsyncDatabases
    from quipu.app.directory.routing import Router
    from quipu.app.imports.imports import AsyncImports
    from quipu.app.queue import AsyncQueue
    from quipu.kernel.db.database import SpaceTransaction
    from quipu.kernel.embedding.known import KnownVectors
    from quipu.kinds.documents.files.sync import AsyncDocumentFiles
    from quipu.kinds.episodes.conversations.conversations import AsyncConversations
    from quipu.kinds.episodes.episodes import AsyncEpisodes
    from quipu.kinds.episodes.extraction.beliefs.beliefs import AsyncBeliefs
    from quipu.kinds.episodes.extraction.loops.loops import AsyncLoops
    from quipu.kinds.ledger.evidence.evidence import AsyncEvidence
    from quipu.kinds.ledger.evidence.trace import AsyncTrace
    from quipu.kinds.ledger.ledger import AsyncLedger
    from quipu.kinds.longterm.longterm import AsyncLongterm
    from quipu.kinds.tables.tables import AsyncTables
    from quipu.kinds.transcripts.lessons.lessons import AsyncLessons
    from quipu.kinds.transcripts.transcripts import AsyncTranscripts
    from quipu.record.standing.room import AsyncRules
    from quipu.upkeep.answers.answers import AsyncAnswers
    from quipu.upkeep.archive.archive import AsyncArchives
    from quipu.upkeep.erasure.archive import AsyncReceipts
    from quipu.upkeep.keys.keys import AsyncKeys
    from quipu.upkeep.keys.signins import AsyncSignIns
    from quipu.upkeep.settings.settings import AsyncSettings
    from quipu.upkeep.snapshots.snapshots import AsyncSnapshots

_Room = TypeVar("_Room")
_Archives = TypeVar("_Archives", bound="AsyncArchives")


class AsyncRooms:
    """One property for each kind of memory.

    A kind is imported in its property, not at the top: most programs that recall never write a fact or read
    a transcript, and should not wait for what that needs.
    """

    _settings: Settings
    _clock: Clock
    _rooms: dict[str, object]
    _router: Router | None = None

    @property
    def _ready(self) -> Parts:
        """The parts of this memory, which is open."""
        raise NotImplementedError

    @property
    def answers(self) -> AsyncAnswers:
        """Answers that a server gave, kept for a day, so that a repeated request is not done twice."""
        from quipu.upkeep.answers.answers import AsyncAnswers  # noqa: PLC0415

        return self._room(AsyncAnswers, lambda parts: AsyncAnswers(parts.database, clock=self._clock))

    @property
    def aliases(self) -> AsyncAliases:
        """Other names of people, learnt or said: who is asked about as Kate is Emi."""
        from quipu.app.aliases import AsyncAliases  # noqa: PLC0415

        return self._room(AsyncAliases, lambda parts: AsyncAliases(parts.database, clock=self._clock))

    @property
    def archives(self) -> AsyncArchives:
        """Archives: a whole space, or what is one person's, written to open files and taken in."""
        from quipu.upkeep.archive.archive import AsyncArchives  # noqa: PLC0415

        everybody_only("Archives concern")
        return self._archives_as(AsyncArchives)

    def _archives_as(self, kind: type[_Archives]) -> _Archives:
        from quipu.kinds.tables.snapshot_source import SnapshotSource  # noqa: PLC0415
        from quipu.kinds.transcripts.jobs import QUIET, ask  # noqa: PLC0415
        from quipu.recall.search import file_all  # noqa: PLC0415
        from quipu.upkeep.archive.schemas import AgentSchemas  # noqa: PLC0415
        from quipu.upkeep.snapshots.capture import Capture  # noqa: PLC0415
        from quipu.upkeep.snapshots.shelf import Shelf  # noqa: PLC0415

        async def index(tx: SpaceTransaction) -> None:
            await ask(tx, now=self._clock.now() - QUIET)  # nobody speaks there any more

        def built(parts: Parts) -> _Archives:
            database, settings = parts.database, self._settings
            ground = SnapshotSource(database, parts.models, parts.logins)
            capture = Capture(database, settings, ground, Shelf.of(settings, database.url), self._clock)
            schemas = AgentSchemas(database, capture, self.snapshots)
            erasers = [kind.eraser for kind in reversed(KINDS)]

            async def file(space: str, known: KnownVectors) -> None:
                with parts.models.knowing(known):
                    await file_all(database, parts.models, space, BEHIND)

            return kind(database, schemas, erasers, clock=self._clock, cites=CITES, file=file, after=(index,))

        return self._room(kind, built)

    @property
    def conversations(self) -> AsyncConversations:
        """Conversations: their status, topics, threads and exchanges; prompts that wait for an answer."""
        from quipu.kinds.episodes.conversations.conversations import AsyncConversations  # noqa: PLC0415

        return self._room(
            AsyncConversations,
            lambda parts: AsyncConversations(parts.database, clock=self._clock, settings=self._settings),
        )

    @property
    def corrections(self) -> AsyncCorrections:
        """Corrections: derived statements that are wrong, and are not made of the same words again."""
        from quipu.app.corrections import AsyncCorrections  # noqa: PLC0415

        return self._room(
            AsyncCorrections,
            lambda parts: AsyncCorrections(
                parts.database, parts.models, DERIVED, clock=self._clock, settings=self._settings
            ),
        )

    @property
    def databases(self) -> AsyncDatabases:
        """Databases of a directory, in which the spaces lie: listed, added, drained; spaces moved."""
        from quipu.app.directory.databases import AsyncDatabases  # noqa: PLC0415

        everybody_only("Databases concern")
        return self._room(AsyncDatabases, lambda _: AsyncDatabases(self._router))

    @property
    def imports(self) -> AsyncImports:
        """Imports: what other systems remember, taken in with its origin, shown, and taken out again."""
        from quipu.app.imports.imports import AsyncImports  # noqa: PLC0415
        from quipu.app.imports.origins import Means  # noqa: PLC0415

        everybody_only("Imports may hold memories of")

        def built(parts: Parts) -> AsyncImports:
            means = Means(
                database=parts.database,
                record=parts.record,
                models=parts.models,
                lessons=self.lessons,
                clock=self._clock,
                settings=self._settings,
            )

            async def catch_up(space: str) -> None:
                for kind in KINDS:
                    if kind.catch_up is not None:
                        await kind.catch_up(parts.database, parts.models, space)

            return AsyncImports(means, ERASERS, catch_up)

        return self._room(AsyncImports, built)

    @property
    def keys(self) -> AsyncKeys:
        """API keys: who may reach this memory through a server, and what for."""
        from quipu.upkeep.keys.keys import AsyncKeys  # noqa: PLC0415

        return self._room(AsyncKeys, lambda parts: AsyncKeys(parts.database, clock=self._clock))

    @property
    def ledger(self) -> AsyncLedger:
        """Facts and assumptions: what is known of a session or a person, how, and since when."""
        from quipu.kinds.ledger.ledger import AsyncLedger  # noqa: PLC0415

        return self._room(
            AsyncLedger,
            lambda parts: AsyncLedger(
                parts.database, clock=self._clock, settings=self._settings, erasers=ERASERS
            ),
        )

    @property
    def evidence(self) -> AsyncEvidence:
        """Recommendations that an application made, and the evidence that they rest on."""
        from quipu.kinds.ledger.evidence.evidence import AsyncEvidence  # noqa: PLC0415

        return self._room(
            AsyncEvidence,
            lambda parts: AsyncEvidence(parts.database, clock=self._clock, redact=self._settings.redact),
        )

    @property
    def trace(self) -> AsyncTrace:
        """Traces of tools and sources in sessions: written down here, counted by the views of the ledger."""
        from quipu.kinds.ledger.evidence.trace import AsyncTrace  # noqa: PLC0415

        return self._room(
            AsyncTrace,
            lambda parts: AsyncTrace(
                parts.database, parts.models, clock=self._clock, redact=self._settings.redact
            ),
        )

    @property
    def lessons(self) -> AsyncLessons:
        """Lessons: drawn from recorded sessions or written by hand, ageing, to be searched and edited."""
        from quipu.kinds.transcripts.lessons.lessons import AsyncLessons  # noqa: PLC0415

        everybody_only("Lessons concern")

        return self._room(
            AsyncLessons,
            lambda parts: AsyncLessons(
                parts.database, parts.models, parts.search, clock=self._clock, settings=self._settings
            ),
        )

    @property
    def transcripts(self) -> AsyncTranscripts:
        """Recorded sessions of coding agents: taking them in, and what they hold."""
        from quipu.kinds.transcripts.transcripts import AsyncTranscripts  # noqa: PLC0415

        everybody_only("Recorded sessions concern")

        return self._room(
            AsyncTranscripts,
            lambda parts: AsyncTranscripts(
                parts.database, parts.models, search=parts.search, clock=self._clock, settings=self._settings
            ),
        )

    @property
    def documents(self) -> AsyncDocumentFiles:
        """Documents: JSON values, texts and files at a path under a key, with versions and metadata."""
        from quipu.kinds.documents.files.sync import AsyncDocumentFiles  # noqa: PLC0415

        return self._room(
            AsyncDocumentFiles,
            lambda parts: AsyncDocumentFiles(
                parts.database, parts.models, parts.search, clock=self._clock, settings=self._settings
            ),
        )

    @property
    def longterm(self) -> AsyncLongterm:
        """Long-term memories: what to know about a person before answering, kept, changed and recovered."""
        from quipu.kinds.longterm.longterm import AsyncLongterm  # noqa: PLC0415

        return self._room(
            AsyncLongterm,
            lambda parts: AsyncLongterm(
                parts.database, parts.models, parts.search, clock=self._clock, settings=self._settings
            ),
        )

    @property
    def episodes(self) -> AsyncEpisodes:
        """Episodes: what conversations condensed into, how it fades, and what keeps it."""
        from quipu.kinds.episodes.episodes import AsyncEpisodes  # noqa: PLC0415

        return self._room(
            AsyncEpisodes,
            lambda parts: AsyncEpisodes(
                parts.database, parts.models, parts.search, clock=self._clock, settings=self._settings
            ),
        )

    @property
    def loops(self) -> AsyncLoops:
        """Open loops: what was asked, promised, given to do or waited for, until it is resolved."""
        from quipu.kinds.episodes.extraction.loops.loops import AsyncLoops  # noqa: PLC0415

        return self._room(
            AsyncLoops,
            lambda parts: AsyncLoops(parts.database, clock=self._clock, settings=self._settings),
        )

    @property
    def beliefs(self) -> AsyncBeliefs:
        """Beliefs about people, with their history and the conflicts that can be asked about."""
        from quipu.kinds.episodes.extraction.beliefs.beliefs import AsyncBeliefs  # noqa: PLC0415

        return self._room(
            AsyncBeliefs,
            lambda parts: AsyncBeliefs(
                parts.database, parts.models, clock=self._clock, settings=self._settings
            ),
        )

    @property
    def tables(self) -> AsyncTables:
        """Tables that agents design themselves: made, filled and asked in SQL."""
        from quipu.kinds.tables.embedding.follow import Follower  # noqa: PLC0415
        from quipu.kinds.tables.tables import AsyncTables  # noqa: PLC0415

        everybody_only("Tables of agents concern")

        return self._room(
            AsyncTables,
            lambda parts: AsyncTables(
                parts.database,
                parts.models,
                parts.logins,
                settings=self._settings,
                follow=Follower(parts.database, parts.models, parts.logins).follow,
            ),
        )

    @property
    def settings(self) -> AsyncSettings:
        """Settings of the whole database or of a space: listed, set, and taken back."""
        from quipu.upkeep.settings.settings import AsyncSettings  # noqa: PLC0415

        return self._room(
            AsyncSettings,
            lambda parts: AsyncSettings(parts.database, REGISTER, clock=self._clock),
        )

    @property
    def queue(self) -> AsyncQueue:
        """The jobs of all spaces: what waits, what was given up, and what to do about it."""
        from quipu.app.queue import AsyncQueue  # noqa: PLC0415

        everybody_only("Jobs concern")

        return self._room(
            AsyncQueue,
            lambda parts: AsyncQueue(parts.database.url, clock=self._clock, settings=self._settings),
        )

    @property
    def receipts(self) -> AsyncReceipts:
        """Signed receipts of what was erased, and the key that verifies them."""
        from quipu.upkeep.erasure.archive import AsyncReceipts  # noqa: PLC0415

        return self._room(AsyncReceipts, lambda parts: AsyncReceipts(parts.database))

    @property
    def rules(self) -> AsyncRules:
        """Standing rules: what users told an assistant to do from now on, until they take it back."""
        from quipu.record.standing.room import AsyncRules  # noqa: PLC0415

        return self._room(
            AsyncRules,
            lambda parts: AsyncRules(parts.database, clock=self._clock, settings=self._settings),
        )

    @property
    def signins(self) -> AsyncSignIns:
        """Browsers that are signed in to a server of this memory, and the links that sign them in."""
        from quipu.upkeep.keys.signins import AsyncSignIns  # noqa: PLC0415

        return self._room(AsyncSignIns, lambda parts: AsyncSignIns(parts.database, clock=self._clock))

    @property
    def snapshots(self) -> AsyncSnapshots:
        """Snapshots of the tables of agents: taken, listed, put back; dumps handed out and taken in."""
        from quipu.kinds.tables.snapshot_source import SnapshotSource  # noqa: PLC0415
        from quipu.upkeep.snapshots.snapshots import AsyncSnapshots  # noqa: PLC0415

        everybody_only("Snapshots concern")

        return self._room(
            AsyncSnapshots,
            lambda parts: AsyncSnapshots(
                parts.database,
                SnapshotSource(parts.database, parts.models, parts.logins),
                settings=self._settings,
                clock=self._clock,
            ),
        )

    async def marks(self, *, space: Space) -> Marks:
        """Return the marks of memory that a space puts into prompts; whoever has them can mark any words."""
        return await self._ready.answering.marks(space)

    def _room(self, kind: type[_Room], build: Callable[[Parts], _Room]) -> _Room:
        if kind.__name__ not in self._rooms:
            room = build(self._ready)
            self._rooms[kind.__name__] = room if self._router is None else self._router.room(room)
        return cast("_Room", self._rooms[kind.__name__])
