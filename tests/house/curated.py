"""Doors that are written by hand, and operations that a door lacks: all of them, each with the reason.

A key is a route (``POST /recall``, under ``/v1``), a command (``quipu recall``), or an operation that has no
door of one sort (``no route: marks``, ``no command: marks``). What is derived has a line in
``quipu.app.operations``; both together are all there is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True, slots=True)
class Curated:
    """A door that is not derived: ``why``, and the operations that it ``does``.

    ``word`` says why its words are not those of the first operation.
    """

    why: str
    does: tuple[str, ...] = ()
    word: str = ""


def _by_hand(why: str, *does: str, word: str = "") -> Curated:
    return Curated(why, does, word)


def _lacking(door: str, why: str, names: Iterable[str]) -> dict[str, Curated]:
    return {f"no {door}: {name}": Curated(why, (name,)) for name in names}


_FILE: Final = "it works on a file, and a bar shows how far it is"
_MACHINE: Final = "it is about this machine, not about a memory"
_STREAM: Final = "the body, or the answer, is a file"
_HITS: Final = "hits have an answer of their own: sources, signals and links, each named"
_LIBRARY: Final = "it needs no memory: `quipu.receipts` does it"
_VALUES: Final = "in Python it takes values of the program, here their documents"
_BY_OPTION: Final = "one command has the question, its limits and both answers"
_EACH: Final = "the numbers, `--all` or `--topic` must be said: nothing must not mean everything"
_SQL: Final = "statements come as an argument or as `--sql`, as the tools of the design have them"

_ROUTES: Final = {
    "POST /observe": _by_hand("a message is an open object, checked one by one", "observe"),
    "POST /import": _by_hand(_STREAM, "import_messages"),
    "POST /recall": _by_hand(_HITS, "recall"),
    "POST /recall/many": _by_hand(_HITS, "recall_many"),
    "POST /recall/block": _by_hand(_HITS, "recall_block"),
    "POST /why": _by_hand("the question is asked again: a hit has no life of its own", "why"),
    "POST /reinforce": _by_hand("a hit is named by its kind and id", "reinforce"),
    "POST /forget": _by_hand("the token also binds what was left; keys of the space are dropped", "forget"),
    "POST /evidence/recommendations": _by_hand("its references are checked one by one", "evidence.recommend"),
    "POST /trace/reviews": _by_hand("reviews come without their place, said once", "trace.read_reviews"),
    "POST /trace/signal-runs": _by_hand(_VALUES, "trace.signal_run"),
    "POST /transcripts/query": _by_hand(
        "its bounds are lower than those of a program on the machine", "transcripts.query"
    ),
    "POST /transcripts/index": _by_hand(
        "in Python it takes a function for its progress", "transcripts.index"
    ),
    "POST /lessons/extract": _by_hand(
        "it names the extractor whose language model failed", "lessons.extract"
    ),
    "GET /conversations/prompts/{id}": _by_hand(
        "it waits only if that is asked for, and at most 50 seconds", "conversations.await_reply"
    ),
    "POST /longterm/evaluate": _by_hand("it takes the document of the design", "longterm.evaluate"),
    "POST /longterm/apply": _by_hand("it takes the document of the design", "longterm.apply"),
    "POST /longterm/evaluate/session": _by_hand(
        "it names the evaluator whose language model failed", "longterm.evaluate_session"
    ),
    "POST /longterm/recover": _by_hand("it takes the names of the design, too", "longterm.recover"),
    "GET /snapshots/export": _by_hand(_STREAM, "snapshots.export"),
    "POST /snapshots/import": _by_hand(_STREAM, "snapshots.import_dump"),
    "POST /imports": _by_hand(_STREAM, "imports.load"),
    "GET /settings": _by_hand(
        "a key of one space sees what can be kept for it, and nothing of the machine", "settings.list"
    ),
    "POST /keys/{key}/revoke": _by_hand(
        "this server forgets the key at once; others notice within seconds", "keys.revoke"
    ),
    "POST /receipts/verify": _by_hand(_LIBRARY),
    "POST /receipts/{id}/check": _by_hand("it answers with the receipt", "check_erasure"),
    "POST /engine/receipts/{id}/check": _by_hand("it answers with the receipt", "check_erasure"),
}
_COMMANDS: Final = {
    "quipu observe": _by_hand("one message: a text, a file or a pipe", "observe"),
    "quipu import jsonl": _by_hand(_FILE, "import_messages", word="each format has its own command"),
    "quipu import quipu": _by_hand(_FILE, "archives.load", word="each format has its own command"),
    "quipu import path": _by_hand(
        _FILE, "imports.load", word="`path` may be left out: a file says what it is"
    ),
    "quipu export": _by_hand(_FILE, "archives.export", word="it is the other way of `import quipu`"),
    "quipu import claude-code": _by_hand(_FILE, "import_messages", word="each format has its own command"),
    "quipu recall": _by_hand(_BY_OPTION, "recall", "recall_block"),
    "quipu why": _by_hand("it explains a hit of the last recall by its rank", "why"),
    "quipu forget": _by_hand(
        "it forgets, checks and rewrites by its options", "forget", "check_erasure", "rewrite_freed"
    ),
    "quipu reembed": _by_hand("a bar shows how far it is", "reembed"),
    "quipu model use": _by_hand(
        "it writes the settings, too", "reembed_plan", word="it changes what `model list` shows"
    ),
    "quipu worker": _by_hand(
        "it works until it is stopped", "work", word="the process is a worker; --burst is one call of `work`"
    ),
    "quipu conversations prompt": _by_hand(
        "it waits for the reply, if told", "conversations.prompt", "conversations.await_reply"
    ),
    "quipu transcripts sync": _by_hand(
        _FILE, "transcripts.sync", "transcripts.pending", "transcripts.follow"
    ),
    "quipu transcripts query": _by_hand("it writes CSV, too", "transcripts.query"),
    "quipu transcripts bootstrap": _by_hand("a prompt gets the text, or nothing", "transcripts.bootstrap"),
    "quipu transcripts index": _by_hand(
        "it does all spaces, by words and by meaning",
        "transcripts.index",
        "transcripts.index_texts",
        "transcripts.unindexed",
        "transcripts.waiting",
    ),
    "quipu transcripts import-sqlite": _by_hand(_FILE, "transcripts.import_sqlite"),
    "quipu transcripts export-sqlite": _by_hand(_FILE, "transcripts.export_sqlite"),
    "quipu transcripts migrate-sqlite": _by_hand("it may need no memory", "transcripts.migrate_sqlite"),
    "quipu tables execute": _by_hand(_SQL, "tables.execute"),
    "quipu tables query": _by_hand(_SQL, "tables.query"),
    "quipu tables prompt": _by_hand("the text alone can be piped", "tables.prompt"),
    "quipu snapshots restore": _by_hand("a bar shows how far it is", "snapshots.restore"),
    "quipu snapshots import-dump": _by_hand(_FILE, "snapshots.import_dump"),
    "quipu queue retry": _by_hand(_EACH, "queue.retry"),
    "quipu queue purge": _by_hand(_EACH, "queue.purge"),
    "quipu keys create": _by_hand("--all-spaces must be said; the token is printed by itself", "keys.create"),
    "quipu receipts verify": _by_hand(_LIBRARY),
    "quipu longterm evaluate": _by_hand("a text, a file or a pipe, as one turn", "longterm.evaluate"),
    "quipu doctor": _by_hand(
        "it checks what would keep a memory from opening",
        "health",
        word="it tells the health of the machine, too",
    ),
    "quipu demo": _by_hand("it shows what the others do"),
    "quipu bench": _by_hand("it measures, in a space of its own"),
    "quipu migrate": _by_hand("it is done before a memory opens"),
    "quipu serve": _by_hand("it is a door itself"),
    "quipu mcp config": _by_hand(_MACHINE),
    **{f"quipu hooks {one}": _by_hand(_MACHINE) for one in ("install", "remove", "status", "stop")},
    **{f"quipu backup {one}": _by_hand(_MACHINE) for one in ("base", "list", "restore")},
    **{
        f"quipu db {one}": _by_hand(_MACHINE)
        for one in ("clean", "psql", "roles", "start", "status", "stop", "upgrade", "url")
    },
    **{f"quipu model {one}": _by_hand(_MACHINE) for one in ("add", "list", "show")},
    **{f"quipu llm {one}": _by_hand(_MACHINE) for one in ("use", "status", "off", "estimate")},
}
_CODE: Final = ("ledger.register", "ledger.on_correction", "snapshots.path", "marks", "aclose")
_SERVERS: Final = (
    "answers.begin",
    "answers.drop_old",
    "answers.keep",
    "answers.release",
    "keys.count",
    "keys.opened_by",
    "keys.used",
    "signins.drop_ended",
    "signins.is_signed_in",
    "signins.link",
    "signins.redeem",
    "signins.sign_out",
)
_TRACES: Final = (
    "tool_call",
    "source_run",
    "competitor_check",
    "competitor_checks",
    "fallback",
    "read_reviews",
    "signal_run",
)
_LACKING: Final = {
    **_lacking("route", "code of the program, or secrets that prove who it is", _CODE),
    **_lacking("route", "servers call it by themselves", _SERVERS),
    **_lacking("route", "workers do it", ("work", "transcripts.index_texts")),
    **_lacking("route", "a space is forgotten with its snapshots", ("snapshots.erase_all",)),
    **_lacking("route", "it is /ready, beside the doors", ("ready",)),
    **_lacking("route", "the list of spaces tells them", ("space_names",)),
    **_lacking(
        "route", "it takes hours, locks tables or asks first: a command does it", ("reembed", "rewrite_freed")
    ),
    **_lacking("route", "it is the preview of what has no route", ("reembed_plan",)),
    **_lacking("route", "each tool has a route of its own", ("tables.call",)),
    **_lacking("route", "search and stats tell it", ("transcripts.unindexed",)),
    **_lacking(
        "route",
        "it works on files of the machine; that is done there",
        (
            "archives.export",
            "archives.load",
            "documents.sync",
            "longterm.import_sqlite",
            "longterm.export_sqlite",
            "transcripts.import_sqlite",
            "transcripts.export_sqlite",
            "transcripts.migrate_sqlite",
            "transcripts.sync",
            "transcripts.pending",
            "transcripts.follow",
        ),
    ),
    **_lacking("command", "code of the program, or secrets that prove who it is", _CODE),
    **_lacking("command", "servers call it by themselves", _SERVERS),
    **_lacking("command", "programs write it down as they go", (f"trace.{one}" for one in _TRACES)),
    **_lacking("command", "programs write it down as they go", ("evidence.recommend", "reinforce")),
    **_lacking(
        "command", "an agent's program calls it; a person writes with `longterm add`", ("longterm.remember",)
    ),
    **_lacking("command", "a program's; each of its operations is a command", ("documents.batch",)),
    **_lacking("command", "a person asks one question at a time", ("recall_many",)),
    **_lacking("command", "`quipu spaces` tells them", ("space_names",)),
    **_lacking("command", "`quipu db status` and `quipu doctor` tell it", ("ready",)),
    **_lacking("command", "`quipu forget --everything` does it", ("snapshots.erase_all",)),
    **_lacking("command", "`longterm evaluate-session` does it", ("longterm.apply",)),
    **_lacking(
        "command",
        "`quipu tables query` shows the same in SQL",
        (f"tables.{one}" for one in ("call", "browse", "row", "embedded", "references", "near")),
    ),
}
CURATED: Final[Mapping[str, Curated]] = MappingProxyType(_ROUTES | _COMMANDS | _LACKING)
"""All that is not derived."""

LEFT_OUT: Final[Mapping[tuple[str, str], str]] = MappingProxyType(
    {
        ("POST /import", "messages"): "they are the body",
        ("POST /why", "hit"): "its kind and id name it",
        ("POST /longterm/apply", "evaluation"): "its parts are the body",
        ("POST /trace/signal-runs", "signals"): "it is for a reading that came to nothing: there are none",
        ("GET /conversations/prompts/{id}", "prompt"): "it is the id in the path",
        ("GET /conversations/prompts/{id}", "timeout_seconds"): "wait_seconds: none is waited if not given",
        ("GET /snapshots/export", "path"): "the answer is the file",
        ("GET /snapshots/export", "replace_file"): "the answer is the file",
        ("POST /snapshots/import", "path"): "the body is the file",
        ("POST /imports", "path"): "the body is the file",
        ("POST /imports", "progress"): "the answer comes at the end",
        ("POST /keys/{key}/revoke", "space"): "a key of all spaces is needed to revoke any",
        ("POST /receipts/{id}/check", "receipt"): "it is the id in the path",
        ("POST /receipts/{id}/check", "exports"): "they are files of the machine",
        ("POST /receipts/{id}/check", "of_all"): "files of all spaces take a key of all spaces",
        ("POST /engine/receipts/{id}/check", "receipt"): "it is the id in the path",
        ("POST /engine/receipts/{id}/check", "exports"): "they are files of the machine",
        ("quipu observe", "messages"): "it is one, told by its parts",
        ("quipu observe", "index"): "one message is indexed as soon as it is read",
        ("quipu import jsonl", "messages"): "they are in the file",
        ("quipu import claude-code", "messages"): "they are in the recordings",
        ("quipu import path", "path"): "it is one of its words",
        ("quipu import path", "source"): "it is one of its words",
        ("quipu import path", "names"): "--as has each of them",
        ("quipu import path", "preview"): "it is what --yes is not",
        ("quipu recall", "budget_tokens"): "--block has it",
        ("quipu why", "hit"): "its rank names it",
        ("quipu forget", "receipt"): "--check and --rewrite have it",
        ("quipu forget", "strings"): "--for names a file of them",
        ("quipu forget", "of_all"): "whoever runs it has the files of all spaces",
        ("quipu forget", "most_bytes"): "--megabytes",
        ("quipu longterm evaluate", "conversation"): "one turn, told by its text",
        ("quipu longterm evaluate", "space"): "nothing is looked up in one",
        ("quipu conversations prompt", "prompt"): "it is the one that was put in",
        ("quipu conversations prompt", "timeout_seconds"): "--wait: none is waited if not given",
        ("quipu transcripts sync", "seen"): "what is seen is printed",
        ("quipu transcripts index", "seconds"): "it goes on to the end",
        ("quipu model use", "model"): "it is its NAME",
    }
)
"""Parameters that a door written by hand leaves out on purpose, or has in a way of its own."""
