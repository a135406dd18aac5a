"""The blocking face: the methods of the async classes, without await.

Written by tools/make_sync.py; do not edit. The truth is in

- quipu.app.aliases
- quipu.app.contents
- quipu.app.corrections
- quipu.app.directory.databases
- quipu.app.erasure
- quipu.app.imports.imports
- quipu.app.memory
- quipu.app.messages
- quipu.app.queue
- quipu.app.relations
- quipu.app.rooms
- quipu.app.tending
- quipu.app.timeline
- quipu.kinds.documents.documents
- quipu.kinds.documents.files.sync
- quipu.kinds.documents.lookup
- quipu.kinds.episodes.conversations.conversations
- quipu.kinds.episodes.episodes
- quipu.kinds.episodes.extraction.beliefs.beliefs
- quipu.kinds.episodes.extraction.loops.loops
- quipu.kinds.episodes.prompts.prompts
- quipu.kinds.ledger.evidence.evidence
- quipu.kinds.ledger.evidence.trace
- quipu.kinds.ledger.ledger
- quipu.kinds.ledger.lookup
- quipu.kinds.ledger.retention.retention
- quipu.kinds.longterm.evaluation.evaluation
- quipu.kinds.longterm.evaluation.remember
- quipu.kinds.longterm.longterm
- quipu.kinds.longterm.lookup
- quipu.kinds.longterm.recovery
- quipu.kinds.longterm.sqlite.exchange
- quipu.kinds.tables.browse.browse
- quipu.kinds.tables.schemas
- quipu.kinds.tables.tables
- quipu.kinds.transcripts.bootstrap.service
- quipu.kinds.transcripts.browse.browse
- quipu.kinds.transcripts.browse.counts
- quipu.kinds.transcripts.lessons.lessons
- quipu.kinds.transcripts.sqlite.exchange
- quipu.kinds.transcripts.transcripts
- quipu.record.standing.room
- quipu.upkeep.answers.answers
- quipu.upkeep.archive.archive
- quipu.upkeep.erasure.archive
- quipu.upkeep.keys.keys
- quipu.upkeep.keys.signins
- quipu.upkeep.settings.settings
- quipu.upkeep.snapshots.snapshots
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime
    from os import PathLike
    from pathlib import Path
    from types import TracebackType
    from typing import Any, Literal, Self
    from uuid import UUID

    from quipu.app.aliases import AsyncAliases
    from quipu.app.contents import AsyncContents
    from quipu.app.corrections import AsyncCorrections
    from quipu.app.directory.databases import AsyncDatabases, DatabaseEntry
    from quipu.app.directory.moves import Moved
    from quipu.app.entries import Used
    from quipu.app.erasure import AsyncErasures
    from quipu.app.imports.imports import AsyncImports
    from quipu.app.imports.model import Import, ImportedRecord, ImportReport, ImportUndone
    from quipu.app.messages import AsyncMessages
    from quipu.app.queue import AsyncQueue, Purge
    from quipu.app.relations import AsyncRelations
    from quipu.app.rooms import AsyncRooms
    from quipu.app.tending import AsyncTending
    from quipu.app.timeline import AsyncTimeline
    from quipu.kernel.base.clock import Clock
    from quipu.kernel.base.parameters import ListState
    from quipu.kernel.base.portal import Portal
    from quipu.kernel.base.text import Marks
    from quipu.kernel.config import Settings
    from quipu.kernel.queue.model import Look, QueueStatus, Worked
    from quipu.kinds.documents.documents import AsyncDocuments
    from quipu.kinds.documents.files.model import FilesSynced
    from quipu.kinds.documents.files.sync import AsyncDocumentFiles
    from quipu.kinds.documents.lookup import AsyncDocumentLookup
    from quipu.kinds.documents.model import (
        BatchAnswer,
        Document,
        DocumentOrder,
        DocumentPath,
        DocumentVersion,
        FieldValue,
        FoundDocument,
        Metric,
        Passage,
    )
    from quipu.kinds.episodes.conversations.conversations import AsyncConversations
    from quipu.kinds.episodes.conversations.model import (
        Conversation,
        ConversationStatus,
        Dialogue,
        Thread,
        Topic,
    )
    from quipu.kinds.episodes.decay.model import (
        Condensation,
        Episode,
        EpisodeCurve,
        EpisodeMessage,
        EpisodeStats,
        EpisodeVersion,
        FoundEpisode,
        Order,
    )
    from quipu.kinds.episodes.episodes import AsyncEpisodes
    from quipu.kinds.episodes.extraction.beliefs.beliefs import AsyncBeliefs
    from quipu.kinds.episodes.extraction.beliefs.model import Belief, BeliefSource, Conflict
    from quipu.kinds.episodes.extraction.loops.loops import AsyncLoops
    from quipu.kinds.episodes.extraction.loops.model import Loop, LoopKind, Outcome
    from quipu.kinds.episodes.prompts.model import Prompt, PromptStatus
    from quipu.kinds.episodes.prompts.prompts import AsyncPrompts
    from quipu.kinds.ledger.evidence.evidence import AsyncEvidence
    from quipu.kinds.ledger.evidence.model import (
        CheckStatus,
        CompetitorCheck,
        Confidence,
        EvidenceReference,
        EvidenceSource,
        FallbackKind,
        FetchedSource,
        Recommendation,
        ReviewedEntity,
        ReviewReading,
        RunStatus,
        ShownEvidence,
        SourceStatus,
        ThemeCount,
        ToolSource,
    )
    from quipu.kinds.ledger.evidence.trace import AsyncTrace
    from quipu.kinds.ledger.facts import Callback
    from quipu.kinds.ledger.ledger import AsyncLedger
    from quipu.kinds.ledger.lookup import AsyncLookup
    from quipu.kinds.ledger.model import (
        AssumedCap,
        Change,
        Difference,
        Event,
        Namespace,
        Rebuilt,
        RegisteredKey,
        Scope,
        StatedSource,
        Value,
    )
    from quipu.kinds.ledger.retention.model import RetentionReport
    from quipu.kinds.ledger.retention.retention import AsyncRetention
    from quipu.kinds.ledger.sessions import CardType, Status
    from quipu.kinds.ledger.signals.model import Review, ReviewEvidence, ReviewSignals, Theme
    from quipu.kinds.longterm.evaluation.agent import AgentClaim, ClaimOutcomes
    from quipu.kinds.longterm.evaluation.evaluation import AsyncEvaluations
    from quipu.kinds.longterm.evaluation.model import Applied, Evaluator, EvaluatorName, SessionEvaluation
    from quipu.kinds.longterm.evaluation.remember import AsyncAgentClaims
    from quipu.kinds.longterm.longterm import AsyncLongterm
    from quipu.kinds.longterm.lookup import AsyncLongtermLookup
    from quipu.kinds.longterm.model import (
        ArchivedMemories,
        AuditAct,
        AuditLine,
        Category,
        Evaluation,
        FoundMemory,
        Importance,
        LongtermMemory,
        MemoryCount,
        MemoryRevision,
        MemorySource,
    )
    from quipu.kinds.longterm.recovery import AsyncRecovery
    from quipu.kinds.longterm.sati import Recovered, SatiEvaluationInput, SatiMemoryResult, SatiRetrievalInput
    from quipu.kinds.longterm.sqlite.exchange import AsyncMemoryFiles, MemoriesExported, MemoriesImported
    from quipu.kinds.tables import tools
    from quipu.kinds.tables.browse.browse import (
        AsyncBrowsing,
        EmbeddedField,
        ForeignKey,
        NearRow,
        TableRow,
        TableRows,
    )
    from quipu.kinds.tables.model import (
        Changed,
        Done,
        DroppedSchema,
        Grant,
        Listing,
        Permission,
        Schema,
        Selected,
    )
    from quipu.kinds.tables.recreate import Recreated
    from quipu.kinds.tables.schemas import AsyncSchemas
    from quipu.kinds.tables.system_prompt import Briefing
    from quipu.kinds.tables.tables import AsyncTables, Data, Where
    from quipu.kinds.transcripts.bootstrap.model import Bootstrap
    from quipu.kinds.transcripts.bootstrap.service import AsyncBootstrap
    from quipu.kinds.transcripts.browse.browse import AsyncBrowse
    from quipu.kinds.transcripts.browse.counts import AsyncCounts
    from quipu.kinds.transcripts.browse.model import (
        CompactedOutput,
        IndexedTexts,
        Part,
        QueryRows,
        QueryTable,
        RecordedSession,
        Role,
        Sort,
        ToolUse,
        TouchedFile,
        Transcript,
        TranscriptHits,
        TranscriptMatches,
        TranscriptStats,
    )
    from quipu.kinds.transcripts.extract.model import Extractor
    from quipu.kinds.transcripts.lessons.lessons import AsyncLessons, SessionProgress
    from quipu.kinds.transcripts.lessons.model import (
        ExtractionReport,
        FoundLesson,
        Lesson,
        LessonSource,
        Pruned,
        State,
    )
    from quipu.kinds.transcripts.sqlite.exchange import AsyncExchange
    from quipu.kinds.transcripts.sqlite.model import Exported, Imported, Migrated
    from quipu.kinds.transcripts.sync.model import Pending, SyncReport
    from quipu.kinds.transcripts.transcripts import AsyncTranscripts, Paths
    from quipu.recall.model import Hit
    from quipu.recall.ranking import Answer
    from quipu.recall.render import Block, Origin, Why
    from quipu.recall.timeline import Gathered
    from quipu.record.aliases import Alias
    from quipu.record.corrections.model import CorrectedKind, Correction, RuleCount
    from quipu.record.model import Indexing, Progress, Refusal, Report, SessionMessage
    from quipu.record.replacements import Replacement
    from quipu.record.standing.model import RuleSource, StandingRule
    from quipu.record.standing.room import AsyncRules
    from quipu.record.store import Session
    from quipu.upkeep.answers.answers import Asking, AsyncAnswers, KeptAnswer
    from quipu.upkeep.archive.archive import ArchiveLoaded, ArchiveWritten, AsyncArchives
    from quipu.upkeep.archive.export import OnRecords
    from quipu.upkeep.archive.formats.conversion import ArchiveFormat
    from quipu.upkeep.erasure.archive import AsyncReceipts
    from quipu.upkeep.erasure.limits import OnRead
    from quipu.upkeep.erasure.model import Checked, Erasure, PublicKey, Receipt
    from quipu.upkeep.erasure.rewrite import Rewritten
    from quipu.upkeep.health import Health
    from quipu.upkeep.keys.keys import AsyncKeys
    from quipu.upkeep.keys.model import Issued, Key, Level
    from quipu.upkeep.keys.signins import AsyncSignIns
    from quipu.upkeep.overview import Overview, SpaceCounts
    from quipu.upkeep.reembed.reembed import ReembedPlan, ReembedReport
    from quipu.upkeep.settings.model import SettingState, SettingValue
    from quipu.upkeep.settings.settings import AsyncSettings
    from quipu.upkeep.snapshots.load import BytesRead
    from quipu.upkeep.snapshots.model import HandedOut, Restored, Snapshot, Thinned
    from quipu.upkeep.snapshots.snapshots import AsyncSnapshots


__all__ = [
    "AgentClaims",
    "Aliases",
    "Answers",
    "Archives",
    "Beliefs",
    "Bootstrapping",
    "Browse",
    "Browsing",
    "Contents",
    "Conversations",
    "Corrections",
    "Databases",
    "DocumentFiles",
    "DocumentLookup",
    "Documents",
    "Episodes",
    "Erasures",
    "Evaluations",
    "Evidence",
    "Exchange",
    "Imports",
    "Keys",
    "Ledger",
    "Lessons",
    "Longterm",
    "LongtermLookup",
    "Lookup",
    "Loops",
    "Memory",
    "MemoryFiles",
    "Messages",
    "Prompts",
    "Queue",
    "Receipts",
    "Recovery",
    "Relations",
    "Retention",
    "Rooms",
    "Rules",
    "Schemas",
    "SignIns",
    "Snapshots",
    "StoredSettings",
    "Tables",
    "Tending",
    "Timeline",
    "Trace",
    "TranscriptCounts",
    "Transcripts",
]


class Prompts:
    """Prompts: put in here, answered by a worker."""

    def __init__(self, inner: AsyncPrompts, portal: Portal) -> None:
        self._inner = inner
        self._portal = portal

    def prompt(self, text: str, *, space: str, session: str, user: str | None = None) -> Prompt:
        """Have a worker answer a prompt, with what is remembered, and write both down.

        It waits in the queue (topic `prompt_queue`); the call returns at once. Secrets in it are taken out.

        Raises:
            BadInput: It is empty, too long, or only memory that was recalled.
        """
        return self._portal.call(lambda: self._inner.prompt(text, space=space, session=session, user=user))

    def answer(self, session: str, *, space: str) -> Prompt:
        """Have a worker answer the last message of a conversation (topic `chat_history`).

        Raises:
            NotFound: There is no such session, or its last message is not a user's.
        """
        return self._portal.call(lambda: self._inner.answer(session, space=space))

    def prompts(
        self, *, space: str, session: str | None = None, status: PromptStatus | None = None, limit: int = 50
    ) -> Sequence[Prompt]:
        """List prompts with their answers, the latest first.

        Raises:
            BadInput: An argument is invalid; the error names it.
        """
        return self._portal.call(
            lambda: self._inner.prompts(space=space, session=session, status=status, limit=limit)
        )

    def await_reply(self, prompt: UUID | str, *, space: str, timeout_seconds: float = 60.0) -> Prompt:
        """Wait until a prompt is answered or has failed, and return it; ``waiting`` when the time is over.

        Raises:
            NotFound: There is no such prompt.
            BadInput: ``timeout_seconds`` is not 0 to 3,600.
        """
        return self._portal.call(
            lambda: self._inner.await_reply(prompt, space=space, timeout_seconds=timeout_seconds)
        )


class Conversations(Prompts):
    """Look up conversations: sessions with a status, a topic and a thread, and what each exchange yields.

    A worker reads what ``observe`` took in; without one, ``memory.work()`` does.
    """

    def __init__(self, inner: AsyncConversations, portal: Portal) -> None:
        self._inner = inner
        self._portal = portal

    def list(
        self,
        *,
        space: str,
        user: str | None = None,
        topic: str | None = None,
        status: ConversationStatus | Literal["all"] = "active",
        limit: int = 50,
        offset: int = 0,
    ) -> Sequence[Conversation]:
        """List conversations, the latest first.

        Raises:
            BadInput: An argument is invalid; the error names it.
        """
        return self._portal.call(
            lambda: self._inner.list(
                space=space, user=user, topic=topic, status=status, limit=limit, offset=offset
            )
        )

    def get(self, session: str, *, space: str) -> Dialogue:
        """Show a conversation with its messages and exchanges, the oldest first, up to 10,000 of each.

        Raises:
            NotFound: There is no such conversation.
        """
        return self._portal.call(lambda: self._inner.get(session, space=space))

    def edit(
        self,
        session: str,
        *,
        space: str,
        title: str | None = None,
        topic: str | None = None,
        status: ConversationStatus | None = None,
    ) -> Conversation:
        """Change the title, topic or status of a conversation.

        What is not given stays. Secrets are taken out. The messages stay, whatever the status;
        `forget` erases them.

        Raises:
            NotFound: There is no such conversation.
            BadInput: Nothing is given, or an argument is invalid; the error names it.
        """
        return self._portal.call(
            lambda: self._inner.edit(session, space=space, title=title, topic=topic, status=status)
        )

    def archive(self, session: str, *, space: str) -> Conversation:
        """Archive a conversation, so that it is not listed any more.

        Nothing is lost, and what is said there is still read; `unarchive` brings it back.

        Raises:
            NotFound: There is no such conversation.
        """
        return self._portal.call(lambda: self._inner.archive(session, space=space))

    def unarchive(self, session: str, *, space: str) -> Conversation:
        """Bring an archived or deleted conversation back, and read what was said meanwhile.

        Raises:
            NotFound: There is no such conversation.
        """
        return self._portal.call(lambda: self._inner.unarchive(session, space=space))

    def threads(
        self, *, space: str, user: str | None = None, session: str | None = None, limit: int = 50
    ) -> Sequence[Thread]:
        """List threads, the latest first: runs of exchanges in a channel without a long pause.

        Raises:
            BadInput: An argument is invalid; the error names it.
        """
        return self._portal.call(
            lambda: self._inner.threads(space=space, user=user, session=session, limit=limit)
        )

    def topics(self, *, space: str, user: str | None = None, limit: int = 50) -> Sequence[Topic]:
        """List topics of conversation, the latest first.

        Raises:
            BadInput: An argument is invalid; the error names it.
        """
        return self._portal.call(lambda: self._inner.topics(space=space, user=user, limit=limit))

    def reread(self, *, space: str, session: str | None = None) -> int:
        """Have exchanges read again by the present reader, and return of how many sessions.

        Use it when a language model was configured, or the rules have become better. Exchanges that the
        present reader has read are left alone; all keep their ids. A worker does it.
        """
        return self._portal.call(lambda: self._inner.reread(space=space, session=session))


class Rooms:
    """One property for each kind of memory.

    A kind is imported in its property, not at the top: most programs that recall never write a fact or read
    a transcript, and should not wait for what that needs.
    """

    def __init__(self, inner: AsyncRooms, portal: Portal) -> None:
        self._inner = inner
        self._portal = portal

    @property
    def answers(self) -> Answers:
        """Answers that a server gave, kept for a day, so that a repeated request is not done twice."""
        return Answers(self._portal.opened(self._inner).answers, self._portal)

    @property
    def aliases(self) -> Aliases:
        """Other names of people, learnt or said: who is asked about as Kate is Emi."""
        return Aliases(self._portal.opened(self._inner).aliases, self._portal)

    @property
    def archives(self) -> Archives:
        """Archives: a whole space, or what is one person's, written to open files and taken in."""
        return Archives(self._portal.opened(self._inner).archives, self._portal)

    @property
    def conversations(self) -> Conversations:
        """Conversations: their status, topics, threads and exchanges; prompts that wait for an answer."""
        return Conversations(self._portal.opened(self._inner).conversations, self._portal)

    @property
    def corrections(self) -> Corrections:
        """Corrections: derived statements that are wrong, and are not made of the same words again."""
        return Corrections(self._portal.opened(self._inner).corrections, self._portal)

    @property
    def databases(self) -> Databases:
        """Databases of a directory, in which the spaces lie: listed, added, drained; spaces moved."""
        return Databases(self._portal.opened(self._inner).databases, self._portal)

    @property
    def imports(self) -> Imports:
        """Imports: what other systems remember, taken in with its origin, shown, and taken out again."""
        return Imports(self._portal.opened(self._inner).imports, self._portal)

    @property
    def keys(self) -> Keys:
        """API keys: who may reach this memory through a server, and what for."""
        return Keys(self._portal.opened(self._inner).keys, self._portal)

    @property
    def ledger(self) -> Ledger:
        """Facts and assumptions: what is known of a session or a person, how, and since when."""
        return Ledger(self._portal.opened(self._inner).ledger, self._portal)

    @property
    def evidence(self) -> Evidence:
        """Recommendations that an application made, and the evidence that they rest on."""
        return Evidence(self._portal.opened(self._inner).evidence, self._portal)

    @property
    def trace(self) -> Trace:
        """Traces of tools and sources in sessions: written down here, counted by the views of the ledger."""
        return Trace(self._portal.opened(self._inner).trace, self._portal)

    @property
    def lessons(self) -> Lessons:
        """Lessons: drawn from recorded sessions or written by hand, ageing, to be searched and edited."""
        return Lessons(self._portal.opened(self._inner).lessons, self._portal)

    @property
    def transcripts(self) -> Transcripts:
        """Recorded sessions of coding agents: taking them in, and what they hold."""
        return Transcripts(self._portal.opened(self._inner).transcripts, self._portal)

    @property
    def documents(self) -> DocumentFiles:
        """Documents: JSON values, texts and files at a path under a key, with versions and metadata."""
        return DocumentFiles(self._portal.opened(self._inner).documents, self._portal)

    @property
    def longterm(self) -> Longterm:
        """Long-term memories: what to know about a person before answering, kept, changed and recovered."""
        return Longterm(self._portal.opened(self._inner).longterm, self._portal)

    @property
    def episodes(self) -> Episodes:
        """Episodes: what conversations condensed into, how it fades, and what keeps it."""
        return Episodes(self._portal.opened(self._inner).episodes, self._portal)

    @property
    def loops(self) -> Loops:
        """Open loops: what was asked, promised, given to do or waited for, until it is resolved."""
        return Loops(self._portal.opened(self._inner).loops, self._portal)

    @property
    def beliefs(self) -> Beliefs:
        """Beliefs about people, with their history and the conflicts that can be asked about."""
        return Beliefs(self._portal.opened(self._inner).beliefs, self._portal)

    @property
    def tables(self) -> Tables:
        """Tables that agents design themselves: made, filled and asked in SQL."""
        return Tables(self._portal.opened(self._inner).tables, self._portal)

    @property
    def settings(self) -> StoredSettings:
        """Settings of the whole database or of a space: listed, set, and taken back."""
        return StoredSettings(self._portal.opened(self._inner).settings, self._portal)

    @property
    def queue(self) -> Queue:
        """The jobs of all spaces: what waits, what was given up, and what to do about it."""
        return Queue(self._portal.opened(self._inner).queue, self._portal)

    @property
    def receipts(self) -> Receipts:
        """Signed receipts of what was erased, and the key that verifies them."""
        return Receipts(self._portal.opened(self._inner).receipts, self._portal)

    @property
    def rules(self) -> Rules:
        """Standing rules: what users told an assistant to do from now on, until they take it back."""
        return Rules(self._portal.opened(self._inner).rules, self._portal)

    @property
    def signins(self) -> SignIns:
        """Browsers that are signed in to a server of this memory, and the links that sign them in."""
        return SignIns(self._portal.opened(self._inner).signins, self._portal)

    @property
    def snapshots(self) -> Snapshots:
        """Snapshots of the tables of agents: taken, listed, put back; dumps handed out and taken in."""
        return Snapshots(self._portal.opened(self._inner).snapshots, self._portal)

    def marks(self, *, space: str) -> Marks:
        """Return the marks of memory that a space puts into prompts; whoever has them can mark any words."""
        return self._portal.call(lambda: self._inner.marks(space=space))


