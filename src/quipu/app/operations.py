"""The public operations that doors are derived from: a line each, with what a signature cannot say.

The async method declares an operation: its name, parameters, types, defaults and docstring. Its line here
adds where it stands at each door. The route, the command and the reference are made from both. An operation
whose door has a shape of its own is written there by hand; it has no ``route`` or ``command`` then, and
without either it has no line here. A list beside the tests names all such doors, with the reason for each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from importlib import import_module
from inspect import getmembers, isfunction
from types import MappingProxyType
from typing import Any, Final, Literal

from quipu.upkeep.keys.model import Level


@dataclass(frozen=True, slots=True)
class Operation:
    """A public operation at its doors.

    ``name`` is the room and the method (``longterm.list``), or a method of the memory. ``route`` is the
    HTTP method and the path under ``/v1``, with ``{name}`` where a parameter stands; parameters that are left
    over are the query of a GET, the body of all others. ``level`` is the least level of a key; ``owner`` is
    ``admin`` with all spaces. ``everywhere`` is the route by which the owner does it for all spaces together.
    ``status`` is the code of success. ``command`` is False where no command is derived; its words are those
    of the name. ``view`` is the function of ``quipu.interfaces.cli.views`` that shows the answer to people.
    ``named`` is what an answer that is a number or a text is called at the doors. ``same`` returns what must
    be unchanged between a preview and its confirmation. ``arguments`` are optional parameters that a command
    takes by place, ``options`` are those that it takes by name though others may give them by place.
    ``busy`` is what a command says while it works for long; with a ``unit`` it shows a bar of what its
    ``progress`` is told, the number of these that were done since.
    """

    name: str
    route: str | None = None
    level: Level | Literal["owner"] = "read"
    _: KW_ONLY
    everywhere: str | None = None
    status: int = 200
    command: bool = True
    view: str = ""
    named: str = "count"
    same: Callable[[Any], object] | None = None
    arguments: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    busy: str = "Working"
    unit: str = ""

    @property
    def room(self) -> str:
        """The room of the memory that has it; empty for the memory itself."""
        return self.name.rpartition(".")[0]

    @property
    def method(self) -> str:
        """Its name in that room."""
        return self.name.rpartition(".")[2]

    def of(self, memory: Any) -> Callable[..., Any]:
        """Return the method of a memory that does it."""
        return getattr(getattr(memory, self.room) if self.room else memory, self.method)

    @property
    def words(self) -> str | None:
        """Name on the command line, ``longterm archive-many``; None if it has no derived command."""
        return self.name.replace(".", " ").replace("_", "-") if self.command else None


ROOMS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "": "quipu.app.memory:AsyncMemory",
        "aliases": "quipu.app.aliases:AsyncAliases",
        "answers": "quipu.upkeep.answers.answers:AsyncAnswers",
        "archives": "quipu.upkeep.archive.archive:AsyncArchives",
        "longterm": "quipu.kinds.longterm.longterm:AsyncLongterm",
        "beliefs": "quipu.kinds.episodes.extraction.beliefs.beliefs:AsyncBeliefs",
        "conversations": "quipu.kinds.episodes.conversations.conversations:AsyncConversations",
        "corrections": "quipu.app.corrections:AsyncCorrections",
        "databases": "quipu.app.directory.databases:AsyncDatabases",
        "documents": "quipu.kinds.documents.files.sync:AsyncDocumentFiles",
        "episodes": "quipu.kinds.episodes.episodes:AsyncEpisodes",
        "imports": "quipu.app.imports.imports:AsyncImports",
        "keys": "quipu.upkeep.keys.keys:AsyncKeys",
        "queue": "quipu.app.queue:AsyncQueue",
        "receipts": "quipu.upkeep.erasure.archive:AsyncReceipts",
        "signins": "quipu.upkeep.keys.signins:AsyncSignIns",
        "settings": "quipu.upkeep.settings.settings:AsyncSettings",
        "evidence": "quipu.kinds.ledger.evidence.evidence:AsyncEvidence",
        "ledger": "quipu.kinds.ledger.ledger:AsyncLedger",
        "lessons": "quipu.kinds.transcripts.lessons.lessons:AsyncLessons",
        "loops": "quipu.kinds.episodes.extraction.loops.loops:AsyncLoops",
        "rules": "quipu.record.standing.room:AsyncRules",
        "snapshots": "quipu.upkeep.snapshots.snapshots:AsyncSnapshots",
        "tables": "quipu.kinds.tables.tables:AsyncTables",
        "trace": "quipu.kinds.ledger.evidence.trace:AsyncTrace",
        "transcripts": "quipu.kinds.transcripts.transcripts:AsyncTranscripts",
    }
)


def public_names() -> Iterator[str]:
    """Yield the names of all public methods of the memory and its rooms, ``recall`` and ``longterm.list``."""
    for room, place in ROOMS.items():
        module, _, name = place.partition(":")
        made = getattr(import_module(module), name)
        for method, _ in getmembers(made, isfunction):
            if not method.startswith("_"):
                yield f"{room}.{method}".lstrip(".")


def declaration(operation: Operation) -> Callable[..., Any]:
    """Return the async method that declares an operation."""
    module, _, name = ROOMS[operation.room].partition(":")
    return getattr(getattr(import_module(module), name), operation.method)


def _ids(done: Any) -> list[str]:
    return sorted(one.id for one in done.memories)


def _lesson_ids(done: Any) -> list[str]:
    return sorted(one.id for one in done.lessons)


def _outputs(done: Any) -> list[list[object]]:
    return [[one.tool, one.results, one.bytes_before] for one in done.tools]


def _deleted(done: Any) -> list[str]:
    return sorted(done.deleted)


def _file(done: Any) -> list[str]:
    return [done.name, done.sha256]


def _change(done: Any) -> list[object]:
    return [done.source, dict(done.before), dict(done.after)]


def _table_names(done: Any) -> list[str]:
    return sorted(done.tables)


def _counts(done: Any) -> dict[str, int]:
    return dict(done.counts)


def _rows(done: Any) -> dict[str, object]:
    return done.counts()


def _lost(done: Any) -> list[str]:
    return list(done.lost)


def _digest(done: Any) -> str:
    return done.sha256


def _undone(done: Any) -> dict[str, int]:
    return dict(done.rows)


def _way(done: Any) -> list[str]:
    return [done.source, done.target]


def _topics(done: Any) -> dict[str, int]:
    return dict(done.jobs)


def _written(name: str, route: str) -> Operation:
    """Return an operation of programs, which writes something down and answers with its id."""
    return Operation(name, route, "write", status=201, named="id", command=False)


def _table_rows(act: str, *, view: str, status: int = 200) -> Operation:
    """Return an operation that changes rows of agents' tables."""
    name, route, named = f"tables.{act}", f"POST /tables/{act}", ("table", "data")
    return Operation(name, route, "write", status=status, view=view, same=_rows, options=named)


