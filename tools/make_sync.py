"""Write src/quipu/sync.py from the async classes: same names, same signatures, same docs, no await.

    python tools/make_sync.py           rewrite the file
    python tools/make_sync.py --check   fail when it is stale

The source is read as text, never imported. What cannot be translated faithfully is refused with the
line it stands on, so the two faces cannot drift apart silently. The rules are in
docs/decisions/sync-face.md.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from sync_face.source import Face, Source, Untranslatable
from sync_face.translation import Translation

ROOT = Path(__file__).resolve().parent.parent

# One line for each class, after those that it is built on. They are reached through properties, as in
# `memory.ledger`.
FACES = (
    Face("quipu.kinds.episodes.prompts.prompts", "AsyncPrompts", "Prompts"),
    Face("quipu.kinds.episodes.conversations.conversations", "AsyncConversations", "Conversations"),
    Face("quipu.app.rooms", "AsyncRooms", "Rooms"),
    Face("quipu.app.erasure", "AsyncErasures", "Erasures"),
    Face("quipu.app.relations", "AsyncRelations", "Relations"),
    Face("quipu.app.timeline", "AsyncTimeline", "Timeline"),
    Face("quipu.app.contents", "AsyncContents", "Contents"),
    Face("quipu.app.messages", "AsyncMessages", "Messages"),
    Face("quipu.app.tending", "AsyncTending", "Tending"),
    Face("quipu.app.memory", "AsyncMemory", "Memory"),
    Face("quipu.app.aliases", "AsyncAliases", "Aliases"),
    Face("quipu.app.queue", "AsyncQueue", "Queue"),
    Face("quipu.app.directory.databases", "AsyncDatabases", "Databases"),
    Face("quipu.upkeep.answers.answers", "AsyncAnswers", "Answers"),
    Face("quipu.upkeep.keys.keys", "AsyncKeys", "Keys"),
    Face("quipu.upkeep.keys.signins", "AsyncSignIns", "SignIns"),
    Face("quipu.upkeep.erasure.archive", "AsyncReceipts", "Receipts"),
    Face("quipu.kinds.ledger.evidence.evidence", "AsyncEvidence", "Evidence"),
    Face("quipu.kinds.ledger.retention.retention", "AsyncRetention", "Retention"),
    Face("quipu.kinds.ledger.lookup", "AsyncLookup", "Lookup"),
    Face("quipu.kinds.ledger.ledger", "AsyncLedger", "Ledger"),
    Face("quipu.kinds.ledger.evidence.trace", "AsyncTrace", "Trace"),
    Face("quipu.kinds.documents.lookup", "AsyncDocumentLookup", "DocumentLookup"),
    Face("quipu.kinds.documents.documents", "AsyncDocuments", "Documents"),
    Face("quipu.kinds.documents.files.sync", "AsyncDocumentFiles", "DocumentFiles"),
    Face("quipu.kinds.longterm.lookup", "AsyncLongtermLookup", "LongtermLookup"),
    Face("quipu.kinds.longterm.recovery", "AsyncRecovery", "Recovery"),
    Face("quipu.kinds.longterm.evaluation.evaluation", "AsyncEvaluations", "Evaluations"),
    Face("quipu.kinds.longterm.evaluation.remember", "AsyncAgentClaims", "AgentClaims"),
    Face("quipu.kinds.longterm.sqlite.exchange", "AsyncMemoryFiles", "MemoryFiles"),
    Face("quipu.kinds.longterm.longterm", "AsyncLongterm", "Longterm"),
    Face("quipu.kinds.transcripts.lessons.lessons", "AsyncLessons", "Lessons"),
    Face("quipu.kinds.transcripts.browse.counts", "AsyncCounts", "TranscriptCounts"),
    Face("quipu.kinds.transcripts.browse.browse", "AsyncBrowse", "Browse"),
    Face("quipu.kinds.transcripts.bootstrap.service", "AsyncBootstrap", "Bootstrapping"),
    Face("quipu.kinds.transcripts.sqlite.exchange", "AsyncExchange", "Exchange"),
    Face("quipu.kinds.transcripts.transcripts", "AsyncTranscripts", "Transcripts"),
    Face("quipu.kinds.episodes.episodes", "AsyncEpisodes", "Episodes"),
    Face("quipu.kinds.episodes.extraction.loops.loops", "AsyncLoops", "Loops"),
    Face("quipu.kinds.episodes.extraction.beliefs.beliefs", "AsyncBeliefs", "Beliefs"),
    Face("quipu.kinds.tables.browse.browse", "AsyncBrowsing", "Browsing"),
    Face("quipu.kinds.tables.schemas", "AsyncSchemas", "Schemas"),
    Face("quipu.kinds.tables.tables", "AsyncTables", "Tables"),
    Face("quipu.app.corrections", "AsyncCorrections", "Corrections"),
    Face("quipu.record.standing.room", "AsyncRules", "Rules"),
    Face("quipu.upkeep.settings.settings", "AsyncSettings", "StoredSettings"),
    Face("quipu.upkeep.archive.archive", "AsyncArchives", "Archives"),
    Face("quipu.app.imports.imports", "AsyncImports", "Imports"),
    Face("quipu.upkeep.snapshots.snapshots", "AsyncSnapshots", "Snapshots"),
)

HEAD = '''"""The blocking face: the methods of the async classes, without await.

