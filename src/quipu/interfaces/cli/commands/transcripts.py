"""``quipu transcripts``: recorded sessions of coding agents."""

from __future__ import annotations

import click

from quipu.interfaces.cli.lazy import LazyGroup, Line

# Each command is the ``command`` of a module of its own, ``commands/transcripts_*.py``.
_LINES = {
    "sync": Line("transcripts_sync", "Take in recorded sessions, what is new of them."),
    "index": Line("transcripts_index", "Let recalls find all that was taken in.", embeds=True),
    "sessions": Line("transcripts_sessions", "List recorded sessions: title, span, messages, tokens."),
    "show": Line("transcripts_show", "Show a session as it went."),
    "search": Line("transcripts_search", "Find what was said, thought, asked and answered.", embeds=True),
    "recall": Line("transcripts_recall", "Find messages, with those before and after them.", embeds=True),
    "tools": Line("transcripts_tools", "Count the calls of each tool."),
    "files": Line("transcripts_files", "List the files that were touched most."),
    "stats": Line("transcripts_stats", "Count, and plot tokens by model and day."),
    "query": Line("transcripts_query", "Ask in SQL; nothing can be changed by it."),
    "schema": Line("transcripts_schema", "List what a query can name."),
    "extract": Line("transcripts_extract", "Keep what was said that lasts, as memories.", embeds=True),
    "compact": Line("transcripts_compact", "Replace old bulky output of tools by markers."),
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
