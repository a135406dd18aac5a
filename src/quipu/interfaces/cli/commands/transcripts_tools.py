"""``quipu transcripts tools``: which tools were called, how often they failed, how long they took."""

from __future__ import annotations

from typing import Any

import click

from quipu.interfaces.cli.call import Call, common, in_space
from quipu.interfaces.cli.narrowed import at_most, in_project, in_time
from quipu.interfaces.cli.opening import opened
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.cli.views import transcripts_counts as views


@click.command("tools")
@in_space
@in_project
@in_time
@click.option("--by-project", is_flag=True, help="Each project on its own.")
@at_most(50)
@common
@click.pass_obj
def command(call: Call, space: str, by_project: bool, **narrowed: Any) -> None:
    """Count the calls of each tool: how many failed, and the median time until it answered."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        found = memory.transcripts.tools(space=space, by_project=by_project, **narrowed)
    screen.answer({"space": space, "tools": found}, views.tools(found, by_project=by_project))
