"""``quipu transcripts``: recorded sessions of coding agents."""

from __future__ import annotations

from typing import Final

from quipu.interfaces.cli.commands.transcripts_lookup import bootstrap, index, query
from quipu.interfaces.cli.commands.transcripts_sqlite import export_sqlite, import_sqlite, migrate_sqlite
from quipu.interfaces.cli.commands.transcripts_sync import command as sync
from quipu.interfaces.cli.derived import derived

_HELP: Final = """\
Take in recorded sessions of coding agents, look into them, learn from them.

SESSION is the id of a session, or how that begins. Words to look for are written as they are: "in quotes"
they stand side by side, login* lets a word go on, -word leaves texts with it out, OR stands between
alternatives.
"""
_EXAMPLES: Final = """\b
Examples:
  quipu transcripts sync
  quipu transcripts list --project boats
  quipu transcripts get 4f1c
  quipu transcripts search 'csrf token'
  quipu transcripts search '"was read before"' --role assistant
  quipu transcripts search 'fix-login OR log*' --project boats --sort time
  quipu transcripts search KeyError --tool Bash --errors
  quipu transcripts compact --older-than-days 90
"""

command = derived(
    "transcripts",
    help=_HELP,
    epilog=_EXAMPLES,
    embed=("search", "recall", "index", "bootstrap"),
    beside=(bootstrap, export_sqlite, import_sqlite, index, migrate_sqlite, query, sync),
)