class Erasures(Rooms):
    """Methods of a memory that forget, and that prove it."""

    def __init__(self, inner: AsyncErasures, portal: Portal) -> None:
        self._inner = inner
        self._portal = portal

    def forget(
        self,
        *,
        space: str,
        session: str | None = None,
        user: str | None = None,
        message: str | None = None,
        names: Sequence[str] = (),
        everywhere: bool = False,
        confirm: bool = False,
    ) -> Erasure:
        """Forget a session, a person, a message, or the whole space if none is named.

        Without ``confirm`` it is a preview: how many rows of what would go. With it, everything goes at
        once, from every table and index, and the receipt that comes back is kept without any content.

        Where a person is forgotten, their names are looked for in the tables of agents and in what others
        said, and ``left`` says where they stand: their id, the names that only their messages carry, and
        ``names`` that you add (other spellings, numbers, addresses). With ``everywhere`` they are taken out
        there: rows of agents' tables of which a value is a name go, and memories that have a name in them;
        elsewhere ``[erased]`` takes its place, and what was made of such words is made again.

        Raises BadInput where an argument cannot be taken.
        """
        return self._portal.call(
            lambda: self._inner.forget(
                space=space,
                session=session,
                user=user,
                message=message,
                names=names,
                everywhere=everywhere,
                confirm=confirm,
            )
        )

    def rewrite_freed(self, receipt: str, *, space: str, confirm: bool = False) -> Rewritten:
        """Rewrite tables after an erasure, so that the data files no longer hold what was taken out.

        Without ``confirm`` it says how much that is. All our tables, the agents' tables of the space and the
        statistics are rewritten, each locked meanwhile, for rows that ordinary work freed before the
        erasure hold words as well; then the write-ahead log is written over. It takes once more the size of
        the largest table on the disk. A signed note to the receipt says that it was done, and `check_erasure`
        reads it.

        Raises:
            Conflict: transactions are open that still see what was erased.
            NotFound: there is no such receipt in the space.
        """
        return self._portal.call(lambda: self._inner.rewrite_freed(receipt, space=space, confirm=confirm))

    def check_erasure(
        self,
        receipt: str,
        strings: Sequence[str] = (),
        *,
        space: str,
        exports: Sequence[str | PathLike[str]] = (),
        after: str | None = None,
        seconds: float | None = None,
        most_bytes: int | None = None,
        of_all: bool = True,
        progress: OnRead | None = None,
    ) -> Checked:
        """Look again at the places that a receipt and its note name: what is still there, what is gone, what
        cannot be reached, and until when; with ``strings``, whether these stand there: no receipt holds them.

        Searched are the tables, the index and the agents' tables of the space as they read now; the snapshots
        of the space; of an embedded database also its data files, log and archive, the base backups and the
        rest of the home, as bytes; and ``exports``, files or directories that you name, in which files that
        were handed out are recognised under any name. What is packed (gzip, bzip2, xz, zstd, tar, zip) is
        unpacked. Long texts are compressed in the files of the database: there they are not found as bytes.

        ``seconds`` and ``most_bytes`` are limits, at which the answer says where to go on: ``after``.
        ``of_all=False`` leaves out the files that belong to all spaces together. ``progress`` is told how
        many bytes more were read. A space that was forgotten whole is named as it was.

        Raises:
            BadInput: a string has less than 3 characters, they are too many, or a limit is not above 0.
            NotFound: there is no such receipt in the space.
        """
        return self._portal.call(
            lambda: self._inner.check_erasure(
                receipt,
                strings,
                space=space,
                exports=exports,
                after=after,
                seconds=seconds,
                most_bytes=most_bytes,
                of_all=of_all,
                progress=progress,
            )
        )


class Relations(Erasures):
    """Methods of a memory that link statements with those that they replace."""

    def __init__(self, inner: AsyncRelations, portal: Portal) -> None:
        self._inner = inner
        self._portal = portal

    def relate(
        self,
        newer: str,
        older: str,
        *,
        space: str,
        newer_session: str | None = None,
        older_session: str | None = None,
        reason: str | None = None,
    ) -> Replacement:
        """Say that a message replaces an earlier one, and return the link.

        Nothing is hidden: the older message stays and is found. A link that was removed holds again. Adding
        one again changes nothing but the reason.

        Raises:
            NotFound: there is no such message in the space.
            Conflict: the older message replaces the newer one already, perhaps by way of others.
            BadInput: both are the same, the older one was said later, or several messages have that id.
        """
        return self._portal.call(
            lambda: self._inner.relate(
                newer,
                older,
                space=space,
                newer_session=newer_session,
                older_session=older_session,
                reason=reason,
            )
        )

    def unrelate(
        self,
        newer: str,
        older: str,
        *,
        space: str,
        newer_session: str | None = None,
        older_session: str | None = None,
    ) -> Replacement:
        """Take back that a message replaces an earlier one, and return the link as it is kept.

        Both messages stay. The link is shown as removed, and no rule makes it again.

        Raises:
            NotFound: there is no such message in the space, or no link between the two that holds.
            BadInput: several messages have that id.
        """
        return self._portal.call(
            lambda: self._inner.unrelate(
                newer, older, space=space, newer_session=newer_session, older_session=older_session
            )
        )

    def relations(self, message: str, *, space: str, session: str | None = None) -> list[Replacement]:
        """Return the replacement links of a message, both ways, oldest first, removed ones included.

        Raises:
            NotFound: there is no such message in the space.
            BadInput: several messages have that id.
        """
        return self._portal.call(lambda: self._inner.relations(message, space=space, session=session))


class Timeline(Relations):
    """Method of a memory that gathers."""

    def __init__(self, inner: AsyncTimeline, portal: Portal) -> None:
        self._inner = inner
        self._portal = portal

    def gather(
        self,
        topic: str | None = None,
        *,
        space: str,
        user: str | None = None,
        session: str | None = None,
        speaker: str | None = None,
        kinds: Sequence[str] | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        filter: Mapping[str, object] | None = None,
        exchanges: bool = False,
        limit: int = 50,
        after: str | None = None,
    ) -> Gathered:
        """Gather everything about a topic, a person, a time or metadata, oldest first.

        Each memory is shown by a short passage. What scores at least 45 % of the best memory belongs to a
        topic; of a large topic these are the best 200 (or ``limit``, if that is more). ``about`` estimates
        how many there are in all; to see the others, gather one part of the time after the other. Without
        a topic it is everything of that person, session, time or filter. ``cursor`` is where the next part
        begins.

        Raises:
            BadInput: an argument is out of range, or nothing names what is to be gathered.
        """
        return self._portal.call(
            lambda: self._inner.gather(
                topic,
                space=space,
                user=user,
                session=session,
                speaker=speaker,
                kinds=kinds,
                since=since,
                until=until,
                filter=filter,
                exchanges=exchanges,
                limit=limit,
                after=after,
            )
        )


class Contents(Timeline):
    """Methods of a memory that tell what it holds."""

    def __init__(self, inner: AsyncContents, portal: Portal) -> None:
        self._inner = inner
        self._portal = portal

    def reminders(
        self,
        *,
        space: str,
        user: str | None = None,
        session: str | None = None,
        kinds: Sequence[str] | None = None,
    ) -> list[str]:
        """Return the open loops of a person, a session or the space, a line each, most urgent first.

        `recall_block` begins with these lines.
        """
        return self._portal.call(
            lambda: self._inner.reminders(space=space, user=user, session=session, kinds=kinds)
        )

    def used_lately(self, *, space: str, limit: int = 10) -> list[Used]:
        """Return the memories that agents used last: episodes, lessons, long-term memories.

        The latest use comes first; memories that are no longer found are left out.
        """
        return self._portal.call(lambda: self._inner.used_lately(space=space, limit=limit))

    def sessions(self, *, space: str, limit: int = 100, offset: int = 0) -> list[Session]:
        """Return the sessions of a space, latest first."""
        return self._portal.call(lambda: self._inner.sessions(space=space, limit=limit, offset=offset))

    def spaces(self, *, after: str | None = None, limit: int | None = None) -> list[SpaceCounts]:
        """Return every space of the database, by name, with how many memories and sessions it holds.

        Counting takes a millisecond for each space; pass ``limit`` and ``after`` (a name) to count a part of
        them.

        For whoever administers the database: it is the one call that is not kept to one space. It tells
        names and numbers, nothing that was said; but names are often people, so do not hand it to an agent.
        """
        return self._portal.call(lambda: self._inner.spaces(after=after, limit=limit))

    def space_names(self) -> list[str]:
        """Return the names of all spaces of the database, in order; quick, because nothing is counted.

        For whoever administers the database, as `spaces` is.
        """
        return self._portal.call(lambda: self._inner.space_names())

    def overview(self, *, space: str) -> Overview:
        """Count the memories of each kind in a space, and how many came in on, and tell of, each day."""
        return self._portal.call(lambda: self._inner.overview(space=space))

    def health(self) -> Health:
        """Return the server, the embedding model and the size of this memory."""
        return self._portal.call(lambda: self._inner.health())


class Messages(Contents):
    """Methods of a memory for the messages of one session."""

    def __init__(self, inner: AsyncMessages, portal: Portal) -> None:
        self._inner = inner
        self._portal = portal

    def messages(
        self,
        session: str,
        *,
        space: str,
        limit: int | None = None,
        after: str | None = None,
        before: str | None = None,
    ) -> list[SessionMessage]:
        """Return the messages of a session in order: the last ``limit``, or the first ``limit`` after one.

        A message that came with an ``item`` has it back as it was, and its text as ``content``.

        Raises:
            BadInput: an argument is out of range.
            NotFound: the session has no message with the id ``after`` or ``before``.
        """
        return self._portal.call(
            lambda: self._inner.messages(session, space=space, limit=limit, after=after, before=before)
        )

    def message(self, message: str, *, space: str, session: str | None = None) -> SessionMessage:
        """Return the message with an id; where several sessions have one, that of the latest session.

        Raises:
            NotFound: there is no such message, or it was taken back.
        """
        return self._portal.call(lambda: self._inner.message(message, space=space, session=session))

    def take_last(self, session: str, *, space: str) -> SessionMessage | None:
        """Take back the last message of a session and return it, if there is one.

        Several who call it at once each get another message. It is gone from every read and from recall at
        once, and can be restored until ``removed_days`` are over. What was derived from it stays: `forget`
        takes that too, for good.
        """
        return self._portal.call(lambda: self._inner.take_last(session, space=space))

    def clear(self, session: str, *, space: str) -> int:
        """Take back all messages of a session and return how many there were.

        They can be restored one by one, as after `take_last`.
        """
        return self._portal.call(lambda: self._inner.clear(session, space=space))

    def restore(self, message: str, *, space: str, session: str | None = None) -> SessionMessage:
        """Put a message that was taken back at its old place in its session, searchable again.

        Raises:
            NotFound: no message with that id was taken back, or its time is over.
            Conflict: the session has another message with that id by now.
        """
        return self._portal.call(lambda: self._inner.restore(message, space=space, session=session))


class Tending(Messages):
    """Methods of a memory for whoever keeps it running."""

    def __init__(self, inner: AsyncTending, portal: Portal) -> None:
        self._inner = inner
        self._portal = portal

    def reembed(
        self, model: str | None = None, *, progress: Progress | None = None, background: bool = False
    ) -> ReembedReport:
        """Change the embedding model of the whole database: to ``model``, or to that of the settings.

        Where the settings name none, it is the model that the database has, or was changing to.

        Everything goes on being searched and written meanwhile, by this process and by others. Each space is
        searched by its old vectors until all new ones are there. What was cut off is finished by asking for
        the same again, or by a worker.

        Raises:
            EmbeddingError: the model cannot be had or failed; the message says which one serves now.
            Conflict: another process is changing to another model.
        """
        return self._portal.call(lambda: self._inner.reembed(model, progress=progress, background=background))

    def reembed_plan(self, model: str | None = None) -> ReembedPlan:
        """Return the cost of ``reembed``: the number of memories, the rough time, the disk space meanwhile.

        Raises:
            EmbeddingError: the model cannot be had or failed.
            MissingExtra: it is of an extra that is not installed.
        """
        return self._portal.call(lambda: self._inner.reembed_plan(model))

    def work(self, *, topics: Sequence[str] = (), concurrency: int = 2) -> Worked:
        """Do in this process what waits to be done, until nothing is due; what of it there was.

        Writes leave work behind: conversations to be condensed, facts to be found. ``quipu worker`` does it
        as it comes; a program without one calls this at a good moment. Jobs that fail
        are tried again later: by the next call, or by a worker.

        Raises:
            BadInput: nobody handles such a topic, or ``concurrency`` is not 1 to 100.
        """
        return self._portal.call(lambda: self._inner.work(topics=topics, concurrency=concurrency))

    def ready(self, *, seconds: float = 2.0) -> None:
        """Return where the database answers now, and no lock keeps it from being read.

        Raises:
            DatabaseUnavailable: not within so many seconds.
        """
        self._portal.call(lambda: self._inner.ready(seconds=seconds))


