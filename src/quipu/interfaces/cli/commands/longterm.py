"""``quipu longterm``: what is known of people; all of it derived, but for the evaluation of a text."""

from __future__ import annotations

from pathlib import Path
from typing import Final, get_args

import click

from quipu.interfaces.cli.call import Call, common
from quipu.interfaces.cli.derived import derived
from quipu.interfaces.cli.input import takes_text, text_from
from quipu.interfaces.cli.memory import opened
from quipu.interfaces.cli.views.longterm import evaluated
from quipu.kinds.longterm.evaluation.model import EvaluatorName
from quipu.kinds.longterm.sati import SatiEvaluationInput, SatiTurn

_HELP: Final = """\
Look up and change what is known of people.

ID is the id of a memory or its first digits, at least four.
"""
_EXAMPLES: Final = """\b
Examples:
  quipu longterm add 'Is vegetarian.' --user ana --category constraint
  quipu longterm list --user ana --importance high
  quipu longterm recover 'What shall I cook?' --user ana
  quipu longterm evaluate 'i moved to cork in may, and i hate olives' --show
  quipu longterm edit 4f1c2a 'Is vegan.' --expected-version 1
  quipu longterm archive-many --category context --before 2026-01-01
"""


@click.command()
@takes_text
@click.option("--show", is_flag=True, help="Show every clause with its claim, what becomes of it, and why.")
@click.option(
    "--evaluator",
    type=click.Choice(get_args(EvaluatorName)),
    help="The evaluator; without it, the one of the settings. A language model tells no clauses.",
)
@common
def evaluate(
    call: Call, text: str | None, file: Path | None, evaluator: EvaluatorName | None, *, show: bool
) -> None:
    """Try what would be kept of TEXT, a file or standard input (-), said by one user; write nothing."""
    said = text_from(
        text, file, missing="say what to evaluate.", example='quipu longterm evaluate "I live in Cork."'
    )
    conversation = SatiEvaluationInput(
        recent_conversation=(SatiTurn(role="user", content=said),),
        existing_memories=(),
        existing_memory_summaries=(),
    )
    with opened(call) as (screen, memory):
        evaluation = memory.longterm.evaluate(conversation, evaluator=evaluator)
    screen.answer(evaluation, evaluated(evaluation, show=show))


command = derived("longterm", help=_HELP, epilog=_EXAMPLES, beside=(evaluate,))
