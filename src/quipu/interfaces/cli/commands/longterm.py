"""``quipu longterm``: what is known of people before an agent answers them."""

from __future__ import annotations

import click

from quipu.interfaces.cli.commands import (
    longterm_changing,
    longterm_evaluate,
    longterm_files,
    longterm_looking,
)

_EXAMPLES = """\b
Examples:
  quipu longterm add 'Is vegetarian.' --user ana --category constraint
  quipu longterm list --user ana --importance high
  quipu longterm recover 'What shall I cook?' --user ana
  quipu longterm edit 4f1c2a 'Is vegan.' --expected-version 1
  quipu longterm archive --category context --before 2026-01-01
"""


@click.group("longterm", no_args_is_help=False, epilog=_EXAMPLES)
def command() -> None:
    """What is known of people: look it up, correct it, take it out of recall, bring it back.

    ID is the id of a memory or its beginning, at least four digits of it.
    """


for part in (longterm_looking, longterm_evaluate, longterm_changing, longterm_files):
    for each in part.COMMANDS:
        command.add_command(each)