class Memory(Tending):
    """A memory for agents. Use it as ``with Memory() as memory``.

    Without arguments it is an embedded PostgreSQL under ``~/.quipu`` (or ``QUIPU_HOME``); ``url`` names a
    server instead (or ``QUIPU_DATABASE_URL``). With ``QUIPU_DIRECTORY_URL`` spaces lie in many databases, and
    each call goes to the one that has its space. Every call names the ``space`` it is about: what is in one
    space is never seen from another.
    """

    def __init__(
        self,
        home: str | PathLike[str] | None = None,
        url: str | None = None,
        *,
        settings: Settings | None = None,
        clock: Clock | None = None,
    ) -> None:
        # The one place where imports stand inside a function: `from quipu import Memory` must be quick, and
        # the database driver and numpy are needed only from here on.
        from quipu.app.memory import AsyncMemory  # noqa: PLC0415
        from quipu.kernel.base.portal import Portal  # noqa: PLC0415

        self._portal = Portal("Memory")
        self._inner = self._portal.host(lambda: AsyncMemory(home, url, settings=settings, clock=clock))

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            # The blocking face has this as it stands here, and imports nothing at its top.
            from quipu.app.hints import missing  # noqa: PLC0415

            raise missing(self, name)

    def __enter__(self) -> Self:
        self._portal.enter()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return self._portal.leave(kind, error, trace)

    def open(self) -> Self:
        """Open it now. Without this it opens at its first use; a second time nothing happens."""
        self._portal.open()
        return self

    def observe(
        self,
        messages: Iterable[Mapping[str, object]],
        *,
        space: str,
        session: str | None = None,
        user: str | None = None,
        verbatim: bool | None = None,
        index: Indexing = "now",
    ) -> Report:
        """Take in what was just said: stored, searchable and durable when this returns.

        ``messages`` are dicts with ``content`` and, where known, ``id, session, role, speaker, time, user``,
        ``metadata`` (an object to filter by) and ``item``, the message as it came: any JSON object. With an
        item the content may be left out: it is the text in it, or none. ``session`` and ``user`` hold for
        those that do not say. Messages of one session are understood in the context of each other; messages
        without a session stand alone.

        Secrets are cut out of content and items. With ``verbatim`` items keep theirs, unencrypted.

        With ``index="later"`` it returns sooner: the next recall, or a worker, embeds and indexes what
        waits; a recall does so for about a second, the latest first. A message that tells a standing rule,
        another name of somebody, or that an earlier statement holds no more, is indexed now.

        Raises:
            BadInput: a message cannot be taken (it names which and why); nothing was stored.
            Conflict: other words are stored under the same id; nothing was stored.
        """
        return self._portal.call(
            lambda: self._inner.observe(
                messages, space=space, session=session, user=user, verbatim=verbatim, index=index
            )
        )

    def import_messages(
        self,
        messages: Iterable[Mapping[str, object] | Refusal],
        *,
        space: str,
        progress: Progress | None = None,
        erased_too: bool = False,
    ) -> Report:
        """Take in recorded messages, keeping the caller's ids, sessions, speakers and times.

        What cannot be taken is refused and reported, the rest is stored. Importing the same again changes
        nothing, so an import that was cut off is finished by doing it again.

        What was forgotten is withheld and counted: messages, and of a session or person that was forgotten
        also the rest of what was said until then. ``erased_too`` takes it in again.
        """
        return self._portal.call(
            lambda: self._inner.import_messages(
                messages, space=space, progress=progress, erased_too=erased_too
            )
        )

    def recall(
        self,
        question: str,
        *,
        space: str,
        user: str | None = None,
        session: str | None = None,
        kinds: Sequence[str] | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        limit: int = 10,
        filter: Mapping[str, object] | None = None,
    ) -> Answer:
        """Return the memories that answer a question, best first, and whether it is known (`Answer`).

        ``since`` is included, ``until`` is not. The nearest standing rule is among ten. ``filter`` keeps to
        messages, long-term memories, lessons and documents of whose metadata it holds; other kinds have none.

        Raises:
            BadInput: an argument is out of range (``limit`` is 1 to 1,000).
        """
        return self._portal.call(
            lambda: self._inner.recall(
                question,
                space=space,
                user=user,
                session=session,
                kinds=kinds,
                since=since,
                until=until,
                limit=limit,
                filter=filter,
            )
        )

    def recall_many(
        self,
        questions: Sequence[str],
        *,
        space: str,
        user: str | None = None,
        session: str | None = None,
        kinds: Sequence[str] | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        limit: int = 10,
        filter: Mapping[str, object] | None = None,
    ) -> list[Answer]:
        """Answer many questions at once, as ``recall`` does; embed them together and keep their order."""
        return self._portal.call(
            lambda: self._inner.recall_many(
                questions,
                space=space,
                user=user,
                session=session,
                kinds=kinds,
                since=since,
                until=until,
                limit=limit,
                filter=filter,
            )
        )

    def recall_block(
        self,
        question: str,
        *,
        budget_tokens: int,
        space: str,
        user: str | None = None,
        session: str | None = None,
        kinds: Sequence[str] | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        limit: int | None = None,
        filter: Mapping[str, object] | None = None,
    ) -> Block:
        """Return the memories that answer a question as text for a prompt, within ``budget_tokens``.

        As many memories as fit are in it, best first, at most ``limit`` if you give one, under a heading for
        each day and session; a long one by the passage that answers. Where nothing is known it says so.

        It begins with the standing rules of the person (``memory.rules``), the nearest to the question first,
        then open loops of the person or the session (``memory.loops.remind``): each within a quarter of the
        budget, both within two fifths. It is marked as recalled memory: if it comes back unchanged in a
        message, it is not stored again. It has nothing invisible and nothing that begins a frame
        (``<system>``). Its memories count as used (``reinforce``).
        """
        return self._portal.call(
            lambda: self._inner.recall_block(
                question,
                budget_tokens=budget_tokens,
                space=space,
                user=user,
                session=session,
                kinds=kinds,
                since=since,
                until=until,
                limit=limit,
                filter=filter,
            )
        )

    def reinforce(self, hits: Iterable[Hit]) -> int:
        """Note that hits were of use, such as in a prompt: what ages does so from now. How many uses count.

        Being found changes nothing; that a memory was used again within an hour does not count either.
        """
        return self._portal.call(lambda: self._inner.reinforce(hits))

    def why(self, hit: Hit) -> Why:
        """Explain why a hit came back: each signal in a sentence, the shared words, the turns around it."""
        return self._portal.call(lambda: self._inner.why(hit))

    def close(self) -> None:
        """Give back connections and the model, and stop the embedded server if nobody else uses it."""
        self._portal.close()


class Aliases:
    """Other names of people: a question that has one finds what is known under the other.

    Some are learnt from plain statements, such as "everyone calls him Bo". They go with the message that told
    them, and with the person.
    """

    def __init__(self, inner: AsyncAliases, portal: Portal) -> None:
        self._inner = inner
        self._portal = portal

    def list(self, *, space: str, limit: int = 100, offset: int = 0) -> list[Alias]:
        """Return other names in order of the alphabet, with who said so."""
        return self._portal.call(lambda: self._inner.list(space=space, limit=limit, offset=offset))

    def add(self, alias: str, name: str, *, space: str) -> Alias:
        """Say that somebody has another name, and return it as it is kept. Adding it again changes nothing.

        Raises:
            BadInput: both are the same, or one of them is longer than 200 characters.
        """
        return self._portal.call(lambda: self._inner.add(alias, name, space=space))

    def erase(self, alias: str, name: str, *, space: str, confirm: bool = False) -> Alias:
        """Take another name away, learnt or said, and return it; it is learnt again if it is told again.

        Raises:
            NotFound: the person is not known by it.
        """
        return self._portal.call(lambda: self._inner.erase(alias, name, space=space, confirm=confirm))


class Queue:
    """The jobs of all spaces, for whoever administers the database: how they stand, and what was given up.

    Each call connects as the role that sees jobs and nothing else.
    """

    def __init__(self, inner: AsyncQueue, portal: Portal) -> None:
        self._inner = inner
        self._portal = portal

    def status(self) -> QueueStatus:
        """Show the jobs of each topic, the times of the schedules, and the workers.

        Every topic of this version is listed, and others that have jobs.
        """
        return self._portal.call(lambda: self._inner.status())

    def dead(self, *, topic: str | None = None, limit: int = 20) -> list[Look]:
        """List the jobs that were given up after too many failed tries, latest first.

        Raises:
            BadInput: `limit` is not 1 to 1,000, or there is no such topic.
        """
        return self._portal.call(lambda: self._inner.dead(topic=topic, limit=limit))

    def get(self, job: int) -> Look:
        """Get one job: its payload, how often it was tried, how it failed.

        Raises:
            NotFound: There is no such job (any more): it may be done.
        """
        return self._portal.call(lambda: self._inner.get(job))

    def retry(self, jobs: Sequence[int] | None = None, *, topic: str | None = None) -> int:
        """Try jobs that were given up once more, as if they were new. Return how many there are.

        Raises:
            BadInput: There is no such topic.
        """
        return self._portal.call(lambda: self._inner.retry(jobs, topic=topic))

    def purge(
        self,
        jobs: Sequence[int] | None = None,
        *,
        topic: str | None = None,
        waiting: bool = False,
        confirm: bool = False,
    ) -> Purge:
        """Throw away jobs that were given up, after a preview of how many would go.

        Raises:
            BadInput: There is no such topic.
        """
        return self._portal.call(
            lambda: self._inner.purge(jobs, topic=topic, waiting=waiting, confirm=confirm)
        )


class Databases:
    """The databases in which the spaces of a directory lie."""

    def __init__(self, inner: AsyncDatabases, portal: Portal) -> None:
        self._inner = inner
        self._portal = portal

    def list(self) -> list[DatabaseEntry]:
        """Return the databases in the order in which they were added, with their sizes.

        Raises:
            NotFound: there is no directory of databases.
        """
        return self._portal.call(lambda: self._inner.list())

    def add(self, name: str, address: str) -> DatabaseEntry:
        """Add a database, which is brought to this version's schema; new spaces may go there from now on.

        The first one may bring spaces that were made before, and may be the database of the directory itself.
        The address is kept as it is given: leave the password to a password file, or see that only the owner
        of the directory can read it.

        Raises:
            BadInput: the name or the address cannot be taken.
            Conflict: the name or the database is known, or its spaces may have numbers that others have.
            DatabaseUnavailable: nobody answers there.
            NotFound: there is no directory of databases.
        """
        return self._portal.call(lambda: self._inner.add(name, address))

    def drain(self, name: str, *, stop: bool = False) -> DatabaseEntry:
        """Give a database no new spaces from now on; those that it has stay until they are moved.

        Raises:
            NotFound: the directory has no such database.
        """
        return self._portal.call(lambda: self._inner.drain(name, stop=stop))

    def move(self, name: str, to: str, *, confirm: bool = False, progress: OnRecords | None = None) -> Moved:
        """Move a space with everything in it to another database; without ``confirm`` tell what would go.

        It is in one of the two at any moment, and keeps its ids, history and receipts. Reads are answered all
        the time; who writes to the space waits. What was cut off is finished by doing it again. Snapshots of
        agents' tables are files of the computer where they were taken, and stay there.

        Raises:
            NotFound: there is no such space, or no such database.
            Conflict: somebody else moves it now.
            DatabaseUnavailable: one of the two databases does not answer.
        """
        return self._portal.call(lambda: self._inner.move(name, to, confirm=confirm, progress=progress))


class Answers:
    """Answers to requests that may be sent again. Kept for 24 hours."""

    def __init__(self, inner: AsyncAnswers, portal: Portal) -> None:
        self._inner = inner
        self._portal = portal

    def begin(self, asking: Asking) -> KeptAnswer | None:
        """Take a request on. Return None if it is to be done now, or the answer it was given before.

        Raises:
            BadInput: something else was asked under the same key.
            Conflict: it is being done at this moment.
        """
        return self._portal.call(lambda: self._inner.begin(asking))

    def keep(self, asking: Asking, answer: KeptAnswer) -> None:
        """Keep the answer to a request that was done; not where an erasure took the request meanwhile."""
        self._portal.call(lambda: self._inner.keep(asking, answer))

    def release(self, asking: Asking) -> None:
        """Give back a request that failed: it may be sent again under the same key."""
        self._portal.call(lambda: self._inner.release(asking))

    def drop_old(self) -> int:
        """Drop what is older than 24 hours, in every space, and return how many answers that were."""
        return self._portal.call(lambda: self._inner.drop_old())


class Keys:
    """The API keys of a database."""

    def __init__(self, inner: AsyncKeys, portal: Portal) -> None:
        self._inner = inner
        self._portal = portal

    def create(
        self,
        name: str,
        *,
        space: str | None = None,
        user: str | None = None,
        level: Level = "read",
        requests_per_minute: int = 600,
    ) -> Issued:
        """Make a key with its token, which is shown this once: the database has only its hash.

        The level ``admin`` may also forget, restore and make keys; with all spaces it is what the owner of
        the database may do. What cannot be kept apart by person is closed to a key for one user.

        Raises:
            BadInput: A name, the level or the number (1 to 1,000,000) cannot be taken; or a key for one user
                has no space, or the level ``admin``.
        """
        return self._portal.call(
            lambda: self._inner.create(
                name, space=space, user=user, level=level, requests_per_minute=requests_per_minute
            )
        )

    def list(self, *, space: str | None = None) -> Sequence[Key]:
        """List the keys, newest first, with when each was last used. Revoked ones are listed too."""
        return self._portal.call(lambda: self._inner.list(space=space))

    def revoke(self, key: str, *, space: str | None = None, confirm: bool = False) -> Key:
        """Revoke a key for good, and return it: it opens nothing any more.

        Running servers take notice within seconds. Revoking it again changes nothing.

        Raises:
            NotFound: There is no such key.
        """
        return self._portal.call(lambda: self._inner.revoke(key, space=space, confirm=confirm))

    def opened_by(self, token: str) -> Key | None:
        """Return the key of a token, or None if it opens nothing: not ours, or revoked."""
        return self._portal.call(lambda: self._inner.opened_by(token))

    def count(self) -> int:
        """Count the keys that open anything: neither revoked nor forgotten with their space."""
        return self._portal.call(lambda: self._inner.count())

    def used(self, keys: Sequence[str]) -> None:
        """Note that keys were used just now."""
        self._portal.call(lambda: self._inner.used(keys))


class SignIns:
    """The browsers that are signed in to the servers of a database."""

    def __init__(self, inner: AsyncSignIns, portal: Portal) -> None:
        self._inner = inner
        self._portal = portal

    def link(self, *, seconds: float) -> str:
        """Make the token of a link that signs a browser in once; the database keeps its hash."""
        return self._portal.call(lambda: self._inner.link(seconds=seconds))

    def redeem(self, link: str, *, seconds: float) -> str | None:
        """Exchange the token of a link for that of a new session; None if it was used or is none."""
        return self._portal.call(lambda: self._inner.redeem(link, seconds=seconds))

    def is_signed_in(self, session: str) -> bool:
        """Return True if there is such a session, which has not ended."""
        return self._portal.call(lambda: self._inner.is_signed_in(session))

    def sign_out(self, session: str) -> None:
        """End a session. Other servers of the database take notice within a second."""
        self._portal.call(lambda: self._inner.sign_out(session))

    def drop_ended(self) -> int:
        """Drop links and sessions that have ended, and return how many they were."""
        return self._portal.call(lambda: self._inner.drop_ended())


class Receipts:
    """Signed receipts of what was erased: listed, shown, and the key that verifies them.

    `quipu.receipts` verifies them without a database.
    """

    def __init__(self, inner: AsyncReceipts, portal: Portal) -> None:
        self._inner = inner
        self._portal = portal

    def list(self, *, space: str | None = None) -> Sequence[Receipt]:
        """List the signed receipts, oldest first.

        Only all receipts together are a chain without gaps. Those of spaces erased whole are in it. Erasures
        from before receipts were signed are not.
        """
        return self._portal.call(lambda: self._inner.list(space=space))

    def get(self, id: UUID | str, *, space: str | None = None) -> Sequence[Receipt]:
        """Get the receipt of an erasure, and after it any notes on what was left on the disk.

        With the name of a space that was forgotten whole, its receipt is found too; so are those that the
        space brought from another database, whose key verifies them.

        Raises:
            BadInput: That is no id of a receipt.
            NotFound: There is none of that id.
        """
        return self._portal.call(lambda: self._inner.get(id, space=space))

    def key(self) -> PublicKey:
        """Get the public key that verifies receipts, with its fingerprint.

        Raises:
            NotFound: Nothing was erased yet; the key is made with the first receipt.
        """
        return self._portal.call(lambda: self._inner.key())


class Evidence:
    """Recommendations, and the evidence that they rest on."""

    def __init__(self, inner: AsyncEvidence, portal: Portal) -> None:
        self._inner = inner
        self._portal = portal

    def recommend(
        self,
        action: str,
        *,
        space: str,
        session: str,
        location: str,
        time_window: str,
        confidence: Confidence,
        source: EvidenceSource,
        evidence: Iterable[EvidenceReference | ReviewEvidence] = (),
        source_status: SourceStatus | None = None,
        freshness_seconds: int | None = None,
        rule_version: str = "unknown",
        impact_score: float | None = None,
        explanation: Mapping[str, object] | None = None,
        meta: Mapping[str, object] | None = None,
        message: str | None = None,
        turn: int | None = None,
    ) -> Recommendation:
        """Keep a recommendation with its evidence, and return it as surely as it may be said.

        The confidence is lowered where the source was stale or failed, or a baseline of the location is only
        assumed; ``limits`` says why. ``baselineAssumption`` of the explanation is filled in.

        Raises:
            BadInput: Naming the field, for example ``evidence[2].published_at``; nothing was stored.
        """
        return self._portal.call(
            lambda: self._inner.recommend(
                action,
                space=space,
                session=session,
                location=location,
                time_window=time_window,
                confidence=confidence,
                source=source,
                evidence=evidence,
                source_status=source_status,
                freshness_seconds=freshness_seconds,
                rule_version=rule_version,
                impact_score=impact_score,
                explanation=explanation,
                meta=meta,
                message=message,
                turn=turn,
            )
        )

    def list(
        self,
        *,
        space: str,
        session: str | None = None,
        after: int | None = None,
        limit: int = 20,
        offset: int = 0,
    ) -> Sequence[Recommendation]:
        """List recommendations, the latest first, each with how sure it is and how much evidence it has.

        Raises:
            BadInput: An argument is out of range.
        """
        return self._portal.call(
            lambda: self._inner.list(space=space, session=session, after=after, limit=limit, offset=offset)
        )

    def get(self, id: int, *, space: str) -> Recommendation:
        """Show a recommendation with what limits how sure it is.

        Raises:
            NotFound: There is no such recommendation.
        """
        return self._portal.call(lambda: self._inner.get(id, space=space))

    def sources(
        self, id: int, *, space: str, theme: Theme | str | None = None, limit: int = 10
    ) -> ShownEvidence:
        """Show the evidence of a recommendation by rank: "show me the reviews".

        Where there is none of the theme, ``themes`` says of which there is.

        Raises:
            NotFound: There is no such recommendation.
            BadInput: There is no such theme.
        """
        return self._portal.call(lambda: self._inner.sources(id, space=space, theme=theme, limit=limit))

    def search(
        self,
        theme: Theme | str | None = None,
        *,
        space: str,
        session: str | None = None,
        place: str | None = None,
        limit: int = 10,
    ) -> ShownEvidence:
        """Find the evidence of a theme in a session, of a place, or in the whole space; the newest first.

        A review that several recommendations refer to is shown once. Where there is none of the theme,
        ``themes`` says of which there is. Without a theme it is the evidence of all.

        Raises:
            BadInput: There is no such theme, or no such session.
        """
        return self._portal.call(
            lambda: self._inner.search(theme, space=space, session=session, place=place, limit=limit)
        )

    def themes(
        self, *, space: str, session: str | None = None, place: str | None = None
    ) -> Sequence[ThemeCount]:
        """Count the evidence of each theme, the most frequent first.

        Raises:
            BadInput: There is no such session.
        """
        return self._portal.call(lambda: self._inner.themes(space=space, session=session, place=place))


class Retention:
    """Delete what a database no longer needs."""

    def __init__(self, inner: AsyncRetention, portal: Portal) -> None:
        self._inner = inner
        self._portal = portal

    def retention(
        self,
        *,
        space: str,
        session_days: int | None = None,
        excerpt_days: int | None = None,
        evidence_days: int | None = None,
        confirm: bool = False,
    ) -> RetentionReport:
        """Take out of a space what is no longer needed.

        That is idle sessions, expired values and old evidence. A session goes with everything that was said
        and known in it. Values whose `expires_at` is over get an event that says so, and stand no more.
        Evidence that stays keeps its session, emptied of all else. Days that are not given are as the
        settings of these names say.

        Raises:
            BadInput: A number of days is out of range (0 to 36,500).
        """
        return self._portal.call(
            lambda: self._inner.retention(
                space=space,
                session_days=session_days,
                excerpt_days=excerpt_days,
                evidence_days=evidence_days,
                confirm=confirm,
            )
        )