Written by tools/make_sync.py; do not edit. The truth is in

{modules}
"""

from __future__ import annotations

from typing import TYPE_CHECKING{typing_names}
'''


def import_block(needs: dict[str, tuple[str, str]]) -> str:
    """The imports that annotations need, all of them for type checkers only."""
    lines = [
        f"    import {module} as {name}"
        if not original
        else f"    from {module} import {original}" + (f" as {name}" if name != original else "")
        for name, (module, original) in sorted(needs.items(), key=lambda item: (item[1], item[0]))
    ]
    return "if TYPE_CHECKING:\n" + "\n".join(lines) + "\n" if lines else ""


def generate(faces: Sequence[Face], root: Path) -> str:
    """The text of the blocking module for ``faces``, whose sources stand under the directory ``root``."""
    targets = {face.source: face.target for face in faces}
    needs: dict[str, tuple[str, str]] = {}
    runtime: set[str] = set()
    classes: list[str] = []
    for face in faces:
        path = root.joinpath(*face.module.split(".")).with_suffix(".py")
        try:
            translation = Translation(face, Source(face.module, path), targets)
            classes.append(translation.text())
        except Untranslatable as refused:
            raise Untranslatable(f"{face.module}, {refused}") from None
        for name, origin in translation.annotation.needs.items():
            if needs.setdefault(name, origin) != origin:
                raise Untranslatable(f"{face.module}: {name} means something else in another module")
        runtime |= translation.runtime
    head = HEAD.format(
        modules="\n".join(f"- {module}" for module in sorted({face.module for face in faces})),
        typing_names="".join(f", {name}" for name in sorted(runtime)),
    )
    names = ", ".join(f'"{face.target}"' for face in sorted(faces, key=lambda f: f.target))
    return formatted("\n\n".join([head, import_block(needs), f"__all__ = [{names}]", *classes]))


def formatted(text: str) -> str:
    """The text as ruff writes it, with sorted imports and none that is not used."""
    ruff = [sys.executable, "-m", "ruff"]
    stdin = ["--quiet", "--stdin-filename", str(ROOT / "src" / "quipu" / "sync.py"), "-"]
    for command in (["check", "--select", "I,F401", "--fix-only"], ["format"]):
        done = subprocess.run([*ruff, *command, *stdin], input=text, capture_output=True, text=True, cwd=ROOT)
        if done.returncode != 0:
            raise Untranslatable(f"what was written is not Python: {done.stderr.strip()}")
        text = done.stdout
    return text


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Write the blocking face from the async classes.")
    parser.add_argument("--check", action="store_true", help="change nothing; fail when the file is stale")
    options = parser.parse_args(arguments)
    target = ROOT / "src" / "quipu" / "sync.py"
    try:
        text = generate(FACES, ROOT / "src")
    except (Untranslatable, OSError) as problem:
        print(f"make_sync: {problem}", file=sys.stderr)
        return 2
    if target.is_file() and target.read_text("utf-8") == text:
        return 0
    if options.check:
        print("make_sync: src/quipu/sync.py is stale; run: make sync", file=sys.stderr)
        return 1
    target.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
