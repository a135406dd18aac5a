"""``quipu transcripts compact``: markers in the place of old bulky output of tools."""

from __future__ import annotations

import click

from quipu.interfaces.cli.call import Call, common, in_space
from quipu.interfaces.cli.narrowed import in_project
from quipu.interfaces.cli.opening import opened
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.cli.views import transcripts_counts as views


@click.command("compact")
@in_space
@in_project
@click.option("--older-than", "days", default=30, show_default=True, metavar="DAYS", help="Days.")
@click.option("--confirm", is_flag=True, help="Do it. Without this, only what would be replaced is shown.")
@common
@click.pass_obj
def command(call: Call, space: str, project: str | None, days: int, confirm: bool) -> None:
    """Replace old bulky output of tools by markers that say how long it was; what was said stays.

    Without --confirm nothing is changed. What is replaced cannot be had back from here, and is not found any
    more. An output is never replaced twice.
    """
    screen = Screen(call)
    with opened(call, screen) as memory:
        found = memory.transcripts.compact(
            space=space, project=project, older_than_days=days, confirm=confirm
        )
    screen.answer(
        {"space": space, "results": found.results, "bytes_saved": found.bytes_saved, "compacted": found},
        views.compacted(found),
    )