class Lookup:
    """Read the facts that were written as events: standing, assumed, changed."""

    def __init__(self, inner: AsyncLookup, portal: Portal) -> None:
        self._inner = inner
        self._portal = portal

    def state(
        self,
        *,
        space: str,
        session: str | None = None,
        user: str | None = None,
        as_of: datetime | str | None = None,
    ) -> dict[str, Value]:
        """Show the facts that hold for a session or a person, by key.

        In a session its own values come first, and the preferences of its person fill the gaps. Empty where
        the session is unknown.

        Raises:
            BadInput: Neither session nor user is given, the session is somebody else's, or the time is
                invalid.
        """
        return self._portal.call(
            lambda: self._inner.state(space=space, session=session, user=user, as_of=as_of)
        )

    def list(
        self,
        *,
        space: str,
        session: str | None = None,
        user: str | None = None,
        key: str | None = None,
        limit: int = 50,
        offset: int = 0,
    ) -> Sequence[Value]:
        """List everything that stands, by key.

        Raises:
            BadInput: An argument is invalid, or the session is somebody else's.
        """
        return self._portal.call(
            lambda: self._inner.list(
                space=space, session=session, user=user, key=key, limit=limit, offset=offset
            )
        )

    def assumptions(
        self,
        *,
        space: str,
        session: str | None = None,
        user: str | None = None,
        limit: int = 50,
        offset: int = 0,
    ) -> Sequence[Value]:
        """List the assumptions, by key.

        It is to be disclosed or confirmed.

        Raises:
            BadInput: An argument is invalid, or the session is somebody else's.
        """
        return self._portal.call(
            lambda: self._inner.assumptions(
                space=space, session=session, user=user, limit=limit, offset=offset
            )
        )

    def events(
        self,
        *,
        space: str,
        session: str | None = None,
        user: str | None = None,
        before: int | None = None,
        limit: int = 50,
    ) -> Sequence[Event]:
        """List the events, the latest first.

        Raises:
            BadInput: An argument is invalid, or the session is somebody else's.
        """
        return self._portal.call(
            lambda: self._inner.events(space=space, session=session, user=user, before=before, limit=limit)
        )

    def history(
        self, key: str, *, space: str, session: str | None = None, user: str | None = None
    ) -> Sequence[Event]:
        """List every event of a key, oldest first.

        Each says when, why and by whom it was written, and has the old and the new value.

        Raises:
            BadInput: Neither session nor user is given, or the session is somebody else's.
        """
        return self._portal.call(lambda: self._inner.history(key, space=space, session=session, user=user))

    def keys(self, *, space: str) -> Sequence[RegisteredKey]:
        """List the keys whose values have a shape, by pattern.

        These are the keys of every space, and those that programs registered. A program registers a key in
        itself (`register`); with its first fact in a space the shape is there for all others, which check
        values by it. Shapes are JSON Schema.
        """
        return self._portal.call(lambda: self._inner.keys(space=space))

    def diff(
        self,
        since: datetime | str,
        until: datetime | str | None = None,
        *,
        space: str,
        session: str | None = None,
        user: str | None = None,
    ) -> Sequence[Difference]:
        """List the keys whose values differ from before, with both values.

        Raises:
            BadInput: Neither session nor user is given, the session is somebody else's, or a time is invalid.
        """
        return self._portal.call(
            lambda: self._inner.diff(since, until, space=space, session=session, user=user)
        )


class Ledger(Lookup, Retention):
    """Facts and assumptions of one database, as events that are only ever added.

    A fact belongs to a session, or across sessions to a person (a preference). Which of the two follows from
    the key where that is settled, else from what is given: ``session=`` or ``user=``; ``scope=`` overrides
    it. Each write is one event with what stands after it, durable when the call returns. Explicit beats
    inferred beats assumed beats default, whatever came first; among equals the latest stands.
    """

    def __init__(self, inner: AsyncLedger, portal: Portal) -> None:
        self._inner = inner
        self._portal = portal

    def open_session(
        self,
        *,
        space: str,
        session: str | None = None,
        user: str | None = None,
        model: str | None = None,
        prompt_version: str | None = None,
        rule_version: str | None = None,
        card_type: CardType | None = None,
        location_count: int | None = None,
        trace_id: str | None = None,
        meta: Mapping[str, object] | None = None,
    ) -> str:
        """Open a session to write about, and return its name.

        A session whose messages were observed is known already; opening it tells more of it. What is not
        given stays as it was.

        Raises:
            BadInput: An argument is invalid, or the session is somebody else's.
        """
        return self._portal.call(
            lambda: self._inner.open_session(
                space=space,
                session=session,
                user=user,
                model=model,
                prompt_version=prompt_version,
                rule_version=rule_version,
                card_type=card_type,
                location_count=location_count,
                trace_id=trace_id,
                meta=meta,
            )
        )

    def end_session(self, session: str, *, space: str, status: Status = "ended") -> None:
        """Note that a session ended now.

        Raises:
            BadInput: There is no such session in the space.
        """
        self._portal.call(lambda: self._inner.end_session(session, space=space, status=status))

    def set(
        self,
        key: str,
        value: object,
        *,
        space: str,
        session: str | None = None,
        user: str | None = None,
        scope: Scope | None = None,
        namespace: Namespace | None = None,
        turn: int | None = None,
        source: StatedSource = "explicit",
        expires_at: datetime | str | None = None,
        correlation_id: str | None = None,
        reason: str | None = None,
        actor: str | None = None,
    ) -> Change:
        """Set the value of a fact.

        It belongs to a session, or across sessions to a person. Over an assumption or another value it is a
        correction. Over something stronger it is recorded and changes nothing (`stands` is false): what was
        said beats what was inferred, which beats what is assumed, which beats a default. What stands already,
        known in the same way, is no event. A default is an assumption with the cap `medium`.

        Raises:
            BadInput: The key is not registered, the value does not have its shape, the session is unknown or
                somebody else's, or another argument is invalid. Nothing was written.
            Conflict: Programs registered the key with shapes that contradict each other.
        """
        return self._portal.call(
            lambda: self._inner.set(
                key,
                value,
                space=space,
                session=session,
                user=user,
                scope=scope,
                namespace=namespace,
                turn=turn,
                source=source,
                expires_at=expires_at,
                correlation_id=correlation_id,
                reason=reason,
                actor=actor,
            )
        )

    def assume(
        self,
        key: str,
        value: object,
        *,
        space: str,
        session: str | None = None,
        user: str | None = None,
        scope: Scope | None = None,
        namespace: Namespace | None = None,
        turn: int | None = None,
        cap: AssumedCap = "medium",
        expires_at: datetime | str | None = None,
        correlation_id: str | None = None,
        reason: str | None = None,
        actor: str | None = None,
    ) -> Change:
        """Assume a value for want of knowledge.

        It is to be disclosed or confirmed (`assumptions` lists such values), and never replaces what was said
        or inferred.

        Raises:
            BadInput: The key is not registered, the value does not have its shape, the session is unknown or
                somebody else's, or another argument is invalid. Nothing was written.
            Conflict: Programs registered the key with shapes that contradict each other.
        """
        return self._portal.call(
            lambda: self._inner.assume(
                key,
                value,
                space=space,
                session=session,
                user=user,
                scope=scope,
                namespace=namespace,
                turn=turn,
                cap=cap,
                expires_at=expires_at,
                correlation_id=correlation_id,
                reason=reason,
                actor=actor,
            )
        )

    def correct(
        self,
        key: str,
        value: object,
        *,
        space: str,
        session: str | None = None,
        user: str | None = None,
        scope: Scope | None = None,
        namespace: Namespace | None = None,
        turn: int | None = None,
        expires_at: datetime | str | None = None,
        correlation_id: str | None = None,
        reason: str | None = None,
        actor: str | None = None,
    ) -> Change:
        """Correct a fact: put another value in its place.

        The value counts as said by somebody, whatever stood before.

        Raises:
            BadInput: Nothing stands for the key (use `set`), the value does not have its shape, the session
                is unknown or somebody else's, or another argument is invalid. Nothing was written.
            Conflict: Programs registered the key with shapes that contradict each other.
        """
        return self._portal.call(
            lambda: self._inner.correct(
                key,
                value,
                space=space,
                session=session,
                user=user,
                scope=scope,
                namespace=namespace,
                turn=turn,
                expires_at=expires_at,
                correlation_id=correlation_id,
                reason=reason,
                actor=actor,
            )
        )

    def expire(
        self,
        key: str,
        *,
        space: str,
        session: str | None = None,
        user: str | None = None,
        scope: Scope | None = None,
        namespace: Namespace | None = None,
        turn: int | None = None,
        correlation_id: str | None = None,
        reason: str | None = None,
        actor: str | None = None,
    ) -> Change:
        """End a fact whose time is over.

        Its history stays.

        Raises:
            BadInput: Nothing stands for the key, or an argument is invalid.
            Conflict: Somebody wrote to the key at the same time; nothing was changed.
        """
        return self._portal.call(
            lambda: self._inner.expire(
                key,
                space=space,
                session=session,
                user=user,
                scope=scope,
                namespace=namespace,
                turn=turn,
                correlation_id=correlation_id,
                reason=reason,
                actor=actor,
            )
        )

    def delete(
        self,
        key: str,
        *,
        space: str,
        session: str | None = None,
        user: str | None = None,
        scope: Scope | None = None,
        namespace: Namespace | None = None,
        turn: int | None = None,
        correlation_id: str | None = None,
        reason: str | None = None,
        actor: str | None = None,
    ) -> Change:
        """Take a fact back.

        Its history stays, and `undo` brings it back. To remove the history too, use `forget` of the memory.

        Raises:
            BadInput: Nothing stands for the key, or an argument is invalid.
            Conflict: Somebody wrote to the key at the same time; nothing was changed.
        """
        return self._portal.call(
            lambda: self._inner.delete(
                key,
                space=space,
                session=session,
                user=user,
                scope=scope,
                namespace=namespace,
                turn=turn,
                correlation_id=correlation_id,
                reason=reason,
                actor=actor,
            )
        )

    def undo(self, event: int, *, space: str, force: bool = False) -> Change:
        """Undo an event: make its key what it was before.

        That is an event of its own, which names the undone one; the history stays whole. Only the latest
        event of a key is undone, unless forced.

        Raises:
            NotFound: There is no such event.
            BadInput: Something came after it, or it changed nothing.
            Conflict: Somebody wrote to the key at the same time; nothing was changed.
        """
        return self._portal.call(lambda: self._inner.undo(event, space=space, force=force))

    def rebuild(self, *, space: str) -> Rebuilt:
        """Make what stands again from the events, while writers wait.

        `changed` is 0 where it was what the events say.
        """
        return self._portal.call(lambda: self._inner.rebuild(space=space))

    def register(
        self,
        pattern: str,
        shape: object,
        *,
        namespace: Namespace = "other",
        scope: Scope | None = None,
        replace: bool = False,
    ) -> None:
        """Register keys of your own with the shape of their values.

        JSON Schema must be able to say the shape. With the first fact under the key in a space the shape is
        kept there, and every program checks values by it. Where another program registered the key, the shape
        that takes more is kept; where neither takes what the other takes, the fact is refused (``Conflict``).

        Raises:
            BadInput: the pattern is registered already, or an argument cannot be taken.
        """
        self._portal.run(
            lambda: self._inner.register(pattern, shape, namespace=namespace, scope=scope, replace=replace)
        )

    def on_correction(self, callback: Callback) -> None:
        """Call a function after each correction made through this ledger.

        The write is durable by then: what the callback raises is logged and stands in ``Change.hook_errors``.
        """
        self._portal.run(lambda: self._inner.on_correction(callback))


class Trace:
    """Write down what tools and sources did in sessions."""

    def __init__(self, inner: AsyncTrace, portal: Portal) -> None:
        self._inner = inner
        self._portal = portal

    def tool_call(
        self,
        tool: str,
        *,
        space: str,
        session: str,
        latency_ms: int,
        status: SourceStatus = "ok",
        source: ToolSource | None = None,
        args: Mapping[str, object] | None = None,
        result: object = None,
        cache_hit: bool = False,
        freshness_seconds: int | None = None,
        error_code: str | None = None,
        message: str | None = None,
        turn: int | None = None,
    ) -> int:
        """Write down a tool call, and return its id.

        Secrets in arguments and result are cut out.

        Raises:
            BadInput: An argument is invalid; the error names it. Nothing was stored.
        """
        return self._portal.call(
            lambda: self._inner.tool_call(
                tool,
                space=space,
                session=session,
                latency_ms=latency_ms,
                status=status,
                source=source,
                args=args,
                result=result,
                cache_hit=cache_hit,
                freshness_seconds=freshness_seconds,
                error_code=error_code,
                message=message,
                turn=turn,
            )
        )

    def source_run(
        self,
        source: FetchedSource,
        *,
        space: str,
        started_at: datetime | str,
        finished_at: datetime | str | None = None,
        status: RunStatus = "ok",
        items: int | None = None,
        latest_record_at: datetime | str | None = None,
        error: str | None = None,
    ) -> int:
        """Write down a run that fetched from a source ahead of all sessions, and return its id.

        Raises:
            BadInput: An argument is invalid; the error names it. Nothing was stored.
        """
        return self._portal.call(
            lambda: self._inner.source_run(
                source,
                space=space,
                started_at=started_at,
                finished_at=finished_at,
                status=status,
                items=items,
                latest_record_at=latest_record_at,
                error=error,
            )
        )

    def competitor_check(
        self,
        query: str,
        *,
        space: str,
        session: str,
        status: CheckStatus,
        place: str | None = None,
        name: str | None = None,
        latency_ms: int | None = None,
        turn: int | None = None,
    ) -> int:
        """Write down that a user asked for a competitor to be looked up, and return its id.

        Raises:
            BadInput: An argument is invalid; the error names it. Nothing was stored.
        """
        return self._portal.call(
            lambda: self._inner.competitor_check(
                query,
                space=space,
                session=session,
                status=status,
                place=place,
                name=name,
                latency_ms=latency_ms,
                turn=turn,
            )
        )

    def competitor_checks(self, *, space: str, session: str) -> Sequence[CompetitorCheck]:
        """List the competitors that were looked up in a session, the latest first.

        Raises:
            BadInput: There is no such session.
        """
        return self._portal.call(lambda: self._inner.competitor_checks(space=space, session=session))

    def read_reviews(
        self,
        reviews: Sequence[Review],
        *,
        space: str,
        session: str,
        place: str,
        entity: ReviewedEntity = "own_location",
        window_days: int = 90,
        cache_hit: bool = False,
        freshness_seconds: int | None = None,
        turn: int | None = None,
    ) -> ReviewReading:
        """Find the complaints in the reviews of a place, and record the run with the time that it took.

        Raises:
            BadInput: naming the review and the field; nothing was stored.
            EmbeddingError: the model failed; the run is written down as one that failed.
        """
        return self._portal.call(
            lambda: self._inner.read_reviews(
                reviews,
                space=space,
                session=session,
                place=place,
                entity=entity,
                window_days=window_days,
                cache_hit=cache_hit,
                freshness_seconds=freshness_seconds,
                turn=turn,
            )
        )

    def signal_run(
        self,
        signals: ReviewSignals | None,
        *,
        space: str,
        session: str,
        place: str,
        entity: ReviewedEntity = "own_location",
        status: SourceStatus | None = None,
        error_code: str | None = None,
        window_days: int = 90,
        latency_ms: int | None = None,
        cache_hit: bool = False,
        freshness_seconds: int | None = None,
        turn: int | None = None,
    ) -> int:
        """Write down a reading of reviews that was made elsewhere, or one that failed; returns its id.

        Of ``signals``, status, window and latency are its own unless others are given. Without, ``status``
        says what happened.

        Raises:
            BadInput: naming the field; nothing was stored.
        """
        return self._portal.call(
            lambda: self._inner.signal_run(
                signals,
                space=space,
                session=session,
                place=place,
                entity=entity,
                status=status,
                error_code=error_code,
                window_days=window_days,
                latency_ms=latency_ms,
                cache_hit=cache_hit,
                freshness_seconds=freshness_seconds,
                turn=turn,
            )
        )

    def fallback(
        self,
        kind: FallbackKind,
        *,
        space: str,
        session: str,
        reason: str,
        response: str,
        sources_down: Sequence[ToolSource] = (),
        turn: int | None = None,
    ) -> int:
        """Write down that an answer had to do without some source, and return its id.

        Raises:
            BadInput: An argument is invalid; the error names it. Nothing was stored.
        """
        return self._portal.call(
            lambda: self._inner.fallback(
                kind,
                space=space,
                session=session,
                reason=reason,
                response=response,
                sources_down=sources_down,
                turn=turn,
            )
        )