_BELIEF: Final = "loops.belief"
_CHANGE: Final = "facts.change"
_CORRECTION: Final = "corrections.one"
_CONVERSATION: Final = "conversations.one"
_DOCUMENT: Final = "documents.one"
_EPISODE: Final = "episodes.one"
_LESSON: Final = "lessons.one"
_RULE: Final = "rules.one"
_SNAPSHOT: Final = "snapshots.snapshot"
_SETTING: Final = "settings.changed"
_MEMORY: Final = "longterm.one"
_USED: Final = "text.used"
OPERATIONS: Final = (
    Operation("relate", "POST /relate", "write", view="relations.one"),
    Operation("unrelate", "POST /unrelate", "write", view="relations.one"),
    Operation("relations", "GET /relations", view="relations.table"),
    Operation("sessions", "GET /sessions", view="record.sessions"),
    Operation("messages", "GET /messages", view="record.messages"),
    Operation("message", "GET /messages/one", view="record.message"),
    Operation("take_last", "POST /messages/take-last", "write", view="record.taken"),
    Operation("clear", "POST /messages/clear", "write", view="record.cleared"),
    Operation("restore", "POST /messages/restore", "write", view="record.message"),
    Operation("reminders", "GET /reminders", view="record.reminders"),
    Operation("used_lately", "GET /used-lately", view="record.used"),
    Operation("overview", "GET /overview", view="record.overview"),
    Operation("spaces", "GET /spaces", "owner", view="record.spaces"),
    Operation("health", "GET /health", "owner", command=False),
    Operation("gather", "POST /gather", view="timeline.gathered", arguments=("topic",)),
    Operation("aliases.list", "GET /aliases", view="aliases.table"),
    Operation("aliases.add", "POST /aliases", "write", view="aliases.one"),
    Operation("aliases.erase", "POST /aliases/erase", "write", view="aliases.one"),
    Operation("ledger.set", "POST /ledger/set", "write", view=_CHANGE),
    Operation("ledger.assume", "POST /ledger/assume", "write", view=_CHANGE),
    Operation("ledger.correct", "POST /ledger/correct", "write", view=_CHANGE),
    Operation("ledger.expire", "POST /ledger/expire", "write", view=_CHANGE),
    Operation("ledger.delete", "POST /ledger/delete", "write", view=_CHANGE),
    Operation("ledger.undo", "POST /ledger/events/{event}/undo", "write", view=_CHANGE),
    Operation("ledger.state", "GET /ledger/state", view="facts.state"),
    Operation("ledger.list", "GET /ledger", view="facts.values"),
    Operation("ledger.assumptions", "GET /ledger/assumptions", view="facts.assumptions"),
    Operation("ledger.events", "GET /ledger/events", view="facts.events"),
    Operation("ledger.history", "GET /ledger/history", view="facts.events"),
    Operation("ledger.diff", "GET /ledger/diff", view="facts.differences", arguments=("until",)),
    Operation("ledger.keys", "GET /ledger/keys", view="facts.keys"),
    Operation("ledger.open_session", "POST /ledger/sessions", "write", named="session", view="text.named"),
    Operation("ledger.end_session", "POST /ledger/sessions/end", "write", status=204, view="text.done"),
    Operation("ledger.rebuild", "POST /ledger/rebuild", "admin", view="facts.rebuilt"),
    Operation("ledger.retention", "POST /ledger/retention", "admin", view="receipts.went", same=_counts),
    Operation("evidence.list", "GET /evidence/recommendations", view="evidence.recommendations"),
    Operation("evidence.get", "GET /evidence/recommendations/{id}", view="evidence.recommendation"),
    Operation("evidence.sources", "GET /evidence/recommendations/{id}/sources", view="evidence.shown"),
    Operation("evidence.search", "GET /evidence", view="evidence.shown", arguments=("theme",)),
    Operation("evidence.themes", "GET /evidence/themes", view="evidence.themes"),
    _written("trace.tool_call", "POST /trace/tool-calls"),
    _written("trace.source_run", "POST /trace/source-runs"),
    _written("trace.competitor_check", "POST /trace/competitor-checks"),
    Operation("trace.competitor_checks", "GET /trace/competitor-checks", command=False),
    _written("trace.fallback", "POST /trace/fallbacks"),
    Operation("longterm.add", "POST /longterm", "write", status=201, view=_MEMORY),
    Operation("longterm.list", "GET /longterm", view="longterm.table"),
    Operation("longterm.search", "POST /longterm/search", view="longterm.found"),
    Operation("longterm.counts", "GET /longterm/counts", view="longterm.counts"),
    Operation("longterm.get", "GET /longterm/{id}", view=_MEMORY),
    Operation("longterm.history", "GET /longterm/{id}/history", view="longterm.history"),
    Operation("longterm.sources", "GET /longterm/{id}/sources", view="longterm.sources"),
    Operation("longterm.edit", "PATCH /longterm/{id}", "write", view=_MEMORY, arguments=("summary",)),
    Operation("longterm.archive", "POST /longterm/{id}/archive", "write", view=_MEMORY),
    Operation("longterm.unarchive", "POST /longterm/{id}/unarchive", "write", view=_MEMORY),
    Operation("longterm.revert", "POST /longterm/{id}/revert", "write", view=_MEMORY),
    Operation("longterm.erase", "POST /longterm/{id}/erase", "admin", view="receipts.erased", same=_counts),
    Operation(
        "longterm.archive_many", "POST /longterm/archive", "write", view="longterm.archived", same=_ids
    ),
    Operation("longterm.audit", "GET /longterm/audit", view="longterm.audit"),
    Operation("longterm.remember", "POST /longterm/remember", "write", command=False),
    Operation("longterm.recover", view="longterm.recovered"),
    Operation("longterm.evaluate_session", view="longterm.evaluation"),
    Operation("longterm.import_sqlite", view="longterm.imported", busy="Importing memories"),
    Operation("longterm.export_sqlite", view="longterm.exported", busy="Writing"),
    Operation("loops.list", "GET /loops", view="loops.loops"),
    Operation("loops.remind", "GET /loops/due", view="loops.loops"),
    Operation("loops.get", "GET /loops/{id}", view="loops.loop"),
    Operation("loops.close", "POST /loops/{id}/close", "write", view="loops.loop"),
    Operation("loops.reopen", "POST /loops/{id}/reopen", "write", view="loops.loop"),
    Operation("beliefs.list", "GET /beliefs", view="loops.beliefs"),
    Operation("beliefs.conflicts", "GET /beliefs/conflicts", view="loops.conflicts"),
    Operation("beliefs.ask", "POST /beliefs/conflicts/ask", "write", view="loops.conflict"),
    Operation("beliefs.resolve", "POST /beliefs/conflicts/{id}/resolve", "write", view=_BELIEF),
    Operation("beliefs.get", "GET /beliefs/{id}", view=_BELIEF),
    Operation("beliefs.sources", "GET /beliefs/{id}/sources", view="loops.sources"),
    Operation("beliefs.history", "GET /beliefs/{id}/history", view="loops.beliefs"),
    Operation("beliefs.correct", "POST /beliefs/{id}/correct", "write", view=_BELIEF),
    Operation("beliefs.erase", "POST /beliefs/{id}/erase", "admin", view=_BELIEF),
    Operation("corrections.list", "GET /corrections", view="corrections.table"),
    Operation("corrections.counts", "GET /corrections/counts", view="corrections.counts"),
    Operation("corrections.add", "POST /corrections/{id}", "write", view=_CORRECTION),
    Operation("corrections.remove", "POST /corrections/{id}/remove", "write", view=_CORRECTION),
    Operation("databases.list", "GET /databases", "owner", view="databases.table"),
    Operation("databases.add", "POST /databases", "owner", status=201, view="databases.one"),
    Operation("databases.drain", "POST /databases/{name}/drain", "owner", view="databases.one"),
    Operation(
        "databases.move",
        "POST /databases/move",
        "owner",
        view="databases.moved",
        same=_way,
        options=("to",),
        busy="Moving the space",
        unit="records",
    ),
    Operation("documents.put", "POST /documents", "write", view=_DOCUMENT, arguments=("value",)),
    Operation("documents.get", "GET /documents/one", view=_DOCUMENT),
    Operation("documents.list", "GET /documents", view="documents.table", arguments=("path",)),
    Operation("documents.search", "POST /documents/search", view="documents.found", arguments=("question",)),
    Operation("documents.list_paths", "GET /documents/paths", view="documents.paths", arguments=("prefix",)),
    Operation("documents.count", "GET /documents/count", view="documents.counted", arguments=("path",)),
    Operation("documents.values", "GET /documents/values", view="documents.values", arguments=("field",)),
    Operation("documents.delete", "POST /documents/delete", "write", view=_DOCUMENT),
    Operation("documents.batch", "POST /documents/batch", "write", command=False),
    Operation("documents.touch", "POST /documents/touch", "write", view=_DOCUMENT),
    Operation(
        "documents.rename", "POST /documents/rename", "write", view="documents.moved", arguments=("key",)
    ),
    Operation("documents.passages", "GET /documents/passages", view="documents.passages"),
    Operation("documents.cited", "GET /documents/cited", view=_DOCUMENT),
    Operation("documents.history", "GET /documents/history", view="documents.versions"),
    Operation("documents.revert", "POST /documents/revert", "write", view=_DOCUMENT),
    Operation("documents.redact", "POST /documents/redact", "admin", view="documents.version", same=_digest),
    Operation(
        "documents.erase",
        "POST /documents/erase",
        "admin",
        view="receipts.erased",
        same=_counts,
        arguments=("key",),
    ),
    Operation(
        "documents.index",
        "POST /documents/index",
        "admin",
        named="waiting",
        view="documents.indexed",
        busy="Indexing",
    ),
    Operation("documents.sync", view="documents.synced", busy="Reading files", unit="files"),
    Operation("episodes.list", "GET /episodes", view="episodes.table"),
    Operation("episodes.search", "POST /episodes/search", view="episodes.found"),
    Operation("episodes.stats", "GET /episodes/stats", view="episodes.stats"),
    Operation("episodes.get", "GET /episodes/{id}", view=_EPISODE),
    Operation("episodes.messages", "GET /episodes/{id}/messages", view="episodes.messages"),
    Operation("episodes.history", "GET /episodes/{id}/history", view="episodes.history"),
    Operation("episodes.curve", "GET /episodes/{id}/curve", view="episodes.plot"),
    Operation("episodes.reinforce", "POST /episodes/reinforce", "write", view=_USED),
    Operation("episodes.archive", "POST /episodes/{id}/archive", "write", view=_EPISODE),
    Operation("episodes.unarchive", "POST /episodes/{id}/unarchive", "write", view=_EPISODE),
    Operation("episodes.erase", "POST /episodes/{id}/erase", "admin", view="receipts.erased", same=_counts),
    Operation(
        "episodes.condense", "POST /episodes/condense", "write", view="episodes.condensed", busy="Condensing"
    ),
    Operation(
        "episodes.rebuild",
        "POST /episodes/rebuild",
        "write",
        view="episodes.condensed",
        arguments=("id",),
        busy="Writing episodes",
    ),
    Operation("conversations.list", "GET /conversations", view="conversations.table"),
    Operation("conversations.get", "GET /conversations/one", view="conversations.dialogue"),
    Operation("conversations.edit", "PATCH /conversations/one", "write", view=_CONVERSATION),
    Operation("conversations.archive", "POST /conversations/archive", "write", view=_CONVERSATION),
    Operation("conversations.unarchive", "POST /conversations/unarchive", "write", view=_CONVERSATION),
    Operation("conversations.threads", "GET /conversations/threads", view="conversations.threads"),
    Operation("conversations.topics", "GET /conversations/topics", view="conversations.topics"),
    Operation("conversations.reread", "POST /conversations/reread", "write", view="conversations.reread"),
    Operation("conversations.prompt", "POST /conversations/prompts", "write", status=202, command=False),
    Operation("conversations.prompts", "GET /conversations/prompts", view="conversations.prompts"),
    Operation(
        "conversations.answer", "POST /conversations/answer", "write", status=202, view="conversations.prompt"
    ),
    Operation("lessons.add", "POST /lessons", "write", status=201, view=_LESSON),
    Operation("lessons.list", "GET /lessons", view="lessons.table"),
    Operation("lessons.search", "POST /lessons/search", view="lessons.found"),
    Operation("lessons.extract", view="lessons.report", busy="Reading sessions"),
    Operation("lessons.reinforce", "POST /lessons/reinforce", "write", view=_USED),
    Operation("lessons.prune", "POST /lessons/prune", "write", view="lessons.pruned", same=_lesson_ids),
    Operation("lessons.get", "GET /lessons/{id}", view=_LESSON),
    Operation("lessons.sources", "GET /lessons/{id}/sources", view="lessons.sources"),
    Operation("lessons.edit", "PATCH /lessons/{id}", "write", view=_LESSON, arguments=("fact",)),
    Operation("lessons.archive", "POST /lessons/{id}/archive", "write", view=_LESSON),
    Operation("lessons.unarchive", "POST /lessons/{id}/unarchive", "write", view=_LESSON),
    Operation("lessons.confirm", "POST /lessons/{id}/confirm", "write", view=_LESSON),
    Operation("transcripts.list", "GET /transcripts", view="transcripts.sessions"),
    Operation("transcripts.get", "GET /transcripts/one", view="transcripts.shown"),
    Operation("transcripts.search", "POST /transcripts/search", view="transcripts.searched"),
    Operation("transcripts.recall", "POST /transcripts/recall", view="transcripts.recalled"),
    Operation("transcripts.tools", "GET /transcripts/tools", view="transcripts_counts.tools"),
    Operation("transcripts.files", "GET /transcripts/files", view="transcripts_counts.files"),
    Operation("transcripts.stats", "GET /transcripts/stats", view="transcripts_counts.stats"),
    Operation(
        "transcripts.schema",
        "GET /transcripts/schema",
        view="transcripts_counts.schema",
        arguments=("table",),
    ),
    Operation(
        "transcripts.compact",
        "POST /transcripts/compact",
        "admin",
        view="transcripts_counts.compacted",
        same=_outputs,
    ),
    Operation("transcripts.bootstrap", "GET /transcripts/bootstrap", command=False),
    Operation("transcripts.waiting", "GET /transcripts/waiting", command=False),
    Operation("tables.list", "GET /tables", view="tables.listing"),
    Operation("tables.query", "POST /tables/query", command=False),
    Operation("tables.prompt", "GET /tables/prompt", command=False),
    Operation(
        "tables.create_table",
        "POST /tables/create",
        "admin",
        status=201,
        view="tables.done",
        options=("name", "sql"),
    ),
    Operation("tables.recreate", "POST /tables/recreate", "admin", view="tables.recreated", options=("sql",)),
    Operation("tables.execute", "POST /tables/execute", "admin", command=False, same=_lost),
    _table_rows("insert", view="tables.inserted", status=201),
    _table_rows("update", view="tables.updated"),
    _table_rows("delete", view="tables.deleted"),
    Operation("tables.browse", "POST /tables/browse", command=False),
    Operation("tables.row", "POST /tables/row", command=False),
    Operation("tables.embedded", "POST /tables/embedded", command=False),
    Operation("tables.references", "GET /tables/references", command=False),
    Operation("tables.near", "POST /tables/near", command=False),
    Operation("tables.schemas", "GET /tables/schemas", view="tables.schemas"),
    Operation("tables.create_schema", "POST /tables/schemas", "admin", status=201, view="tables.schema"),
    Operation(
        "tables.drop_schema", "POST /tables/schemas/drop", "admin", view="tables.dropped", same=_table_names
    ),
    Operation("tables.grants", "GET /tables/grants", view="tables.grants"),
    Operation("tables.grant", "POST /tables/grants", "admin", view="tables.grants"),
    Operation("tables.revoke", "POST /tables/grants/revoke", "admin", view="tables.grants"),
    Operation("rules.list", "GET /rules", view="rules.table"),
    Operation("rules.add", "POST /rules", "write", status=201, view=_RULE),
    Operation("rules.get", "GET /rules/{id}", view=_RULE),
    Operation("rules.sources", "GET /rules/{id}/sources", view="rules.sources"),
    Operation("rules.archive", "POST /rules/{id}/archive", "write", view=_RULE),
    Operation("rules.unarchive", "POST /rules/{id}/unarchive", "write", view=_RULE),
    Operation("imports.list", "GET /imports", "admin", view="imports.table"),
    Operation("imports.get", "GET /imports/{id}", "admin", view="imports.one"),
    Operation("imports.records", "GET /imports/{id}/records", "admin", view="imports.records"),
    Operation("imports.undo", "POST /imports/{id}/undo", "admin", view="imports.undone", same=_undone),
    Operation("imports.origin", "GET /imports/origin", "admin", view="imports.origin"),
    Operation("rules.erase", "POST /rules/{id}/erase", "admin", view=_RULE),
    Operation(
        "snapshots.create", "POST /snapshots", "admin", status=201, view=_SNAPSHOT, busy="Taking a snapshot"
    ),
    Operation("snapshots.list", "GET /snapshots", view="snapshots.snapshots"),
    Operation("snapshots.get", "GET /snapshots/{name}", view=_SNAPSHOT),
    Operation("snapshots.prune", "POST /snapshots/prune", "admin", view="snapshots.thinned", same=_deleted),
    Operation("snapshots.erase", "POST /snapshots/{name}/erase", "admin", view=_SNAPSHOT, same=_file),
    Operation("snapshots.restore", "POST /snapshots/{name}/restore", "admin", command=False, same=_change),
    Operation("snapshots.export", view="snapshots.handed_out", busy="Writing"),
    Operation("settings.list", everywhere="GET /engine/settings", view="settings.states"),
    Operation("settings.get", everywhere="GET /engine/settings/{name}", view="settings.state"),
    Operation(
        "settings.set",
        "PUT /settings/{name}",
        "admin",
        everywhere="PUT /engine/settings/{name}",
        view=_SETTING,
    ),
    Operation(
        "settings.reset",
        "DELETE /settings/{name}",
        "admin",
        everywhere="DELETE /engine/settings/{name}",
        view=_SETTING,
    ),
    Operation("queue.status", "GET /queue", "owner", view="queue.status"),
    Operation("queue.dead", "GET /queue/dead", "owner", view="queue.dead"),
    Operation("queue.get", "GET /queue/jobs/{job}", "owner", view="queue.job"),
    Operation("queue.retry", "POST /queue/retry", "owner", command=False),
    Operation("queue.purge", "POST /queue/purge", "owner", command=False, same=_topics),
    Operation("keys.create", "POST /keys", "owner", status=201, command=False),
    Operation("keys.list", "GET /keys", "owner", view="keys.table"),
    Operation("keys.revoke", view="keys.one"),
    Operation("receipts.list", "GET /receipts", everywhere="GET /engine/receipts", view="receipts.table"),
    Operation("receipts.get", "GET /receipts/{id}", view="receipts.whole"),
    Operation("receipts.key", "GET /receipts/key", view="receipts.key"),
)
