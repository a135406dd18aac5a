"""``quipu transcripts index``: make the text index of what was synced."""

from __future__ import annotations

import click

from quipu.interfaces.cli.call import Call, common, in_space
from quipu.interfaces.cli.opening import opened
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.cli.views import transcripts_counts as views


@click.command("index")
@in_space
@click.option("--seconds", type=float, metavar="NUMBER", help="Stop after so many seconds.")
@common
@click.pass_obj
def command(call: Call, space: str, seconds: float | None) -> None:
    """Put what was synced since into the text index. Searching does not need it, but is quicker after it."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        total = memory.transcripts.unindexed(space=space)
        with screen.progress("Indexing lines", total=total) as steps:
            found = memory.transcripts.index(space=space, seconds=seconds, progress=steps.advance)
    screen.answer(found, views.indexed(found))
