"""``quipu transcripts stats``: how much was recorded, and the tokens it took."""

from __future__ import annotations

from typing import Any

import click

from quipu.interfaces.cli.call import Call, common, in_space
from quipu.interfaces.cli.narrowed import at_most, in_project, in_time
from quipu.interfaces.cli.opening import opened
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.cli.views import transcripts_counts as views


@click.command("stats")
@in_space
@in_project
@in_time
@at_most(30)
@common
@click.pass_obj
def command(call: Call, space: str, **narrowed: Any) -> None:
    """Count sessions, messages, tool calls and memories, and plot tokens by model and day.

    Tokens are counted once for each answer of the model. --limit is the number of days, the latest of those
    that had any; --project, --since and --until narrow the tokens by day and model.
    """
    screen = Screen(call)
    with opened(call, screen) as memory:
        found = memory.transcripts.stats(space=space, **narrowed)
    screen.answer({"space": space, "stats": found}, views.stats(found))
