"""``quipu transcripts``: recorded sessions of coding agents."""

from __future__ import annotations

import click

from quipu.interfaces.cli.lazy import LazyGroup, Line

# Each command is the ``command`` of a module of its own, ``commands/transcripts_*.py``.
_LINES = {
    "sync": Line("transcripts_sync", "Take in recorded sessions, what is new of them."),
    "index": Line("transcripts_index", "Let recalls find all that was taken in.", embeds=True),
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
