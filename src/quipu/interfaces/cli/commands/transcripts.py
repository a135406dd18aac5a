"""``quipu transcripts``: recorded sessions of coding agents."""

from __future__ import annotations

import click

from quipu.interfaces.cli.lazy import LazyGroup, Line

# Each command is the ``command`` of a module of its own, ``commands/transcripts_*.py``.
_LINES = {
    "sync": Line("transcripts_sync", "Take in recorded sessions, what is new of them."),
    "sessions": Line("transcripts_sessions", "List recorded sessions with their spans and tokens."),
    "show": Line("transcripts_show", "Show one session as it went."),
    "search": Line("transcripts_search", "Find what was said, thought, asked, answered.", embeds=True),
    "recall": Line("transcripts_recall", "Find messages with those around them.", embeds=True),
    "tools": Line("transcripts_tools", "Count calls, failures and times of tools."),
    "files": Line("transcripts_files", "List the files that were worked on most."),
    "stats": Line("transcripts_stats", "Count everything; plot tokens by model and day."),
    "query": Line("transcripts_query", "Ask in SQL, to read only."),
    "schema": Line("transcripts_schema", "List what a query can name."),
    "compact": Line("transcripts_compact", "Replace old bulky output of tools by markers."),
    "index": Line("transcripts_index", "Index words and meaning of all that was taken in.", embeds=True),
    "extract": Line("transcripts_extract", "Keep what was said that lasts, as memories.", embeds=True),
    "bootstrap": Line("transcripts_bootstrap", "Tell what an agent should know when a session begins."),
    "import-sqlite": Line("transcripts_import_sqlite", "Take in a file of ccrecall."),
    "export-sqlite": Line("transcripts_export_sqlite", "Write a file that ccrecall can read."),
    "migrate-sqlite": Line(
        "transcripts_migrate_sqlite", "Bring a file of ccrecall to the schema with memories."
    ),
}


@click.group("transcripts", cls=LazyGroup, lines=_LINES, no_args_is_help=False)
def command() -> None:
    """Recorded sessions of coding agents: take them in, look into them, learn from them."""
