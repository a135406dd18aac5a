"""``quipu transcripts recall``: matches with the conversation around them, for another agent."""

from __future__ import annotations

from typing import Any

import click

from quipu.interfaces.cli.call import Call, common, in_space
from quipu.interfaces.cli.narrowed import at_most, in_project, in_session, in_time
from quipu.interfaces.cli.opening import opened
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.cli.views import transcripts as views
from quipu.kinds.transcripts.seeing.model import SORTS


@click.command("recall")
@click.argument("words", metavar="TERM", nargs=-1, required=True)
@in_space
@in_project
@in_session
@in_time
@click.option("--turns", "-c", default=2, show_default=True, help="Messages on each side of a match.")
@click.option("--characters", default=2_000, show_default=True, help="Most characters of each message.")
@click.option("--sort", type=click.Choice(SORTS), default="relevance", show_default=True)
@click.option("--meaning/--no-meaning", default=True, help="Whether what is near in meaning counts, too.")
@at_most(5, 200)
@common
@click.pass_obj
def command(call: Call, words: tuple[str, ...], space: str, **narrowed: Any) -> None:
    """Find messages that have TERM (written as for search), with the messages before and after them.

    Matches that stand near each other are shown as one. --json is made for another agent to read.
    """
    screen = Screen(call)
    with opened(call, screen) as memory:
        found = memory.transcripts.recall(" ".join(words), space=space, **narrowed)
    screen.answer(found, views.recalled(found))
