"""``quipu transcripts sessions``: what was recorded."""

from __future__ import annotations

from typing import Any

import click

from quipu.interfaces.cli.call import Call, common, in_space
from quipu.interfaces.cli.narrowed import at_most, in_project, in_time
from quipu.interfaces.cli.opening import opened
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.cli.views import transcripts as views


@click.command("sessions")
@in_space
@in_project
@in_time
@at_most(20)
@click.option("--offset", default=0, help="How many to pass over.")
@common
@click.pass_obj
def command(call: Call, space: str, limit: int, offset: int, **narrowed: Any) -> None:
    """List recorded sessions, the latest first: title, span, messages, tool calls, tokens.

    Sessions of subagents stand below the session that called them.
    """
    screen = Screen(call)
    with opened(call, screen) as memory:
        found = memory.transcripts.sessions(space=space, limit=limit, offset=offset, **narrowed)
    screen.answer({"space": space, "sessions": found}, views.sessions(found))
    if len(found) == limit:
        screen.note(f"\nThere may be more: --offset {offset + limit}")
