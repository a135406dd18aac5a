"""``quipu conversations``: sessions with their topics and threads, and prompts that a worker answers."""

from __future__ import annotations

from typing import Final

import click

from quipu.interfaces.cli.call import Call, common, in_space
from quipu.interfaces.cli.derived import derived
from quipu.interfaces.cli.memory import opened
from quipu.interfaces.cli.views import conversations as views

_HELP: Final = """\
Look up conversations: sessions with their topic, thread and status, and what each exchange yields.

A worker reads what was taken in: `quipu worker`, or `quipu worker --burst`.
"""
_EXAMPLES: Final = """\b
Examples:
  quipu conversations list --user ana
  quipu conversations get monday
  quipu conversations edit monday --title 'The garden'
  quipu conversations topics
  quipu conversations prompt --session monday --wait 30 'What did I plan for the garden?'
"""


@click.command("prompt")
@click.argument("text")
@in_space
@click.option("--session", required=True, metavar="ID", help="The conversation that it belongs to.")
@click.option("--user", metavar="NAME", help="The person who asks.")
@click.option("--wait", type=float, default=0, metavar="SECONDS", help="Wait so long for the answer.")
@common
def prompt(call: Call, text: str, space: str, session: str, user: str | None, wait: float) -> None:
    """Put a prompt in: a worker recalls what is known, has it answered, and writes both down.

    Who answers: the function that QUIPU_AGENT names, else the language model that is configured.
    """
    with opened(call) as (screen, memory):
        one = memory.conversations.prompt(text, space=space, session=session, user=user)
        if wait:
            with screen.busy("Waiting for the answer"):
                one = memory.conversations.await_reply(one.id, space=space, timeout_seconds=wait)
    screen.answer(one, views.prompt(one))


command = derived("conversations", help=_HELP, epilog=_EXAMPLES, beside=(prompt,))
