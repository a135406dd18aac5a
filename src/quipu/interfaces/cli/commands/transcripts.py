"""``quipu transcripts``: recorded sessions of coding agents."""

from __future__ import annotations

import click

from quipu.interfaces.cli.lazy import LazyGroup, Line

# Each command is the ``command`` of a module of its own, ``commands/transcripts_*.py``.
_LINES = {
    "sync": Line("transcripts_sync", "Take in recorded sessions, what is new of them."),
    "index": Line("transcripts_index", "Let recalls find all that was taken in.", embeds=True),
}


@click.group("transcripts", cls=LazyGroup, lines=_LINES, no_args_is_help=False)
def command() -> None:
    """Recorded sessions of coding agents: take them in, look into them, learn from them."""
