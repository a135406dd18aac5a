"""``quipu transcripts show``: one session as it went."""

from __future__ import annotations

import click

from quipu.interfaces.cli.call import Call, common, in_space
from quipu.interfaces.cli.narrowed import at_most
from quipu.interfaces.cli.opening import opened
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.cli.views import transcripts as views


@click.command("show")
@click.argument("session")
@in_space
@at_most(100)
@click.option("--offset", default=0, help="How many lines to pass over.")
@common
@click.pass_obj
def command(call: Call, session: str, space: str, limit: int, offset: int) -> None:
    """Show SESSION as it went: what was said and thought, the tools that were called, what they answered.

    SESSION is its id or how that begins. Tool calls are abbreviated; --json has them whole.
    """
    screen = Screen(call)
    with opened(call, screen) as memory:
        found = memory.transcripts.show(session, space=space, limit=limit, offset=offset)
    screen.answer(found, views.shown(found))
    if offset + len(found.lines) < found.total:
        screen.note(f"\n{offset + len(found.lines):,} of {found.total:,} lines: --offset {offset + limit}")
