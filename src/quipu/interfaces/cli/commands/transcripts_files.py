"""``quipu transcripts files``: which files were worked on most."""

from __future__ import annotations

from typing import Any

import click

from quipu.interfaces.cli.call import Call, common, in_space
from quipu.interfaces.cli.narrowed import at_most, in_project, in_session, in_time
from quipu.interfaces.cli.opening import opened
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.cli.views import transcripts_counts as views


@click.command("files")
@in_space
@in_project
@in_session
@in_time
@at_most(20)
@common
@click.pass_obj
def command(call: Call, space: str, **narrowed: Any) -> None:
    """List the files that tools edited, wrote and read most, with the number of sessions that did."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        found = memory.transcripts.files(space=space, **narrowed)
    screen.answer({"space": space, "files": found}, views.files(found))
