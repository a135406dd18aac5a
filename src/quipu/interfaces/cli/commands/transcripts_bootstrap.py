"""``quipu transcripts bootstrap``: what a session is told when it begins."""

from __future__ import annotations

import click
from rich.text import Text

from quipu.interfaces.cli.call import Call, common, in_space
from quipu.interfaces.cli.opening import opened
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.cli.views.text import visible


@click.command("bootstrap")
@in_space
@click.option(
    "--query", metavar="TEXT", help="Pick the lessons by what they mean; without it the surest come."
)
@click.option("--project", metavar="PATH", help="Of this project: its path, or the last part of it.")
@click.option("--session", metavar="ID", help="Leave this session out: it is the one that begins.")
@click.option("--limit", type=int, default=10, show_default=True, help="The most of each kind.")
@click.option("--tokens", type=int, default=400, show_default=True, help="The most in all.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["markdown", "json"]),
    default="markdown",
    help="A text, or the lists (as --json).",
)
@common
@click.pass_obj
def command(
    call: Call,
    space: str,
    query: str | None,
    project: str | None,
    session: str | None,
    limit: int,
    tokens: int,
    form: str,
) -> None:
    """Tell what an agent should know: recent sessions, lessons, files often edited, open tasks.

    The text never has more than --tokens; lessons are kept before tasks, tasks before sessions, sessions
    before files. It is marked as recalled memory, so that it is not taken in again when it comes back in a
    transcript. Files are those of 90 days; tasks are those of an agent's last list, of lessons and of teams.
    """
    call.json = call.json or form == "json"
    screen = Screen(call)
    with opened(call, screen) as memory:
        made = memory.transcripts.bootstrap(
            space=space, query=query, project=project, session=session, limit=limit, budget_tokens=tokens
        )
    screen.answer(made, Text(visible(made.text)))
    if not made.text:
        screen.note("Nothing is known that fits. `quipu transcripts sync` takes recorded sessions in.")
