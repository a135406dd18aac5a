"""``quipu prompt``: a prompt that a worker answers."""

from __future__ import annotations

import click

from quipu.errors import BadInput
from quipu.interfaces.cli.call import Call, common, in_space
from quipu.interfaces.cli.memory import opened
from quipu.interfaces.cli.views import conversations as views

_EXAMPLES = """\b
Examples:
  quipu prompt --session monday 'What did I plan for the garden?'
  quipu prompt --session monday --wait 30 'And when?'
  quipu prompt --list
"""


@click.command("prompt", epilog=_EXAMPLES)
@click.argument("text", required=False)
@in_space
@click.option("--session", metavar="ID", help="The conversation that it belongs to.")
@click.option("--user", metavar="NAME", help="The person who asks.")
@click.option("--wait", "wait_seconds", type=float, default=0, help="Seconds to wait for the answer.")
@click.option("--list", "listed", is_flag=True, help="Show the prompts that there are, with their answers.")
@common
def command(
    call: Call,
    text: str | None,
    space: str,
    session: str | None,
    user: str | None,
    wait_seconds: float,
    listed: bool,
) -> None:
    """Put a prompt in: a worker recalls what is known, has it answered, and writes both down.

    Who answers: the function that QUIPU_AGENT names, else the language model that is configured.
    """
    with opened(call) as (screen, memory):
        if listed:
            prompts = memory.conversations.prompts(space=space, session=session)
            screen.answer({"space": space, "prompts": prompts}, views.prompts(prompts))
            return
        if text is None or session is None:
            raise BadInput("a prompt needs a text and --session.", hint="quipu prompt --help shows how.")
        one = memory.conversations.prompt(text, space=space, session=session, user=user)
        if wait_seconds:
            with screen.busy("Waiting for the answer"):
                one = memory.conversations.await_reply(one.id, space=space, timeout_seconds=wait_seconds)
    screen.answer(one, views.prompt(one))
