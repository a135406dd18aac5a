"""``quipu tables``: tables that an agent designs itself, through the tools of the seed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import click
from rich.console import RenderableType

from quipu.interfaces.cli.call import Call, common, in_space
from quipu.interfaces.cli.derived import derived
from quipu.interfaces.cli.input import text_of
from quipu.interfaces.cli.memory import opened
from quipu.interfaces.cli.views import tables as views

if TYPE_CHECKING:
    from quipu.kinds.tables.model import Changed, Done
    from quipu.kinds.tables.recreate import Recreated

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


_yes = click.option(
    "--yes", "confirm", is_flag=True, help="Do it whatever it takes away; without it, that is shown."
)
_show_first = click.option("--show-first", is_flag=True, help="Show it first even where nothing goes.")


def _said(sql: str | None, option: str | None) -> str:
    statement = option or sql
    if statement is None:
        raise click.UsageError("Give a statement in SQL.")
    return statement


@click.command("create-table")
@_placed
@click.option("--name", required=True, metavar="NAME", help="Name of the table.")
@click.option("--description", required=True, metavar="TEXT", help="The purpose of the table.")
@click.option("--embed-fields", required=True, metavar="A,B", help="Columns found by meaning; '' if none.")
@click.option("--column-descriptions", metavar="JSON", help="The meaning of the columns: column to text.")
@click.option("--sql", required=True, metavar="SQL", help="One CREATE TABLE statement.")
@common
def create_table(call: Call, **options: Any) -> None:
    """Create a table and register what it is for."""
    _run(call, "create_table", views.done, options)


@click.command("execute")
@_placed
@_sql
@_show_first
@_yes
@common
def execute(call: Call, sql: str | None, option: str | None, **options: Any) -> None:
    """Run one other statement: CREATE INDEX, DROP TABLE, INSERT ... SELECT.

    What it takes away is shown until --yes is given.
    """
    _run(call, "execute", views.done, {"sql": _said(sql, option), **options})


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


@click.command("insert")
@_placed
@click.option("--table", required=True, metavar="NAME", help="Into this table.")
@click.option(
    "--data", required=True, metavar="JSON", help="Column to value, or a list of such rows; - reads them."
)
@_yes
@common
def insert(call: Call, **options: Any) -> None:
    """Insert a row, or up to 10,000: all or none. Many come by a pipe: --data - < rows.json"""
    if options["data"] == "-":
        options["data"] = text_of("-", field="data")
    _run(call, "insert", partial(views.changed, word="inserted"), options)


@click.command("update")
@_placed
@click.option("--table", required=True, metavar="NAME", help="In this table.")
@click.option("--data", required=True, metavar="JSON", help="Column to new value.")
@click.option("--where", required=True, metavar="JSON|SQL", help='The rows: {"id": 5}, or a condition.')
@_show_first
@_yes
@common
def update(call: Call, **options: Any) -> None:
    """Update the rows that satisfy a condition."""
    _run(call, "update", partial(views.changed, word="updated"), options)


@click.command("delete")
@_placed
@click.option("--table", required=True, metavar="NAME", help="From this table.")
@click.option("--where", required=True, metavar="JSON|SQL", help='The rows: {"id": 5}, or a condition.')
@_yes
@common
def delete(call: Call, **options: Any) -> None:
    """Delete the rows that satisfy a condition; without --yes only show them."""
    _run(call, "delete", partial(views.changed, word="deleted"), options)


@click.command("recreate")
@_placed
@click.argument("table")
@click.option("--sql", required=True, metavar="SQL", help="One CREATE TABLE: the whole new definition.")
@click.option("--mapping", metavar="JSON", help="New column to old one, where the name differs.")
@click.option("--embed-fields", metavar="A,B", help="Columns found by meaning; as before if not given.")
@click.option("--description", metavar="TEXT", help="The purpose of the table; as before if not given.")
@click.option(
    "--column-descriptions", metavar="JSON", help="The meaning of the columns; as before if not given."
)
@_yes
@common
def recreate(call: Call, **options: Any) -> None:
    """Change a table: make it anew with its rows, vectors and indexes, in one transaction."""
    _run(call, "recreate", views.recreated, options)


@click.command("prompt")
@_placed
@common
def prompt(call: Call, **where: Any) -> None:
    """Show what a system prompt should say of the schema, its tools and tables."""
    with opened(call) as (screen, memory):
        text = memory.tables.prompt(**where)
    screen.answer(text, text.text)
    screen.note(f"\nAbout {text.tokens:,} tokens.")


def _run(call: Call, method: str, view: Callable[[Any], RenderableType], options: dict[str, Any]) -> None:
    """Call a method of the room, show its answer, and say so where nothing was changed yet."""
    with opened(call) as (screen, memory):
        done: Changed | Done | Recreated = getattr(memory.tables, method)(**options)
    screen.answer(done, view(done))
    if done.undone:
        screen.note("\nNothing was changed. To do it, add --yes.")


command = derived(
    "tables",
    help=_HELP,
    epilog=_EXAMPLES,
    beside=(create_table, execute, query, insert, update, delete, recreate, prompt),
)
