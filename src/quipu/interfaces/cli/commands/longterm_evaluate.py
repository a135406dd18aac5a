"""``quipu longterm evaluate``: what a session says that is to be kept, changed or forgotten."""

from __future__ import annotations

from typing import Final

import click

from quipu.interfaces.cli.call import Call, common, in_space
from quipu.interfaces.cli.opening import opened
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.cli.views import evaluations as views

_EXAMPLES = """\b
Examples:
  quipu longterm evaluate --session s1 --dry-run
  quipu longterm evaluate --session s1 --evaluator llm
"""


@click.command("evaluate", epilog=_EXAMPLES)
@in_space
@click.option("--session", metavar="ID", required=True, help="The session to be evaluated.")
@click.option("--evaluator", type=click.Choice(["rules", "llm"]), help="Instead of that of the settings.")
@click.option("--dry-run", is_flag=True, help="Only show what would be done for the next 40 turns.")
@common
@click.pass_obj
def evaluate(call: Call, space: str, session: str, evaluator: str | None, dry_run: bool) -> None:
    """Keep, change and forget what a session asks for since it was evaluated last.

    Workers do it by themselves. Doing it again changes nothing.
    """
    screen = Screen(call)
    with opened(call, screen) as memory:
        done = memory.longterm.evaluate_session(session, space=space, evaluator=evaluator, dry_run=dry_run)
    screen.answer(done, views.evaluation(done, dry_run=dry_run))


COMMANDS: Final = (evaluate,)