class DocumentLookup:
    """Look at the documents of one database. Nothing here changes anything."""

    def __init__(self, inner: AsyncDocumentLookup, portal: Portal) -> None:
        self._inner = inner
        self._portal = portal

    def get(self, path: Sequence[str] | str, key: str, *, space: str) -> Document:
        """Show a document.

        Raises:
            NotFound: There is none at this path under this key, or it has expired.
        """
        return self._portal.call(lambda: self._inner.get(path, key, space=space))

    def list(
        self,
        path: Sequence[str] | str | None = None,
        *,
        space: str,
        filter: Mapping[str, object] | None = None,
        user: str | None = None,
        order: DocumentOrder = "updated",
        limit: int = 100,
        offset: int = 0,
        after: UUID | str | None = None,
    ) -> Sequence[Document]:
        """List the documents below a path for which conditions hold.

        Raises:
            BadInput: An argument is invalid; the error names it.
        """
        return self._portal.call(
            lambda: self._inner.list(
                path,
                space=space,
                filter=filter,
                user=user,
                order=order,
                limit=limit,
                offset=offset,
                after=after,
            )
        )

    def search(
        self,
        question: str | None = None,
        *,
        space: str,
        path: Sequence[str] | str | None = None,
        filter: Mapping[str, object] | None = None,
        user: str | None = None,
        relevant: bool = True,
        vector: Sequence[float] | None = None,
        metric: Metric = "cosine",
        limit: int = 10,
        offset: int = 0,
    ) -> Sequence[FoundDocument]:
        """Find the documents that answer a question, the best first, each once with its best passage.

        Words and meaning both count. Documents that are kept out of the index are found without a question
        only. With a `vector`, those that have vectors of as many dimensions are ranked by the nearest of
        these alone: `score` is then the cosine, the inner product, or the negative distance.

        Raises:
            BadInput: An argument is invalid; the error names it.
        """
        return self._portal.call(
            lambda: self._inner.search(
                question,
                space=space,
                path=path,
                filter=filter,
                user=user,
                relevant=relevant,
                vector=vector,
                metric=metric,
                limit=limit,
                offset=offset,
            )
        )

    def list_paths(
        self,
        prefix: Sequence[str] | str | None = None,
        *,
        space: str,
        suffix: Sequence[str] | str | None = None,
        depth: int | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> Sequence[DocumentPath]:
        """List the paths at which documents stand, each once, in order.

        Raises:
            BadInput: An argument is invalid; the error names it.
        """
        return self._portal.call(
            lambda: self._inner.list_paths(
                prefix, space=space, suffix=suffix, depth=depth, limit=limit, offset=offset
            )
        )

    def count(
        self,
        path: Sequence[str] | str | None = None,
        *,
        space: str,
        filter: Mapping[str, object] | None = None,
        user: str | None = None,
    ) -> int:
        """Count the documents below a path for which conditions hold.

        Raises:
            BadInput: An argument is invalid; the error names it.
        """
        return self._portal.call(lambda: self._inner.count(path, space=space, filter=filter, user=user))

    def values(
        self,
        field: str,
        *,
        space: str,
        path: Sequence[str] | str | None = None,
        filter: Mapping[str, object] | None = None,
        user: str | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> Sequence[FieldValue]:
        """List the values that a field has in documents, each once, what most documents have first.

        Only documents below the path for which conditions hold count; where the field is missing, it has no
        value.

        Raises:
            BadInput: An argument is invalid; the error names it.
        """
        return self._portal.call(
            lambda: self._inner.values(
                field, space=space, path=path, filter=filter, user=user, limit=limit, offset=offset
            )
        )

    def passages(
        self, path: Sequence[str] | str, key: str, *, space: str, limit: int = 100, offset: int = 0
    ) -> Sequence[Passage]:
        """Show the passages of a document, by which recall finds it, in their order.

        There is none where it is kept out of the index.

        Raises:
            NotFound: There is no such document.
        """
        return self._portal.call(
            lambda: self._inner.passages(path, key, space=space, limit=limit, offset=offset)
        )

    def cited(self, id: str, *, space: str) -> Document:
        """Show the document that a hit of recall is a passage of.

        Raises:
            NotFound: There is no such passage any more.
        """
        return self._portal.call(lambda: self._inner.cited(id, space=space))

    def history(
        self, path: Sequence[str] | str, key: str, *, space: str, limit: int = 100, offset: int = 0
    ) -> Sequence[DocumentVersion]:
        """Show the versions of a document, the latest first, also of one that was removed.

        Raises:
            NotFound: Nothing is or was there.
        """
        return self._portal.call(
            lambda: self._inner.history(path, key, space=space, limit=limit, offset=offset)
        )


class Documents(DocumentLookup):
    """Documents: JSON values and texts at a path under a key, with versions, metadata and expiry.

    Nothing in a document becomes a belief, a loop, a lesson or a long-term memory; recall finds its passages.
    """

    def __init__(self, inner: AsyncDocuments, portal: Portal) -> None:
        self._inner = inner
        self._portal = portal

    def put(
        self,
        path: Sequence[str] | str,
        key: str,
        value: Any = None,
        *,
        space: str,
        body: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        user: str | None = None,
        index: Sequence[str] | bool = True,
        ttl_seconds: float | None = None,
        actor: str | None = None,
        verbatim: bool = False,
        vectors: Sequence[Sequence[float]] | None = None,
        expected_version: int | None = None,
        expected_sha256: str | None = None,
    ) -> Document:
        """Write a document, or a new version of it, and return it as it stands.

        Writing what stands there already makes no version. It takes at most 16 MB. Secrets are cut out and
        counted (`redacted`), unless it is `verbatim`.

        Raises:
            BadInput: An argument is invalid; the error names it.
            TooLarge: Value and body have more than 16 MB together.
            Outdated: It is of another version, or says something else.
            NotFound: A version was expected, and there is no document.
        """
        return self._portal.call(
            lambda: self._inner.put(
                path,
                key,
                value,
                space=space,
                body=body,
                metadata=metadata,
                user=user,
                index=index,
                ttl_seconds=ttl_seconds,
                actor=actor,
                verbatim=verbatim,
                vectors=vectors,
                expected_version=expected_version,
                expected_sha256=expected_sha256,
            )
        )

    def delete(
        self, path: Sequence[str] | str, key: str, *, space: str, expected_version: int | None = None
    ) -> Document:
        """Take a document away, and return it as it stood; `revert` brings it back.

        It is gone from every read and from recall at once. Its versions stay until they are past the days of
        the setting documents_history_days. To take it out for good, use `erase`.

        Raises:
            NotFound: There is no such document.
            Outdated: It is of another version.
        """
        return self._portal.call(
            lambda: self._inner.delete(path, key, space=space, expected_version=expected_version)
        )

    def touch(self, path: Sequence[str] | str, key: str, *, space: str) -> Document:
        """Have a document expire as long from now as it was to when it was written, and return it.

        Raises:
            NotFound: There is no such document.
        """
        return self._portal.call(lambda: self._inner.touch(path, key, space=space))

    def rename(
        self,
        path: Sequence[str] | str,
        key: str | None = None,
        *,
        to: Sequence[str] | str,
        to_key: str | None = None,
        space: str,
    ) -> int:
        """Give a document, or all below a path, another place; count them. Their history goes along.

        Raises:
            NotFound: Nothing is there.
            Conflict: A document stands at the new place already.
            BadInput: An argument is invalid; the error names it.
        """
        return self._portal.call(lambda: self._inner.rename(path, key, to=to, to_key=to_key, space=space))

    def revert(
        self,
        path: Sequence[str] | str,
        key: str,
        *,
        to: int,
        document: str | None = None,
        space: str,
        actor: str | None = None,
    ) -> Document:
        """Write again what an earlier version said, and return it; one that was removed comes back.

        It is the document that stands there, or else the one that stood there last. This makes a new
        version, which can be reverted too. `history` shows the versions.

        Raises:
            NotFound: There is no such document, or no such version of it.
            BadInput: The content of the version was taken out.
            Conflict: Another document stands at its place by now, or it stands at another one.
        """
        return self._portal.call(
            lambda: self._inner.revert(path, key, to=to, document=document, space=space, actor=actor)
        )

    def redact(
        self,
        path: Sequence[str] | str,
        key: str,
        version: int,
        *,
        document: str | None = None,
        space: str,
        confirm: bool = False,
    ) -> DocumentVersion:
        """Take the content of an earlier version out for good; its SHA-256 stays.

        Without `confirm` nothing is changed, and the answer is the version as it stands.

        Raises:
            NotFound: There is no such version.
            BadInput: It is the version that stands: write another one first. Or several documents that stood
                there have such a version, and none is named.
        """
        return self._portal.call(
            lambda: self._inner.redact(path, key, version, document=document, space=space, confirm=confirm)
        )

    def erase(
        self, path: Sequence[str] | str, key: str | None = None, *, space: str, confirm: bool = False
    ) -> Erasure:
        """Erase a document, or all below a path, for good: with every version, and with a receipt."""
        return self._portal.call(lambda: self._inner.erase(path, key, space=space, confirm=confirm))

    def index(self, *, space: str, seconds: float | None = None) -> int:
        """Index the passages that wait, and count those that wait still.

        Each recall does so for a second, and a worker to the end.
        """
        return self._portal.call(lambda: self._inner.index(space=space, seconds=seconds))

    def batch(self, operations: Sequence[Mapping[str, Any]], *, space: str) -> Sequence[BatchAnswer]:
        """Do many operations at once, and answer each in its place.

        Reads come first and see what stood before; searches with a question before all others. Then all
        writes are done in one transaction, or none. Of several writes to one document the last counts. A put
        may expect a version, as `put` does.

        Raises:
            BadInput: An operation is invalid; the error says which. Nothing was done.
            Outdated: A document is of another version than was expected. Nothing was written.
        """
        return self._portal.call(lambda: self._inner.batch(operations, space=space))


class DocumentFiles(Documents):
    """Documents: JSON values, texts and files at a path under a key, with versions, metadata and expiry.

    Nothing in a document becomes a belief, a loop, a lesson or a long-term memory; recall finds its passages.
    """

    def __init__(self, inner: AsyncDocumentFiles, portal: Portal) -> None:
        self._inner = inner
        self._portal = portal

    def sync(
        self,
        directory: str | PathLike[str],
        *,
        path: Sequence[str] | str | None = None,
        space: str,
        user: str | None = None,
        actor: str | None = None,
        verbatim: bool = False,
        preview: bool = False,
        progress: Progress | None = None,
    ) -> FilesSynced:
        """Keep the files of a directory as documents, one for each file, and index their passages.

        It takes whatever is text in UTF-8, and the text of PDFs (the extra ``pdf``). A file that changed gets
        a new version, one that has another name keeps its history, one that is gone is removed, which
        `revert` undoes; one that says what it said costs nothing. Left out are hidden files, those that a
        .gitignore or .quipuignore names, and, with the reason, what has no text, symbolic links, and files of
        more than 16 MB. Documents below the path that were written otherwise stay as they are.

        Raises:
            NotFound: There is no such directory.
            BadInput: It is no directory, or another argument is invalid; the error names it.
            Conflict: No file is left in it: is a disk missing? Or somebody wrote a document meanwhile.
        """
        return self._portal.call(
            lambda: self._inner.sync(
                directory,
                path=path,
                space=space,
                user=user,
                actor=actor,
                verbatim=verbatim,
                preview=preview,
                progress=progress,
            )
        )


class LongtermLookup:
    """Look at the memories of one database. Nothing here changes anything or appears in the audit."""

    def __init__(self, inner: AsyncLongtermLookup, portal: Portal) -> None:
        self._inner = inner
        self._portal = portal

    def get(self, id: UUID | str, *, space: str) -> LongtermMemory:
        """Show a memory.

        Raises:
            NotFound: There is no such memory.
        """
        return self._portal.call(lambda: self._inner.get(id, space=space))

    def history(self, id: UUID | str, *, space: str) -> Sequence[MemoryRevision]:
        """Show the text of a memory before each change, the latest change first.

        Each entry says who made the change, and why.

        Raises:
            NotFound: There is no such memory.
        """
        return self._portal.call(lambda: self._inner.history(id, space=space))

    def sources(self, id: UUID | str, *, space: str) -> Sequence[MemorySource]:
        """Show the words a memory rests on, the latest first.

        These are the words behind the memory as it reads now. A memory written by hand has none.

        Raises:
            NotFound: There is no such memory.
        """
        return self._portal.call(lambda: self._inner.sources(id, space=space))

    def list(
        self,
        *,
        space: str,
        user: str | None = None,
        category: Category | None = None,
        importance: Importance | None = None,
        text: str | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        state: ListState = "live",
        ended: bool = False,
        limit: int = 100,
        offset: int = 0,
        after: UUID | str | None = None,
        filter: Mapping[str, object] | None = None,
    ) -> Sequence[LongtermMemory]:
        """List memories, the most important first.

        Live memories come before archived ones; among equals, the most recently changed comes first.

        Raises:
            BadInput: An argument is invalid; the error names it.
        """
        return self._portal.call(
            lambda: self._inner.list(
                space=space,
                user=user,
                category=category,
                importance=importance,
                text=text,
                since=since,
                until=until,
                state=state,
                ended=ended,
                limit=limit,
                offset=offset,
                after=after,
                filter=filter,
            )
        )

    def search(
        self,
        question: str,
        *,
        space: str,
        user: str | None = None,
        category: Category | None = None,
        importance: Importance | None = None,
        limit: int = 10,
        filter: Mapping[str, object] | None = None,
    ) -> Sequence[FoundMemory]:
        """Find the live memories that answer a question, the best first.

        Words and meaning both count. A search changes nothing and leaves no line in the audit; for the prompt
        of an agent, use `recover`.

        Raises:
            BadInput: An argument is invalid; the error names it.
        """
        return self._portal.call(
            lambda: self._inner.search(
                question,
                space=space,
                user=user,
                category=category,
                importance=importance,
                limit=limit,
                filter=filter,
            )
        )

    def counts(self, *, space: str, user: str | None = None) -> Sequence[MemoryCount]:
        """Count the memories of each category and importance."""
        return self._portal.call(lambda: self._inner.counts(space=space, user=user))


class Recovery(LongtermLookup):
    """Recover memories for an answer, and list past recoveries."""

    def __init__(self, inner: AsyncRecovery, portal: Portal) -> None:
        self._inner = inner
        self._portal = portal

    def recover(
        self,
        message: SatiRetrievalInput | Mapping[str, object] | str,
        *,
        space: str,
        user: str | None = None,
        session: str | None = None,
        message_id: str | None = None,
        recent: Sequence[str] = (),
        limit: int | None = None,
        budget_tokens: int | None = None,
        injected: bool = False,
    ) -> Recovered:
        """Recover what is known that matters for a message, in time or not at all.

        Live memories of the person and those that hold for everybody are searched; name the person where
        several share the space. The message may also be the seed's input, or its document, with the turns
        before it. With `injected`, what is in the block counts as used, once an hour.

        It takes no longer than the setting `longterm_timeout_ms`. Without time, database or model the result
        is empty and says so: an answer never breaks for want of memory.

        Raises:
            BadInput: An argument is invalid; the error names it.
        """
        return self._portal.call(
            lambda: self._inner.recover(
                message,
                space=space,
                user=user,
                session=session,
                message_id=message_id,
                recent=recent,
                limit=limit,
                budget_tokens=budget_tokens,
                injected=injected,
            )
        )

    def audit(
        self,
        *,
        space: str,
        act: AuditAct | None = None,
        user: str | None = None,
        session: str | None = None,
        since: datetime | str | None = None,
        limit: int = 100,
    ) -> list[AuditLine]:
        """List the memories recovered for each message, and the changes of evaluations, the latest first.

        Raises:
            BadInput: An argument is invalid; the error names it.
        """
        return self._portal.call(
            lambda: self._inner.audit(
                space=space, act=act, user=user, session=session, since=since, limit=limit
            )
        )


class Evaluations(LongtermLookup):
    """Finds out what a conversation says of the user, and keeps, changes and forgets accordingly."""

    def __init__(self, inner: AsyncEvaluations, portal: Portal) -> None:
        self._inner = inner
        self._portal = portal

    def evaluate(
        self,
        conversation: SatiEvaluationInput | Mapping[str, object],
        *,
        evaluator: Evaluator | EvaluatorName | None = None,
        space: str | None = None,
    ) -> Evaluation:
        """Return the memories to include, edit and delete after a conversation. Nothing is written.

        ``conversation`` is the seed's input, or its document. Memories with ids can be edited and deleted;
        one known by its summary only is not included again. ``evaluator`` is ``rules``, ``llm``, one of your
        own, or that of the setting ``longterm_evaluator``. ``SatiMemoryResult.of`` turns the result into the
        seed's single shape. Memory that was put into a turn is not read: blocks with the marks of the
        ``space``, and blocks that others marked; without a space, everything in the form of a marked block.

        Raises:
            BadInput: the document cannot be read, or there is no such evaluator.
            QuipuError: a language model was asked and failed.
        """
        return self._portal.call(lambda: self._inner.evaluate(conversation, evaluator=evaluator, space=space))

    def apply(
        self,
        evaluation: Evaluation | SatiMemoryResult | Mapping[str, object],
        *,
        space: str,
        user: str | None = None,
        session: str | None = None,
    ) -> Applied:
        """Do what an evaluation asks for, in one transaction; to do it again changes nothing.

        ``evaluation`` is what ``evaluate`` returned, or the seed's single shape (``should_store``) or its
        document. Clauses that the policy refuses are cut; what it refuses whole, or somebody
        changed meanwhile, is left as it is and counted.

        Raises:
            BadInput: an argument cannot be taken, or a part of the evaluation; names it, such as
                ``inclusions[2].summary``.
        """
        return self._portal.call(
            lambda: self._inner.apply(evaluation, space=space, user=user, session=session)
        )

    def evaluate_session(
        self,
        session: str,
        *,
        space: str,
        evaluator: Evaluator | EvaluatorName | None = None,
        preview: bool = False,
    ) -> SessionEvaluation:
        """Evaluate what a session said since it was last evaluated, and do what it asks for.

        Workers do this too. Doing it again changes nothing.

        Raises:
            NotFound: There is no such session.
            BadInput: There is no such evaluator.
            LanguageFailed: The language model failed; what was done before stays.
        """
        return self._portal.call(
            lambda: self._inner.evaluate_session(session, space=space, evaluator=evaluator, preview=preview)
        )


class AgentClaims(Evaluations):
    """Takes what an agent itself wants to remember of a person."""

    def __init__(self, inner: AsyncAgentClaims, portal: Portal) -> None:
        self._inner = inner
        self._portal = portal

    def remember(
        self, claims: Sequence[AgentClaim], *, space: str, user: str | None = None, session: str | None = None
    ) -> ClaimOutcomes:
        """Write what an agent claims of a person, each claim by its own words, in one transaction.

        A claim goes the way of all others: it passes the gate before what is kept, and the policy. One that
        is known already is not doubled, a new value takes the place of the old one. Doing it again changes
        nothing.

        Raises:
            BadInput: A claim cannot be read, or its words are not where it says; names it, such as
                `claims[2].words`. Nothing was written.
        """
        return self._portal.call(
            lambda: self._inner.remember(claims, space=space, user=user, session=session)
        )


class MemoryFiles(LongtermLookup):
    """Takes files of the seed in, and writes them."""

    def __init__(self, inner: AsyncMemoryFiles, portal: Portal) -> None:
        self._inner = inner
        self._portal = portal

    def import_sqlite(
        self, path: str | PathLike[str], *, space: str, user: str | None = None
    ) -> MemoriesImported:
        """Import a file of the seed as memories of a person.

        Hashes are computed again, categories and importances checked; what means nothing is refused row by
        row and reported. Ids, times, versions and counts are kept; a memory whose id somebody else in the
        space has gets one of its own. The file is only read, and importing it again changes nothing.

        Raises:
            NotFound: There is no such file.
            BadInput: It is no file of the seed, damaged or locked; nothing was changed.
        """
        return self._portal.call(lambda: self._inner.import_sqlite(path, space=space, user=user))

    def export_sqlite(
        self, path: str | PathLike[str], *, space: str, user: str | None = None
    ) -> MemoriesExported:
        """Export memories to a new file with exactly the table and indices of the seed.

        Archived memories are included. The file holds each summary once, even if two people have it.

        Raises:
            Conflict: There is such a file already, or something was forgotten in the space meanwhile.
            BadInput: The file cannot be written; nothing is left of it.
            DiskFull: The disk is full; nothing is left of the file.
        """
        return self._portal.call(lambda: self._inner.export_sqlite(path, space=space, user=user))


class Longterm(Recovery, AgentClaims, MemoryFiles):
    """Memories about a person, to know before answering: by category and importance, each once.

    Every call names the ``space``. An id is a memory's whole id or the beginning of it, at least four digits.
    """

    def __init__(self, inner: AsyncLongterm, portal: Portal) -> None:
        self._inner = inner
        self._portal = portal

    def add(
        self,
        summary: str,
        *,
        space: str,
        category: Category | None = None,
        importance: Importance | None = None,
        details: str | None = None,
        user: str | None = None,
        session: str | None = None,
        source: str | None = None,
        time: datetime | str | None = None,
        valid_from: datetime | str | None = None,
        valid_until: datetime | str | None = None,
        metadata: Mapping[str, object] | None = None,
    ) -> LongtermMemory:
        """Write a memory by hand, and return it as it stands then.

        A live memory that says so already is not doubled: it counts as said once more (`stated_count`) and
        takes the higher importance, and its metadata grows. An archived one that says so becomes live again.

        Raises:
            BadInput: An argument is invalid, or the text holds a secret.
        """
        return self._portal.call(
            lambda: self._inner.add(
                summary,
                space=space,
                category=category,
                importance=importance,
                details=details,
                user=user,
                session=session,
                source=source,
                time=time,
                valid_from=valid_from,
                valid_until=valid_until,
                metadata=metadata,
            )
        )

    def edit(
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
        metadata: Mapping[str, object] | None = None,
    ) -> LongtermMemory:
        """Change what a memory says.

        What is not given stays as it is. The version grows, and the earlier text stays in the history;
        metadata is replaced as a whole, and is in no version.

        Raises:
            NotFound: There is no such memory.
            Conflict: Somebody changed it meanwhile, or another live memory says so already.
            BadInput: Nothing is to change, the memory is archived, or an argument is invalid.
        """
        return self._portal.call(
            lambda: self._inner.edit(
                id,
                space=space,
                summary=summary,
                details=details,
                category=category,
                importance=importance,
                expected_version=expected_version,
                reason=reason,
                metadata=metadata,
            )
        )

    def archive(
        self, id: UUID | str, *, space: str, reason: str | None = None, expected_version: int | None = None
    ) -> LongtermMemory:
        """Take a memory out of recall.

        It stays, and `unarchive` brings it back. Archiving it again changes nothing.

        Raises:
            NotFound: There is no such memory.
            Conflict: Somebody changed it meanwhile.
        """
        return self._portal.call(
            lambda: self._inner.archive(id, space=space, reason=reason, expected_version=expected_version)
        )

    def unarchive(self, id: UUID | str, *, space: str, reason: str | None = None) -> LongtermMemory:
        """Bring an archived memory back into recall.

        Raises:
            NotFound: There is no such memory.
            Conflict: Another live memory of the person says so already.
        """
        return self._portal.call(lambda: self._inner.unarchive(id, space=space, reason=reason))

    def revert(self, id: UUID | str, *, space: str, to: int, reason: str | None = None) -> LongtermMemory:
        """Restore what an earlier version of a memory said.

        This makes a new version, which can be reverted too. `history` shows the versions.

        Raises:
            NotFound: There is no such memory, or no such version of it.
            Conflict: Another live memory of the person says so already.
            BadInput: The memory is archived.
        """
        return self._portal.call(lambda: self._inner.revert(id, space=space, to=to, reason=reason))

    def erase(self, id: UUID | str, *, space: str, confirm: bool = False) -> Erasure:
        """Erase a memory for good, with its history.

        What it was read in stays, and may be read again; `corrections` keep it from that, and `forget` takes
        the words, too.

        Raises:
            NotFound: There is no such memory.
        """
        return self._portal.call(lambda: self._inner.erase(id, space=space, confirm=confirm))

    def archive_many(
        self,
        *,
        space: str,
        user: str | None = None,
        category: Category | None = None,
        importance: Importance | None = None,
        text: str | None = None,
        before: datetime | str | None = None,
        reason: str | None = None,
        confirm: bool = False,
    ) -> ArchivedMemories:
        """Archive every live memory that matches all filters.

        Each of them can be unarchived.

        Raises:
            BadInput: No filter is given, or an argument is invalid.
        """
        return self._portal.call(
            lambda: self._inner.archive_many(
                space=space,
                user=user,
                category=category,
                importance=importance,
                text=text,
                before=before,
                reason=reason,
                confirm=confirm,
            )
        )


class Lessons:
    """Look up and correct lessons: what lasts of recorded sessions, or is written by hand.

    Confidence is what a lesson is worth at the time of the call: it falls with time, and rises where the
    lesson is used or confirmed.
    """

    def __init__(self, inner: AsyncLessons, portal: Portal) -> None:
        self._inner = inner
        self._portal = portal

    def extract(
        self,
        *,
        space: str,
        session: str | None = None,
        since: datetime | str | None = None,
        extractor: Extractor | str = "rules",
        again: bool = False,
        limit: int = 1000,
        progress: SessionProgress | None = None,
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
        return self._portal.call(
            lambda: self._inner.extract(
                space=space,
                session=session,
                since=since,
                extractor=extractor,
                again=again,
                limit=limit,
                progress=progress,
            )
        )

    def add(
        self,
        fact: str,
        *,
        space: str,
        category: str = "knowledge",
        project: str = "",
        confidence: float = 1.0,
        metadata: Mapping[str, object] | None = None,
    ) -> Lesson:
        """Write a lesson by hand.

        Secrets are cut out of it.

        Raises:
            Conflict: A live lesson of the project says so already.
            BadInput: An argument is invalid; the error names it.
        """
        return self._portal.call(
            lambda: self._inner.add(
                fact,
                space=space,
                category=category,
                project=project,
                confidence=confidence,
                metadata=metadata,
            )
        )

    def get(self, id: UUID | str, *, space: str) -> Lesson:
        """Show a lesson as it stands now.

        Raises:
            NotFound: There is no such lesson.
        """
        return self._portal.call(lambda: self._inner.get(id, space=space))

    def sources(self, id: UUID | str, *, space: str) -> Sequence[LessonSource]:
        """List where a lesson was said, the latest first.

        One that was written by hand has no sources.

        Raises:
            NotFound: There is no such lesson.
        """
        return self._portal.call(lambda: self._inner.sources(id, space=space))

    def list(
        self,
        *,
        space: str,
        category: str | None = None,
        project: str | None = None,
        session: str | None = None,
        state: State | Literal["all"] = "live",
        ended: bool = False,
        limit: int = 50,
        offset: int = 0,
        after: UUID | str | None = None,
        filter: Mapping[str, object] | None = None,
    ) -> Sequence[Lesson]:
        """List lessons, the surest first; of equally sure ones the latest.

        Raises:
            BadInput: An argument is invalid; the error names it.
        """
        return self._portal.call(
            lambda: self._inner.list(
                space=space,
                category=category,
                project=project,
                session=session,
                state=state,
                ended=ended,
                limit=limit,
                offset=offset,
                after=after,
                filter=filter,
            )
        )

    def search(
        self,
        question: str,
        *,
        space: str,
        category: str | None = None,
        project: str | None = None,
        limit: int = 10,
        filter: Mapping[str, object] | None = None,
    ) -> Sequence[FoundLesson]:
        """Find the lessons that answer a question, the best first.

        They are found by words and meaning, as by `recall`. Archived lessons are not found. Where
        nothing is relevant, the answer is empty.

        Raises:
            BadInput: An argument is invalid; the error names it.
        """
        return self._portal.call(
            lambda: self._inner.search(
                question, space=space, category=category, project=project, limit=limit, filter=filter
            )
        )

    def edit(
        self,
        id: UUID | str,
        *,
        space: str,
        fact: str | None = None,
        category: str | None = None,
        metadata: Mapping[str, object] | None = None,
    ) -> Lesson:
        """Change what a lesson says, its category, or its metadata as a whole.

        How it read before is kept; extraction leaves it alone from then on.

        Raises:
            NotFound: There is no such lesson.
            BadInput: Nothing is given, it is archived, or an argument is invalid.
            Conflict: Another live lesson of the project says so already.
        """
        return self._portal.call(
            lambda: self._inner.edit(id, space=space, fact=fact, category=category, metadata=metadata)
        )

    def archive(self, id: UUID | str, *, space: str) -> Lesson:
        """Archive a lesson, so that it is not recalled any more.

        Nothing is lost; `unarchive` brings it back.

        Raises:
            NotFound: There is no such lesson.
        """
        return self._portal.call(lambda: self._inner.archive(id, space=space))

    def unarchive(self, id: UUID | str, *, space: str) -> Lesson:
        """Bring an archived lesson back into recall; it ages from now.

        Raises:
            NotFound: There is no such lesson.
            Conflict: A live lesson of the project says the same.
        """
        return self._portal.call(lambda: self._inner.unarchive(id, space=space))

    def confirm(self, id: UUID | str, *, space: str) -> Lesson:
        """Confirm that a lesson is so: it is surer from now on, and ages from now.

        Raises:
            NotFound: There is no such lesson.
        """
        return self._portal.call(lambda: self._inner.confirm(id, space=space))

    def reinforce(self, ids: Sequence[UUID | str], *, space: str) -> int:
        """Note that lessons were of use, not merely found, and return how many uses count.

        They age from now. Uses of a lesson within an hour of each other count as one.

        Raises:
            NotFound: One of the lessons does not exist; no use was noted.
        """
        return self._portal.call(lambda: self._inner.reinforce(ids, space=space))

    def prune(self, *, space: str, confirm: bool = False) -> Pruned:
        """Archive the lessons whose confidence fell below the least (`memory_archive_below`)."""
        return self._portal.call(lambda: self._inner.prune(space=space, confirm=confirm))


class TranscriptCounts:
    """Count tools, files and tokens of recorded sessions."""

    def __init__(self, inner: AsyncCounts, portal: Portal) -> None:
        self._inner = inner
        self._portal = portal

    def tools(
        self,
        *,
        space: str,
        project: str | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        by_project: bool = False,
        limit: int = 50,
    ) -> Sequence[ToolUse]:
        """Count the calls of each tool, how many failed, and the median time until it answered.

        The most called stands first.
        """
        return self._portal.call(
            lambda: self._inner.tools(
                space=space, project=project, since=since, until=until, by_project=by_project, limit=limit
            )
        )

    def files(
        self,
        *,
        space: str,
        project: str | None = None,
        session: str | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        limit: int = 20,
    ) -> Sequence[TouchedFile]:
        """List the files that tools worked on, the most changed first, then the most read."""
        return self._portal.call(
            lambda: self._inner.files(
                space=space, project=project, session=session, since=since, until=until, limit=limit
            )
        )

    def stats(
        self,
        *,
        space: str,
        project: str | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        limit: int = 30,
    ) -> TranscriptStats | None:
        """Count sessions, messages, tool calls and lessons of a space, and tokens by day and model.

        Tokens are counted once for each answer of a model. ``project``, ``since`` and ``until`` narrow the
        tokens by day and model, not the totals. There is no answer where nothing was ever taken in.
        """
        return self._portal.call(
            lambda: self._inner.stats(space=space, project=project, since=since, until=until, limit=limit)
        )


class Browse(TranscriptCounts):
    """List, show and search recorded sessions, and ask of them in SQL."""

    def __init__(self, inner: AsyncBrowse, portal: Portal) -> None:
        self._inner = inner
        self._portal = portal

    def list(
        self,
        *,
        space: str,
        project: str | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        after: str | None = None,
        limit: int = 20,
        offset: int = 0,
    ) -> Sequence[RecordedSession]:
        """List recorded sessions, the latest first, with title, span, counts and tokens.

        Sessions of subagents stand inside the session that called them.

        Raises:
            NotFound: There is no session ``after`` any more.
            BadInput: An argument is out of range.
        """
        return self._portal.call(
            lambda: self._inner.list(
                space=space,
                project=project,
                since=since,
                until=until,
                after=after,
                limit=limit,
                offset=offset,
            )
        )

    def get(self, session: str, *, space: str, limit: int = 100, offset: int = 0) -> Transcript:
        """Show a session as it went, the oldest line first.

        Lines are what was said and thought, the tools that were called and what they answered.

        Raises:
            NotFound: There is no such session.
            BadInput: Several ids begin so.
        """
        return self._portal.call(lambda: self._inner.get(session, space=space, limit=limit, offset=offset))

    def search(
        self,
        query: str,
        *,
        space: str,
        project: str | None = None,
        session: str | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        part: Part | Sequence[Part] | None = None,
        role: Role | Sequence[Role] | None = None,
        tool: str | Sequence[str] | None = None,
        errors: bool = False,
        filter: Mapping[str, object] | None = None,
        sort: Sort = "relevance",
        meaning: bool = True,
        limit: int = 10,
    ) -> TranscriptHits:
        """Search recorded sessions for words: what was said and thought, what tools were given and answered.

        All words must be there. Words in quotes stand side by side, as do those that a sign joins
        (``fix-login``, ``src/app.py``); ``login*`` lets a word go on; ``-word`` leaves texts with it out;
        ``OR`` stands between alternatives. No other character means anything. What was synced a moment ago is
        found, too.

        Sorted by relevance, messages that are near in meaning count more, and where the query is nothing but
        words they join without having them.

        ``filter`` sets conditions on the metadata of the message, and on ``model``, ``branch``,
        ``directory`` (in which it was said) and ``sidechain`` (if a subagent said it).

        Raises:
            BadInput: There is no word in the query, or an argument is out of range.
        """
        return self._portal.call(
            lambda: self._inner.search(
                query,
                space=space,
                project=project,
                session=session,
                since=since,
                until=until,
                part=part,
                role=role,
                tool=tool,
                errors=errors,
                filter=filter,
                sort=sort,
                meaning=meaning,
                limit=limit,
            )
        )

    def recall(
        self,
        term: str,
        *,
        space: str,
        turns: int = 2,
        characters: int = 2000,
        project: str | None = None,
        session: str | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        sort: Sort = "relevance",
        meaning: bool = True,
        limit: int = 5,
    ) -> TranscriptMatches:
        """Find messages that have the words, with the messages before and after them.

        Matches that stand near each other are shown as one. A message that only called tools reads
        "[used tools: …]".

        Raises:
            BadInput: There is no word in the term, or an argument is out of range.
        """
        return self._portal.call(
            lambda: self._inner.recall(
                term,
                space=space,
                turns=turns,
                characters=characters,
                project=project,
                session=session,
                since=since,
                until=until,
                sort=sort,
                meaning=meaning,
                limit=limit,
            )
        )

    def query(
        self, sql: str, *, space: str, limit: int = 100, seconds: float = 10, megabytes: float = 16
    ) -> QueryRows:
        """Run one ``select`` over recorded sessions, as a role that can only read what is in the space.

        ``truncated`` says that rows are left out, ``cut_by`` which limit did it.

        Raises:
            BadInput: The server refuses the statement, or its first row alone has more than ``megabytes``.
            DatabaseError: It took too long.
        """
        return self._portal.call(
            lambda: self._inner.query(sql, space=space, limit=limit, seconds=seconds, megabytes=megabytes)
        )

    def schema(self, table: str | None = None, *, space: str) -> Sequence[QueryTable]:
        """List the views and tables that a query in SQL can name, with their columns and what they mean.

        Raises:
            NotFound: There is no such table.
        """
        return self._portal.call(lambda: self._inner.schema(table, space=space))

    def compact(
        self, *, space: str, older_than_days: int = 30, project: str | None = None, confirm: bool = False
    ) -> CompactedOutput:
        """Replace old bulky output of tools by markers that say how long it was.

        What was said stays. What is replaced is gone from the database and is not found any more; when and
        how much is kept in ``tool_results.compacted_at`` and ``compacted_bytes``. Nothing is replaced twice.
        """
        return self._portal.call(
            lambda: self._inner.compact(
                space=space, older_than_days=older_than_days, project=project, confirm=confirm
            )
        )

    def index_texts(
        self, *, space: str, seconds: float | None = None, progress: Callable[[int], None] | None = None
    ) -> IndexedTexts:
        """Put the texts of lines that were synced since into the text index.

        Searching does not need it, but is quicker after it.
        """
        return self._portal.call(
            lambda: self._inner.index_texts(space=space, seconds=seconds, progress=progress)
        )

    def unindexed(self, *, space: str) -> int:
        """Count the lines that the text index does not know yet."""
        return self._portal.call(lambda: self._inner.unindexed(space=space))


class Bootstrapping:
    """Tells what an agent should know when a session begins."""

    def __init__(self, inner: AsyncBootstrap, portal: Portal) -> None:
        self._inner = inner
        self._portal = portal

    def bootstrap(
        self,
        *,
        space: str,
        query: str | None = None,
        project: str | None = None,
        session: str | None = None,
        limit: int = 10,
        budget_tokens: int = 400,
    ) -> Bootstrap:
        """Show the memories that an agent should know when a session begins.

        It is told recent sessions, lessons, files often edited and open tasks, as lists and as text for a
        prompt. The text is marked as recalled memory, so that it is not taken in again when it comes back in
        a transcript.

        Raises:
            BadInput: An argument is out of range.
        """
        return self._portal.call(
            lambda: self._inner.bootstrap(
                space=space,
                query=query,
                project=project,
                session=session,
                limit=limit,
                budget_tokens=budget_tokens,
            )
        )


class Exchange:
    """Takes files of ccrecall in, writes them, and brings them to the seed's schema."""

    def __init__(self, inner: AsyncExchange, portal: Portal) -> None:
        self._inner = inner
        self._portal = portal

    def import_sqlite(
        self,
        path: str | PathLike[str],
        *,
        space: str | None = None,
        progress: Progress | None = None,
        erased_too: bool = False,
    ) -> Imported:
        """Take in a file of ccrecall: sessions, messages, calls and results, teams, lessons.

        The file is only read. What is known already stays as it is, so doing it again changes nothing, and
        what was cut off is finished by doing it again. Lessons are found by their meaning at once, messages
        with the next recalls (or ``index``). What was forgotten is withheld.

        Raises:
            NotFound: There is no such file.
            BadInput: It is no file of ccrecall, damaged, or locked.
        """
        return self._portal.call(
            lambda: self._inner.import_sqlite(path, space=space, progress=progress, erased_too=erased_too)
        )

    def export_sqlite(self, path: str | PathLike[str], *, spaces: Sequence[str] | None = None) -> Exported:
        """Write a new file that ccrecall can read, with the tables of the seed.

        Raises:
            Conflict: There is such a file already, or something was forgotten in a space meanwhile.
            BadInput: It cannot be written.
        """
        return self._portal.call(lambda: self._inner.export_sqlite(path, spaces=spaces))

    def migrate_sqlite(
        self, path: str | PathLike[str], *, write_memories: bool = False, spaces: Sequence[str] | None = None
    ) -> Migrated:
        """Bring an existing file of ccrecall to the seed's schema; a second time nothing is changed.

        The file as it was is kept beside it.

        Raises:
            NotFound: There is no such file.
            BadInput: It is no file of ccrecall, damaged, or locked; nothing was changed.
            Conflict: Something was forgotten in a space meanwhile; the file is as it was.
        """
        return self._portal.call(
            lambda: self._inner.migrate_sqlite(path, write_memories=write_memories, spaces=spaces)
        )


class Transcripts(Browse, Bootstrapping, Exchange):
    """Recorded sessions of coding agents: what people and agent said, thought and did, line by line.

    Each project is a space of its own, named like the directory that its sessions were started in.
    """

    def __init__(self, inner: AsyncTranscripts, portal: Portal) -> None:
        self._inner = inner
        self._portal = portal

    def sync(
        self,
        roots: Paths | None = None,
        *,
        space: str | None = None,
        progress: Progress | None = None,
        erased_too: bool = False,
    ) -> SyncReport:
        """Take in what is new in recorded sessions, and tell what it was.

        Doing it again takes what has come since; a sync that was cut off is finished by doing it again. What
        was taken is searched by its words at once; its meaning follows with the next recalls.

        Lines that were forgotten are left out and counted as ``withheld``, in whatever file they stand; so is
        the rest of a session as it was when it was forgotten. With ``erased_too`` every file is read from its
        beginning.

        Raises:
            BadInput: A name or a root is none.
        """
        return self._portal.call(
            lambda: self._inner.sync(roots, space=space, progress=progress, erased_too=erased_too)
        )

    def pending(self, roots: Paths | None = None, *, space: str | None = None) -> Mapping[str, Pending]:
        """Show the work of a sync: by space, the number of files with something new, and their bytes.

        Raises:
            BadInput: A name or a root is none.
        """
        return self._portal.call(lambda: self._inner.pending(roots, space=space))

    def follow(
        self,
        seen: Callable[[SyncReport], object],
        roots: Paths | None = None,
        *,
        space: str | None = None,
        every_seconds: float = 2.0,
    ) -> None:
        """Take in what comes, until cancelled.

        Raises:
            BadInput: A name or a root is none, or the time is not above zero.
        """
        self._portal.call(lambda: self._inner.follow(seen, roots, space=space, every_seconds=every_seconds))

    def waiting(self, *, space: str) -> int:
        """Count the messages that recall finds by their words only, until their meaning is indexed.

        Recalls index them little by little, and `index` all at once.
        """
        return self._portal.call(lambda: self._inner.waiting(space=space))

    def index(self, *, space: str, progress: Progress | None = None) -> int:
        """Let recalls find all that was taken in, the latest first, and count the messages that were waiting.

        A recall does it by itself, a second's work at a time.
        """
        return self._portal.call(lambda: self._inner.index(space=space, progress=progress))


class Episodes:
    """Look up and tend the episodes: conversations condensed, which fade unless they are used.

    Salience, freshness and activation are those of the moment of the call.
    """

    def __init__(self, inner: AsyncEpisodes, portal: Portal) -> None:
        self._inner = inner
        self._portal = portal

    def list(
        self,
        *,
        space: str,
        session: str | None = None,
        user: str | None = None,
        topic: str | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        state: ListState = "live",
        order: Order = "recent",
        limit: int = 50,
        offset: int = 0,
        after: UUID | str | None = None,
    ) -> Sequence[Episode]:
        """List episodes as they are now.

        An episode happened when it ended. Of equal ones the latest is first.

        Raises:
            BadInput: An argument is invalid; the error names it.
        """
        return self._portal.call(
            lambda: self._inner.list(
                space=space,
                session=session,
                user=user,
                topic=topic,
                since=since,
                until=until,
                state=state,
                order=order,
                limit=limit,
                offset=offset,
                after=after,
            )
        )

    def get(self, id: UUID | str, *, space: str) -> Episode:
        """Show an episode as it is now.

        Raises:
            NotFound: There is no such episode.
        """
        return self._portal.call(lambda: self._inner.get(id, space=space))

    def messages(self, id: UUID | str, *, space: str) -> Sequence[EpisodeMessage]:
        """List the messages that an episode was made of, in their order.

        One that was written by SQL has none.

        Raises:
            NotFound: There is no such episode.
        """
        return self._portal.call(lambda: self._inner.messages(id, space=space))

    def history(self, id: UUID | str, *, space: str) -> Sequence[EpisodeVersion]:
        """List the earlier versions of an episode, the latest first.

        Raises:
            NotFound: There is no such episode.
        """
        return self._portal.call(lambda: self._inner.history(id, space=space))

    def curve(
        self, id: UUID | str, *, space: str, points: int = 60, ahead_days: int | None = None
    ) -> EpisodeCurve:
        """Show the points at which an episode faded and was refreshed, and will fade if nobody uses it.

        Raises:
            NotFound: There is no such episode.
            BadInput: An argument is invalid; the error names it.
        """
        return self._portal.call(
            lambda: self._inner.curve(id, space=space, points=points, ahead_days=ahead_days)
        )

    def search(
        self, question: str, *, space: str, user: str | None = None, limit: int = 10
    ) -> Sequence[FoundEpisode]:
        """Find the episodes that answer a question, the best first.

        Scores are those of `recall`. Looking changes nothing. Where nothing is relevant, the answer is
        empty.

        Raises:
            BadInput: An argument is invalid; the error names it.
        """
        return self._portal.call(lambda: self._inner.search(question, space=space, user=user, limit=limit))

    def reinforce(self, ids: Sequence[UUID | str], *, space: str) -> int:
        """Note that episodes were of use, not merely found, and return how many uses count.

        They fade from now. Uses of an episode within ten minutes of each other count as one.

        Raises:
            NotFound: One of the episodes does not exist; no use was noted.
        """
        return self._portal.call(lambda: self._inner.reinforce(ids, space=space))

    def archive(self, id: UUID | str, *, space: str) -> Episode:
        """Archive an episode, so that it is not recalled any more.

        Nothing is lost; `unarchive` brings it back.

        Raises:
            NotFound: There is no such episode.
        """
        return self._portal.call(lambda: self._inner.archive(id, space=space))

    def unarchive(self, id: UUID | str, *, space: str) -> Episode:
        """Bring an archived episode back; its uses are as they were.

        Raises:
            NotFound: There is no such episode.
        """
        return self._portal.call(lambda: self._inner.unarchive(id, space=space))

    def erase(self, id: UUID | str, *, space: str, confirm: bool = False) -> Erasure:
        """Erase an episode for good.

        Its messages stay, and are not condensed again; `forget` takes them, too.

        Raises:
            NotFound: There is no such episode.
        """
        return self._portal.call(lambda: self._inner.erase(id, space=space, confirm=confirm))

    def condense(self, *, space: str, session: str | None = None) -> Condensation:
        """Make episodes now of all exchanges that wait, as if nothing more were said.

        Workers do this when a conversation rests. Messages of this moment wait for the chunker;
        a worker does both.

        Raises:
            ConfigError: The language model of the settings cannot be had.
            MissingExtra: The language model of the settings needs a package that is not installed.
        """
        return self._portal.call(lambda: self._inner.condense(space=space, session=session))

    def rebuild(
        self, *, space: str, id: UUID | str | None = None, session: str | None = None, again: bool = False
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
        return self._portal.call(
            lambda: self._inner.rebuild(space=space, id=id, session=session, again=again)
        )

    def stats(self, *, space: str) -> EpisodeStats:
        """Count episodes and the exchanges that wait, and tell how fresh they are on average."""
        return self._portal.call(lambda: self._inner.stats(space=space))


class Loops:
    """Find and close what was asked, promised, given to do or waited for.

    Workers find loops in conversations, and close them when a later exchange resolves them.
    """

    def __init__(self, inner: AsyncLoops, portal: Portal) -> None:
        self._inner = inner
        self._portal = portal

    def list(
        self,
        *,
        space: str,
        user: str | None = None,
        session: str | None = None,
        state: Literal["open", "closed", "all"] = "open",
        kind: LoopKind | None = None,
        limit: int = 50,
        offset: int = 0,
        after: UUID | str | None = None,
    ) -> Sequence[Loop]:
        """List loops, the latest first.

        The latest is what was said or closed last.

        Raises:
            BadInput: An argument is invalid; the error names it.
        """
        return self._portal.call(
            lambda: self._inner.list(
                space=space,
                user=user,
                session=session,
                state=state,
                kind=kind,
                limit=limit,
                offset=offset,
                after=after,
            )
        )

    def get(self, id: UUID | str, *, space: str) -> Loop:
        """Show a loop, where it was said, and what closed it.

        Raises:
            NotFound: There is no such loop.
        """
        return self._portal.call(lambda: self._inner.get(id, space=space))

    def remind(
        self, *, space: str, user: str | None = None, session: str | None = None, limit: int = 5
    ) -> Sequence[Loop]:
        """Show the open loops that matter now, the most urgent first.

        What is due comes first; what has no date matters less with each week since it was last mentioned.
        These are the loops that prompts are told of. Looking changes nothing.

        Raises:
            BadInput: An argument is invalid; the error names it.
        """
        return self._portal.call(
            lambda: self._inner.remind(space=space, user=user, session=session, limit=limit)
        )

    def close(
        self, id: UUID | str, *, space: str, evidence: str | None = None, outcome: Outcome = "resolved"
    ) -> Loop:
        """Close a loop by hand.

        A loop that is closed already stays as it is. `reopen` opens it again.

        Raises:
            NotFound: There is no such loop.
            BadInput: An argument is invalid; the error names it.
        """
        return self._portal.call(
            lambda: self._inner.close(id, space=space, evidence=evidence, outcome=outcome)
        )

    def reopen(self, id: UUID | str, *, space: str) -> Loop:
        """Open a closed loop again.

        What closed it is forgotten. A loop that is open stays as it is.

        Raises:
            NotFound: There is no such loop.
        """
        return self._portal.call(lambda: self._inner.reopen(id, space=space))


class Beliefs:
    """Look up and settle what people said of themselves: facts and traits, one value for a key, with history.

    Workers settle what is said when they write it: the same again makes a belief surer, a correction takes
    its place, and another value without a correction is a conflict that can be asked about.
    """

    def __init__(self, inner: AsyncBeliefs, portal: Portal) -> None:
        self._inner = inner
        self._portal = portal

    def list(
        self,
        *,
        space: str,
        user: str | None = None,
        key: str | None = None,
        state: Literal["standing", "contested", "superseded", "all"] = "standing",
        ended: bool = False,
        limit: int = 50,
        offset: int = 0,
    ) -> Sequence[Belief]:
        """List beliefs, the surest first.

        Raises:
            BadInput: An argument is invalid; the error names it.
        """
        return self._portal.call(
            lambda: self._inner.list(
                space=space, user=user, key=key, state=state, ended=ended, limit=limit, offset=offset
            )
        )

    def get(self, id: UUID | str, *, space: str) -> Belief:
        """Show a belief.

        Raises:
            NotFound: There is no such belief.
        """
        return self._portal.call(lambda: self._inner.get(id, space=space))

    def sources(self, id: UUID | str, *, space: str) -> Sequence[BeliefSource]:
        """List the messages that said a belief, the latest first.

        Raises:
            NotFound: There is no such belief.
        """
        return self._portal.call(lambda: self._inner.sources(id, space=space))

    def history(self, id: UUID | str, *, space: str) -> Sequence[Belief]:
        """List all values that the key of a belief ever had for its person, the latest first.

        Raises:
            NotFound: There is no such belief.
        """
        return self._portal.call(lambda: self._inner.history(id, space=space))

    def conflicts(
        self, *, space: str, user: str | None = None, settled: bool = False, limit: int = 50
    ) -> Sequence[Conflict]:
        """List open conflicts with both values, the most severe first.

        Raises:
            BadInput: An argument is invalid; the error names it.
        """
        return self._portal.call(
            lambda: self._inner.conflicts(space=space, user=user, settled=settled, limit=limit)
        )

    def ask(self, *, space: str, user: str | None = None) -> Conflict | None:
        """Choose the conflict to ask the person about, if any.

        Its `question` can be put to them as it stands. Each time lowers its severity; one that was asked
        about often enough is not chosen again, but stays open.

        Raises:
            BadInput: An argument is invalid; the error names it.
        """
        return self._portal.call(lambda: self._inner.ask(space=space, user=user))

    def resolve(self, id: UUID | str, keep: str, *, space: str) -> Belief:
        """Settle a conflict, and return the belief that stands.

        Raises:
            NotFound: There is no such conflict.
            BadInput: It is settled already, or `keep` is blank or too long.
        """
        return self._portal.call(lambda: self._inner.resolve(id, keep, space=space))

    def correct(self, id: UUID | str, value: str, *, space: str) -> Belief:
        """Replace the value of a belief.

        Its conflicts are settled; the old value stays in the history.

        Raises:
            NotFound: There is no such belief.
            BadInput: `value` is blank or too long.
        """
        return self._portal.call(lambda: self._inner.correct(id, value, space=space))

    def erase(self, id: UUID | str, *, space: str, confirm: bool = False) -> Belief:
        """Delete a belief and its conflicts for good.

        The surest value that contested it stands then. The messages that said it stay.

        Raises:
            NotFound: There is no such belief.
        """
        return self._portal.call(lambda: self._inner.erase(id, space=space, confirm=confirm))


class Browsing:
    """Look at rows without SQL."""

    def __init__(self, inner: AsyncBrowsing, portal: Portal) -> None:
        self._inner = inner
        self._portal = portal

    def browse(
        self,
        table: str,
        *,
        match: Mapping[str, Any] | None = None,
        contains: Mapping[str, str] | None = None,
        sort: str | None = None,
        descending: bool = False,
        after: str | None = None,
        limit: int = 50,
        characters: int = 200,
        space: str,
        schema: str = "memory",
        agent: str | None = None,
    ) -> TableRows:
        """Look at the rows of a table, page by page.

        Without a primary key there is one page.

        Raises:
            BadInput: A column or a value does not fit, or an argument is out of range.
            NotFound: There is no such schema or table.
        """
        return self._portal.call(
            lambda: self._inner.browse(
                table,
                match=match,
                contains=contains,
                sort=sort,
                descending=descending,
                after=after,
                limit=limit,
                characters=characters,
                space=space,
                schema=schema,
                agent=agent,
            )
        )

    def row(
        self, table: str, key: str, *, space: str, schema: str = "memory", agent: str | None = None
    ) -> TableRow:
        """Show a row, each value up to 20,000 characters.

        Raises:
            BadInput: It is no key of the table.
            NotFound: There is no such schema, table or row.
        """
        return self._portal.call(lambda: self._inner.row(table, key, space=space, schema=schema, agent=agent))

    def references(
        self, table: str, *, space: str, schema: str = "memory", agent: str | None = None
    ) -> Sequence[ForeignKey]:
        """List the foreign keys of a table, and those of other tables of the schema that point to it.

        Raises:
            NotFound: There is no such schema or table.
        """
        return self._portal.call(
            lambda: self._inner.references(table, space=space, schema=schema, agent=agent)
        )

    def near(
        self,
        table: str,
        text: str,
        *,
        limit: int = 20,
        space: str,
        schema: str = "memory",
        agent: str | None = None,
    ) -> Sequence[NearRow]:
        """Find the rows whose embedded fields are nearest to a text in meaning, the nearest first.

        Raises:
            BadInput: The text is empty, or the limit is out of range.
            NotFound: There is no such schema or table.
        """
        return self._portal.call(
            lambda: self._inner.near(table, text, limit=limit, space=space, schema=schema, agent=agent)
        )

    def embedded(
        self, table: str, key: str, *, space: str, schema: str = "memory", agent: str | None = None
    ) -> Sequence[EmbeddedField]:
        """Show the vectors of a row, by field: what they stand for, and their numbers.

        Raises:
            NotFound: There is no such schema or table.
        """
        return self._portal.call(
            lambda: self._inner.embedded(table, key, space=space, schema=schema, agent=agent)
        )


class Schemas:
    """Make and drop schemas, and grant agents rights in them. It is for people, not for agents."""

    def __init__(self, inner: AsyncSchemas, portal: Portal) -> None:
        self._inner = inner
        self._portal = portal

    def schemas(self, *, space: str) -> Sequence[Schema]:
        """List the schemas of a space, the default first."""
        return self._portal.call(lambda: self._inner.schemas(space=space))

    def create_schema(self, name: str, *, description: str | None = None, space: str) -> Schema:
        """Make a schema with two login roles of its own, if it is not there yet.

        Raises:
            DatabaseUnsuitable: Our account may not make roles on this server.
        """
        return self._portal.call(
            lambda: self._inner.create_schema(name, description=description, space=space)
        )

    def drop_schema(self, name: str, *, confirm: bool = False, space: str) -> DroppedSchema:
        """Drop a schema with everything in it, after a preview of what would go.

        It cannot be undone.

        Raises:
            NotFound: There is no such schema.
        """
        return self._portal.call(lambda: self._inner.drop_schema(name, confirm=confirm, space=space))

    def grants(self, *, schema: str | None = None, space: str) -> Sequence[Grant]:
        """List the rights of each agent, in one schema or in all of them."""
        return self._portal.call(lambda: self._inner.grants(schema=schema, space=space))

    def grant(
        self, agent: str, permission: Permission, *, schema: str = "memory", space: str
    ) -> Sequence[Grant]:
        """Let an agent read, write or administer a schema, from now on.

        Returns who may do what in that schema now.
        """
        return self._portal.call(lambda: self._inner.grant(agent, permission, schema=schema, space=space))

    def revoke(self, agent: str, *, schema: str = "memory", space: str) -> Sequence[Grant]:
        """Let an agent do nothing in a schema, from now on.

        Returns who may still do what there.

        Raises:
            NotFound: There is no such schema, or the agent may do nothing there.
        """
        return self._portal.call(lambda: self._inner.revoke(agent, schema=schema, space=space))


class Tables(Browsing, Schemas):
    """Tables in schemas of PostgreSQL that belong to agents: made, filled and asked in SQL.

    Every call names the ``space``; ``schema`` is ``memory`` or the short name of another one. ``agent`` names
    who asks: it may do what was granted to it there, and whoever uses ``memory`` first administers it.
    Without an agent it is the program itself, which may do everything. What an agent sends runs on logins of
    its schema, which reach nothing else.
    """

    def __init__(self, inner: AsyncTables, portal: Portal) -> None:
        self._inner = inner
        self._portal = portal

    def create_table(
        self,
        name: str,
        sql: str,
        *,
        description: str,
        embed_fields: Sequence[str] | str,
        column_descriptions: Mapping[str, str] | None = None,
        space: str,
        schema: str = "memory",
        agent: str | None = None,
    ) -> Done:
        """Make a table, and register what it is for.

        Both are done in one transaction.

        Raises:
            BadInput: The statement is refused, makes another table, or names a column that is not there.
            NotFound: There is no such schema.
        """
        return self._portal.call(
            lambda: self._inner.create_table(
                name,
                sql,
                description=description,
                embed_fields=embed_fields,
                column_descriptions=column_descriptions,
                space=space,
                schema=schema,
                agent=agent,
            )
        )

    def execute(
        self,
        sql: str,
        *,
        confirm: bool | Done = False,
        show_first: bool = False,
        space: str,
        schema: str = "memory",
        agent: str | None = None,
    ) -> Done:
        """Run one other statement, such as CREATE INDEX, DROP TABLE or INSERT with a SELECT.

        What takes nothing away is done at once. Where rows are deleted or changed, or objects go or are
        replaced, it is undone: `undone` is true, `lost` says what that is, and it needs to be confirmed.
        This is found by comparing what there is before and after.

        Raises:
            BadInput: It is refused. ALTER TABLE is answered with the call of `recreate` that replaces it.
            NotFound: There is no such schema.
            Conflict: A row with that key, or that table, is there.
            Outdated: Something else than the preview shows would be lost by now.
        """
        return self._portal.call(
            lambda: self._inner.execute(
                sql, confirm=confirm, show_first=show_first, space=space, schema=schema, agent=agent
            )
        )

    def list(
        self,
        *,
        table: str | None = None,
        show_columns: bool = True,
        space: str,
        schema: str = "memory",
        agent: str | None = None,
    ) -> Listing:
        """List the tables of a schema.

        With columns, descriptions and row estimates, and which extensions there are.

        Raises:
            NotFound: There is no such schema or table.
        """
        return self._portal.call(
            lambda: self._inner.list(
                table=table, show_columns=show_columns, space=space, schema=schema, agent=agent
            )
        )

    def query(
        self,
        sql: str,
        *,
        search_text: str | None = None,
        limit: int | None = None,
        space: str,
        schema: str = "memory",
        agent: str | None = None,
    ) -> Selected:
        """Ask in SQL.

        The query can only read. It returns at most 1 MB, and takes no longer than `QUIPU_STATEMENT_SECONDS`.

        Raises:
            BadInput: The query is refused.
            DatabaseError: It took too long.
            NotFound: There is no such schema or table.
        """
        return self._portal.call(
            lambda: self._inner.query(
                sql, search_text=search_text, limit=limit, space=space, schema=schema, agent=agent
            )
        )

    def insert(
        self,
        table: str,
        data: Data,
        *,
        confirm: bool | Changed = True,
        space: str,
        schema: str = "memory",
        agent: str | None = None,
    ) -> Changed:
        """Insert a row, or several: all or none.

        Embedded fields are embedded. An insert takes nothing away by itself; a trigger of the table may.

        Raises:
            BadInput: A column or a value does not fit; it is named.
            Conflict: A row with that key is there.
            NotFound: There is no such schema or table.
            Outdated: Something else than the preview shows would be taken away by now.
        """
        return self._portal.call(
            lambda: self._inner.insert(table, data, confirm=confirm, space=space, schema=schema, agent=agent)
        )

    def update(
        self,
        table: str,
        data: Mapping[str, Any],
        *,
        where: Where,
        confirm: bool | Changed = False,
        show_first: bool = False,
        space: str,
        schema: str = "memory",
        agent: str | None = None,
    ) -> Changed:
        """Change rows.

        A column `updated_at` follows by itself. What takes something away elsewhere, by a trigger, a cascade
        or a function, is undone: `undone` is true, `lost` says what that is, and it needs to be confirmed.

        Raises:
            BadInput: A column or a value does not fit; it is named.
            Conflict: A row with that key is there.
            NotFound: There is no such schema or table.
            Outdated: It would change other rows than the preview shows, or take other away.
        """
        return self._portal.call(
            lambda: self._inner.update(
                table,
                data,
                where=where,
                confirm=confirm,
                show_first=show_first,
                space=space,
                schema=schema,
                agent=agent,
            )
        )

    def delete(
        self,
        table: str,
        *,
        where: Where,
        confirm: bool | Changed = False,
        space: str,
        schema: str = "memory",
        agent: str | None = None,
    ) -> Changed:
        """Delete rows, after a preview of which would go.

        Their vectors go with them. A preview tries it and undoes it: how many rows would go, the keys of the
        first 20, and in `lost` what goes along elsewhere.

        Raises:
            BadInput: `where` says nothing, or names what there is not.
            Conflict: Another row refers to one of them.
            NotFound: There is no such schema or table.
            Outdated: Other rows than the preview shows would go, or take other along.
        """
        return self._portal.call(
            lambda: self._inner.delete(
                table, where=where, confirm=confirm, space=space, schema=schema, agent=agent
            )
        )

    def recreate(
        self,
        table: str,
        sql: str,
        *,
        mapping: Mapping[str, str] | None = None,
        embed_fields: Sequence[str] | str | None = None,
        description: str | None = None,
        column_descriptions: Mapping[str, str] | None = None,
        confirm: bool | Recreated = False,
        space: str,
        schema: str = "memory",
        agent: str | None = None,
    ) -> Recreated:
        """Recreate a table with another definition, after a preview of what would differ.

        It is one transaction. Rows come along by column, and what hangs on a column follows its new name.
        Vectors, registry, indexes, views, references of other tables, triggers, rules, policies, rights,
        statistics and comments come along where they can; `lost` names what cannot. The plan is tried with
        the first 100,000 rows, and undone.

        Raises:
            BadInput: The statement is refused, rows do not fit the new definition, or something else depends
                on the table (a partition, an heir, a function, a column of its row type); it is named.
            NotFound: There is no such schema or table.
            Conflict: A row with that key is there twice.
            Outdated: It would differ otherwise, or lose other than the plan shows.
        """
        return self._portal.call(
            lambda: self._inner.recreate(
                table,
                sql,
                mapping=mapping,
                embed_fields=embed_fields,
                description=description,
                column_descriptions=column_descriptions,
                confirm=confirm,
                space=space,
                schema=schema,
                agent=agent,
            )
        )

    def prompt(self, *, space: str, schema: str = "memory", agent: str | None = None) -> Briefing:
        """Show the part of a system prompt about a schema, its tools and tables.

        With an estimate of its tokens. It is kept until the structure changes.

        Raises:
            NotFound: There is no such schema.
        """
        return self._portal.call(lambda: self._inner.prompt(space=space, schema=schema, agent=agent))

    def call(
        self,
        tool: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        space: str,
        schema: str = "memory",
        agent: str | None = None,
    ) -> tools.Envelope:
        """Call a tool as a model does, by its name.

        Returns `{"output": …, "is_error": …}`; what goes wrong is told in there and not raised. A tool does
        what it is told at once, unless it is told `dry_run`: whoever runs it asks its user.
        """
        return self._portal.call(
            lambda: self._inner.call(tool, arguments, space=space, schema=schema, agent=agent)
        )


class Corrections:
    """Mark what was derived from messages as wrong: it goes, and no reader makes it of these words again.

    The id is that of a long-term memory, a belief, a loop, a lesson or a standing rule.
    """

    def __init__(self, inner: AsyncCorrections, portal: Portal) -> None:
        self._inner = inner
        self._portal = portal

    def add(
        self, id: UUID | str, *, space: str, kind: CorrectedKind | None = None, reason: str | None = None
    ) -> Correction:
        """Mark a memory as wrong, and return the correction.

        The memory is recalled no more, nor is what else claims the same and rests on the same messages alone.
        The correction wins over that claim whenever these messages are read again; another message may still
        tell it. `remove` takes it back. Adding it again changes nothing.

        Raises:
            NotFound: There is no such memory.
            BadInput: A person wrote it by hand, several ids begin so, or an argument is invalid.
        """
        return self._portal.call(lambda: self._inner.add(id, space=space, kind=kind, reason=reason))

    def list(
        self,
        *,
        space: str,
        kind: CorrectedKind | None = None,
        rule: str | None = None,
        memory: UUID | None = None,
        limit: int = 50,
        offset: int = 0,
    ) -> Sequence[Correction]:
        """List corrections, the latest first.

        Raises:
            BadInput: An argument is invalid; the error names it.
        """
        return self._portal.call(
            lambda: self._inner.list(
                space=space, kind=kind, rule=rule, memory=memory, limit=limit, offset=offset
            )
        )

    def counts(self, *, space: str) -> Sequence[RuleCount]:
        """Count corrections by the rule that made the statement, the most corrected first.

        Beside them stands how many statements of the rule are stored, corrected ones included.
        """
        return self._portal.call(lambda: self._inner.counts(space=space))

    def remove(self, id: UUID | str, *, space: str) -> Correction:
        """Take a correction back, and return it as it was.

        The memory comes back, unless another says so by now or stands in its place, and readers may make it
        of these words again. So does what went with it.

        Raises:
            NotFound: No memory with this id is marked as wrong.
            BadInput: Several ids begin so, or it is no id.
        """
        return self._portal.call(lambda: self._inner.remove(id, space=space))


class Rules:
    """Find, add and end standing rules: what an assistant is told to do from now on.

    They are found in what users say to an assistant, as it is taken in.
    """

    def __init__(self, inner: AsyncRules, portal: Portal) -> None:
        self._inner = inner
        self._portal = portal

    def list(
        self,
        *,
        space: str,
        user: str | None = None,
        state: ListState = "live",
        limit: int = 50,
        offset: int = 0,
        after: UUID | str | None = None,
    ) -> Sequence[StandingRule]:
        """List rules, those in force first, the latest first.

        Raises:
            BadInput: An argument is invalid; the error names it.
        """
        return self._portal.call(
            lambda: self._inner.list(
                space=space, user=user, state=state, limit=limit, offset=offset, after=after
            )
        )

    def get(self, id: UUID | str, *, space: str) -> StandingRule:
        """Show a rule, where it was said, and what ended it.

        Raises:
            NotFound: There is no such rule.
        """
        return self._portal.call(lambda: self._inner.get(id, space=space))

    def add(
        self, text: str, *, space: str, user: str | None = None, scope: str | None = None
    ) -> StandingRule:
        """Add a rule by hand, and return it.

        It ends no other rule: `archive` does.

        Raises:
            BadInput: An argument is invalid; the error names it.
        """
        return self._portal.call(lambda: self._inner.add(text, space=space, user=user, scope=scope))

    def archive(self, id: UUID | str, *, space: str) -> StandingRule:
        """End a rule: it stays as history, and is shown to no agent.

        A rule that has ended stays as it is. `unarchive` puts it in force again.

        Raises:
            NotFound: There is no such rule.
        """
        return self._portal.call(lambda: self._inner.archive(id, space=space))

    def unarchive(self, id: UUID | str, *, space: str) -> StandingRule:
        """Put a rule that has ended in force again.

        Raises:
            NotFound: There is no such rule.
        """
        return self._portal.call(lambda: self._inner.unarchive(id, space=space))

    def erase(self, id: UUID | str, *, space: str, confirm: bool = False) -> StandingRule:
        """Delete a rule for good.

        The message that it was said in stays, and no rule is made of it again.

        Raises:
            NotFound: There is no such rule.
        """
        return self._portal.call(lambda: self._inner.erase(id, space=space, confirm=confirm))

    def sources(self, id: UUID | str, *, space: str) -> Sequence[RuleSource]:
        """Show the messages that a rule was said in and ended by, the latest first.

        A rule that was added by hand has none.

        Raises:
            NotFound: There is no such rule.
        """
        return self._portal.call(lambda: self._inner.sources(id, space=space))


class StoredSettings:
    """Settings and their values: of the whole database, or of a space if ``space`` is named.

    Values given to a program (``Memory(settings=…)``, ``QUIPU_*``) come before those stored for a space,
    those before the ones stored for the database, and those before the default. Every process of the database
    follows a change within a second.
    """

    def __init__(self, inner: AsyncSettings, portal: Portal) -> None:
        self._inner = inner
        self._portal = portal

    def list(self, *, space: str | None = None, kind: str | None = None) -> Sequence[SettingState]:
        """List every setting with its value and where that is from.

        Raises:
            BadInput: There is no such kind.
        """
        return self._portal.call(lambda: self._inner.list(space=space, kind=kind))

    def get(self, name: str, *, space: str | None = None) -> SettingState:
        """Get one setting: what it means, what it can be, its value and where that is from.

        Raises:
            NotFound: There is none of that name; the nearest is named.
        """
        return self._portal.call(lambda: self._inner.get(name, space=space))

    def set(self, name: str, value: SettingValue, *, space: str | None = None) -> SettingState:
        """Keep a value in the database. Every process follows within a second.

        A process that was given another value keeps to that: ``overridden`` says so.

        Raises:
            NotFound: There is none of that name; the nearest is named.
            BadInput: The value cannot be taken, or is not kept in the database.
        """
        return self._portal.call(lambda: self._inner.set(name, value, space=space))

    def reset(self, name: str, *, space: str | None = None) -> SettingState:
        """Forget the value that was kept. What comes after it holds again.

        Raises:
            NotFound: There is none of that name; the nearest is named.
            BadInput: It is not kept in the database, or not in a space.
        """
        return self._portal.call(lambda: self._inner.reset(name, space=space))


class Archives:
    """Writes a whole space, or what is one person's, to open files, and takes such files in."""

    def __init__(self, inner: AsyncArchives, portal: Portal) -> None:
        self._inner = inner
        self._portal = portal

    def export(
        self,
        path: str | PathLike[str],
        *,
        space: str,
        user: str | None = None,
        with_others: bool = False,
        format: ArchiveFormat = "quipu",
        vectors: bool = False,
        progress: OnRecords | None = None,
    ) -> ArchiveWritten:
        """Write an archive of a space, as of one moment, while others go on writing.

        Formats other than ``quipu`` may also be a .zip, and are made of an archive that lies beside it
        meanwhile.

        Raises:
            BadInput: There is something at that path already; or others are asked for beside nobody; or there
                is no such format, or it cannot be a .zip; or vectors are asked for that are not of a whole
                space in the format ``quipu``.
            NotFound: There is no such space.
            Conflict: Something was forgotten in the space meanwhile.
            DatabaseError: It could not be written.
        """
        return self._portal.call(
            lambda: self._inner.export(
                path,
                space=space,
                user=user,
                with_others=with_others,
                format=format,
                vectors=vectors,
                progress=progress,
            )
        )

    def load(
        self,
        path: str | PathLike[str],
        *,
        space: str,
        preview: bool = False,
        erased_too: bool = False,
        progress: OnRecords | None = None,
    ) -> ArchiveLoaded:
        """Take an archive in, whole or not at all, into a space that is new or empty.

        Every file is verified before anything is written. The index of recall is made afterwards: by a
        worker, or by the recalls that come first; at once where the archive has its vectors, and the same
        model serves here.

        Raises:
            BadInput: It is no archive, damaged, or of a newer version; the file and the line are named.
            Conflict: The space has something in it; or something was forgotten since that cannot be left out.
        """
        return self._portal.call(
            lambda: self._inner.load(
                path, space=space, preview=preview, erased_too=erased_too, progress=progress
            )
        )


class Imports:
    """Takes in what other systems remember, shows where it came from, and takes it out again."""

    def __init__(self, inner: AsyncImports, portal: Portal) -> None:
        self._inner = inner
        self._portal = portal

    def load(
        self,
        path: str | PathLike[str],
        *,
        space: str,
        source: str | None = None,
        user: str | None = None,
        names: Mapping[str, str] | None = None,
        preview: bool = False,
        erased_too: bool = False,
        progress: Progress | None = None,
    ) -> ImportReport:
        """Take in what another system remembers, each record where it belongs, with its origin.

        Words become messages, statements long-term memories or lessons with the time for which they hold,
        notes and items of stores documents, tasks loops. What the source ended is kept as what held once;
        what it deleted is not taken. The source is only read. Importing again brings what is new there, and
        changes what changed; an import that was cut off is gone on with.

        Raises:
            BadInput: It is of no system that is known, or damaged, or a name is invalid.
            NotFound: There is nothing at that path.
        """
        return self._portal.call(
            lambda: self._inner.load(
                path,
                space=space,
                source=source,
                user=user,
                names=names,
                preview=preview,
                erased_too=erased_too,
                progress=progress,
            )
        )

    def list(self, *, space: str, limit: int = 100, offset: int = 0) -> Sequence[Import]:
        """List the imports of a space, the latest first."""
        return self._portal.call(lambda: self._inner.list(space=space, limit=limit, offset=offset))

    def get(self, id: str, *, space: str) -> Import:
        """Show an import.

        Raises:
            NotFound: There is no such import.
        """
        return self._portal.call(lambda: self._inner.get(id, space=space))

    def records(self, id: str, *, space: str, limit: int = 100, offset: int = 0) -> Sequence[ImportedRecord]:
        """List the records of an import that are still there, each with that of the source.

        Raises:
            NotFound: There is no such import.
        """
        return self._portal.call(lambda: self._inner.records(id, space=space, limit=limit, offset=offset))

    def undo(self, id: str, *, space: str, confirm: bool = False) -> ImportUndone:
        """Take out all that an import brought, and what was derived from it.

        Without ``confirm`` it is a preview: how many rows of what would go. Nothing is noted as forgotten:
        the same import brings it again.

        Raises:
            NotFound: There is no such import.
        """
        return self._portal.call(lambda: self._inner.undo(id, space=space, confirm=confirm))

    def origin(self, id: str, *, space: str) -> Origin | None:
        """Return the place where a memory was imported from; nothing if it was not."""
        return self._portal.call(lambda: self._inner.origin(id, space=space))


class Snapshots:
    """Take snapshots of the schemas of agents, and put them back.

    A snapshot is a dump of one schema, in plain SQL, with sums of its tables and vectors of its rows beside
    it. A worker takes one of each schema every hour. Every call names the ``space``; ``schema`` is ``memory``
    or the short name of another one. It is for people and programs: no tool of an agent leads here.
    """

    def __init__(self, inner: AsyncSnapshots, portal: Portal) -> None:
        self._inner = inner
        self._portal = portal

    def create(self, *, space: str, schema: str = "memory") -> Snapshot:
        """Take a snapshot of a schema as it is now.

        It stays until the retention is over, whatever its hour.

        Raises:
            NotFound: There is no such schema.
            DatabaseUnsuitable: No pg_dump here fits the server.
            DatabaseError: It could not be written.
            Conflict: Something was forgotten in the space each time it was tried.
        """
        return self._portal.call(lambda: self._inner.create(space=space, schema=schema))

    def list(self, *, space: str, schema: str | None = None) -> Sequence[Snapshot]:
        """List the snapshots of a space, the newest first, with the tier that keeps each.

        Those of schemas that were dropped are among them.
        """
        return self._portal.call(lambda: self._inner.list(space=space, schema=schema))

    def get(self, name: str, *, space: str) -> Snapshot:
        """Show a snapshot.

        Raises:
            BadInput: That is no name of a snapshot.
            NotFound: There is no such snapshot.
        """
        return self._portal.call(lambda: self._inner.get(name, space=space))

    def path(self, name: str, *, space: str) -> Path:
        """Return the file of a snapshot.

        Raises:
            NotFound: There is no such snapshot.
        """
        return self._portal.call(lambda: self._inner.path(name, space=space))

    def prune(self, *, space: str, schema: str | None = None, confirm: bool = False) -> Thinned:
        """Thin snapshots out, after a preview of which would go.

        24 hourly ones stay, 4 a day to 7 days, one a day to `memory_snapshot_retention_days`. Those taken by
        hand, or before a restore, stay until the retention is over.
        """
        return self._portal.call(lambda: self._inner.prune(space=space, schema=schema, confirm=confirm))

    def erase(self, name: str, *, space: str, confirm: bool = False) -> Snapshot:
        """Erase a snapshot for good, after a preview of it.

        Raises:
            BadInput: That is no name of a snapshot.
            NotFound: There is no such snapshot.
        """
        return self._portal.call(lambda: self._inner.erase(name, space=space, confirm=confirm))

    def restore(
        self, name: str, *, space: str, confirm: bool = False, progress: BytesRead | None = None
    ) -> Restored:
        """Put a snapshot in the place of what its schema holds, after a preview of what would change.

        A snapshot of what is there now is taken first: restoring that undoes it. Then the schema is replaced
        as a whole, in one transaction, or stays as it is. A schema that was dropped is made again, with the
        grants of then. What SQL granted on its objects is as it was then, for roles that are still there;
        `lost` names the others. What was forgotten of a person or a session since does not come back.

        Raises:
            BadInput: That is no name of a snapshot, or its file was changed.
            NotFound: There is no such snapshot.
            Conflict: The schema is in use.
            DatabaseError: It could not be read or written.
        """
        return self._portal.call(
            lambda: self._inner.restore(name, space=space, confirm=confirm, progress=progress)
        )

    def export(
        self,
        path: PathLike[str] | str,
        *,
        structure: bool = False,
        replace_file: bool = False,
        space: str,
        schema: str = "memory",
    ) -> HandedOut:
        """Write a dump of a schema to a file of SQL.

        Raises:
            BadInput: The file is there already, and is not to be replaced.
            NotFound: There is no such schema.
            Conflict: Something was forgotten in the space meanwhile.
            DatabaseUnsuitable: No pg_dump here fits the server.
            DatabaseError: It could not be written.
        """
        return self._portal.call(
            lambda: self._inner.export(
                path, structure=structure, replace_file=replace_file, space=space, schema=schema
            )
        )

    def import_dump(
        self,
        path: PathLike[str] | str,
        *,
        space: str,
        schema: str = "memory",
        confirm: bool = False,
        progress: BytesRead | None = None,
    ) -> Restored:
        """Put an exported file in the place of what a schema holds, after a trial that is undone.

        It may be of a schema of another name, and of another space or database. Only tables, sequences,
        views, types, indexes, constraints, comments and rows are taken: no functions, triggers, rules or
        policies. All of it runs with the rights of the schema's own agent. Rights of the schema's own logins
        go with it; those of others are not given, and `lost` names them. A snapshot is taken first. A person
        or a session that was ever forgotten in the space does not come in.

        Raises:
            BadInput: The file holds what no such dump holds; the line is named. Nothing was changed.
            Conflict: The schema is in use.
        """
        return self._portal.call(
            lambda: self._inner.import_dump(
                path, space=space, schema=schema, confirm=confirm, progress=progress
            )
        )

    def erase_all(self, snapshots: Iterable[Snapshot]) -> None:
        """Erase snapshots of a space that is no more."""
        self._portal.call(lambda: self._inner.erase_all(snapshots))
