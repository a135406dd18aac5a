"""``quipu observe``: one thing that was just said."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from quipu.errors import BadInput
from quipu.interfaces.cli.call import Call, common, in_space
from quipu.interfaces.cli.input import FilePath, text_of
from quipu.interfaces.cli.memory import opened
from quipu.interfaces.cli.views.report import report


@click.command()
@click.argument("text", required=False)
@click.option(
    "--file",
    "-f",
    type=FilePath(path_type=Path, exists=True, dir_okay=False),
    help="Read the text from a file.",
)
@in_space
@click.option("--session", metavar="ID", help="The conversation that it belongs to.")
@click.option(
    "--role", default="user", show_default=True, metavar="ROLE", help="user, assistant, system or tool."
)
@click.option("--speaker", metavar="NAME", help="The person who said it.")
@click.option("--user", metavar="NAME", help="The person whose memory it is.")
@click.option("--time", metavar="TIME", help="When it was said, if not now: 2025-03-01T10:00Z.")
@click.option("--id", "identity", metavar="ID", help="Your own id of it.")
@common
def command(
    call: Call, text: str | None, file: Path | None, space: str, identity: str | None, **given: str | None
) -> None:
    """Take in what was just said: TEXT, a file, or standard input (also by -)."""
    message = {"content": _content(text, file), "id": identity, **given}
    with opened(call) as (screen, memory):
        observed = memory.observe(
            [{name: value for name, value in message.items() if value is not None}], space=space
        )
    screen.answer(observed, report(observed))


def _content(text: str | None, file: Path | None) -> str:
    if text is not None and file is not None:
        raise BadInput("give a text or a file, not both.", field="text")
    if file is not None:
        return text_of(file, field="file")
    if text not in (None, "-"):
        return str(text)
    if sys.stdin.isatty() and text is None:
        raise BadInput("say what to take in.", field="text", hint='quipu observe "I moved to Lisbon in May."')
    return text_of("-")
