"""``quipu observe``: one thing that was just said."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from quipu.interfaces.cli.call import Call, common, in_space
from quipu.interfaces.cli.input import takes_text, text_from
from quipu.interfaces.cli.memory import opened
from quipu.interfaces.cli.views.report import report

_EXAMPLE: Final = 'quipu observe "I moved to Lisbon in May."'


@click.command()
@takes_text
@in_space
@click.option("--session", metavar="ID", help="The conversation that it belongs to.")
@click.option(
    "--role",
    default="user",
    show_default=True,
    metavar="ROLE",
    help="user, assistant, system, tool or another.",
)
@click.option("--speaker", metavar="NAME", help="The person who said it.")
@click.option("--user", metavar="NAME", help="The person whose memory it is.")
@click.option("--time", metavar="TIME", help="When it was said, if not now: 2025-03-01T10:00Z.")
@click.option("--id", "identity", metavar="ID", help="Your own id of it.")
@click.option(
    "--verbatim/--redacted", default=None, help="Whether its session keeps items whole, from now on."
)
@common
def command(
    call: Call,
    text: str | None,
    file: Path | None,
    space: str,
    identity: str | None,
    verbatim: bool | None,
    **given: str | None,
) -> None:
    """Take in what was just said: TEXT, a file, or standard input (also by -)."""
    message = {
        "content": text_from(text, file, missing="say what to take in.", example=_EXAMPLE),
        "id": identity,
        **given,
    }
    with opened(call) as (screen, memory):
        observed = memory.observe(
            [{name: value for name, value in message.items() if value is not None}],
            space=space,
            verbatim=verbatim,
        )
    screen.answer(observed, report(observed))
