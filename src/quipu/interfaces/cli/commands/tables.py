"""``quipu tables``: tables that an agent designs itself, through the tools of the seed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from quipu.interfaces.cli.call import Call, common, in_space
from quipu.interfaces.cli.derived import derived
from quipu.interfaces.cli.memory import opened
from quipu.interfaces.cli.views import tables as views

Command = TypeVar("Command", bound=Callable[..., Any])

_HELP = """\
Make tables for an agent, fill them and ask them in SQL, in a schema of PostgreSQL that is its own.

What is sent runs as the role of the schema, which reaches nothing else. What takes rows or definitions away
is only shown until --yes is given.
"""
_EXAMPLES = """\b
Examples:
  quipu tables create-table --name characters --description 'Who plays' --embed-fields backstory \\
      --sql 'CREATE TABLE characters (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), backstory text)'
  quipu tables insert --table characters --data '{"backstory": "He left the mountain."}'
  quipu tables query 'SELECT * FROM characters'
  quipu tables list
"""


def _placed(function: Command) -> Command:
    """Add ``--space``, ``--schema`` and ``--agent``."""
    for option in (
        click.option(
            "--agent",
            metavar="NAME",
            help="The agent that asks, which may do what was granted to it; you, if not given.",
        ),
        click.option(
            "--schema",
            default="memory",
            show_default=True,
            metavar="NAME",
            help="The short name of the schema.",
        ),
    ):
        function = option(function)
    return in_space(function)


def _sql(function: Command) -> Command:
    """Add the statement, as an argument or ``--sql``."""
    function = click.option("--sql", "option", metavar="SQL", help="The same as an option.")(function)
    return click.argument("sql", required=False)(function)


def _said(sql: str | None, option: str | None) -> str:
    statement = option or sql
    if statement is None:
        raise click.UsageError("Give a statement in SQL.")
    return statement


@click.command("execute")
@_placed
@_sql
@click.option("--show-first", is_flag=True, help="Show it first even where nothing goes.")
@click.option(
    "--yes", "confirm", is_flag=True, help="Do it whatever it takes away; without it, that is shown."
)
@common
def execute(call: Call, sql: str | None, option: str | None, **options: Any) -> None:
    """Run one other statement: CREATE INDEX, DROP TABLE, INSERT ... SELECT.

    What it takes away is shown until --yes is given.
    """
    statement = _said(sql, option)
    with opened(call) as (screen, memory):
        done = memory.tables.execute(statement, **options)
    screen.answer(done, views.done(done))
    if done.undone:
        screen.note("\nNothing was changed. To do it, add --yes.")


@click.command("query")
@_placed
@_sql
@click.option("--search-text", metavar="TEXT", help="Its vector takes the place of :search_embedding.")
@click.option("--limit", "-n", default=50, show_default=True, help="Rows at most (1 to 1,000).")
@common
def query(call: Call, sql: str | None, option: str | None, **options: Any) -> None:
    """Answer one SELECT; read only."""
    statement = _said(sql, option)
    with opened(call) as (screen, memory):
        rows = memory.tables.query(statement, **options)
    screen.answer(rows, views.found(rows))
    if rows.note:
        screen.note(f"\n{rows.note}")


@click.command("prompt")
@_placed
@common
def prompt(call: Call, **where: Any) -> None:
    """Show the part of a system prompt about a schema, its tools and tables."""
    with opened(call) as (screen, memory):
        text = memory.tables.prompt(**where)
    screen.answer(text, text.text)
    screen.note(f"\nAbout {text.tokens:,} tokens.")


command = derived(
    "tables",
    help=_HELP,
    epilog=_EXAMPLES,
    beside=(execute, query, prompt),
)
