"""``quipu transcripts query``, ``index`` and ``bootstrap``."""

from __future__ import annotations

import csv
import sys

import click
from rich.text import Text

from quipu.interfaces.cli.call import Call, common, in_one_space, in_space
from quipu.interfaces.cli.memory import opened
from quipu.interfaces.cli.views import transcripts_counts as counts
from quipu.interfaces.cli.views.text import count, visible

_QUERIES = """\b
Examples:
  quipu transcripts query 'select type, count(*) from messages group by type'
  quipu transcripts query 'select id, title from sessions order by last_timestamp desc' --csv
"""


@click.command("query", epilog=_QUERIES)
@click.argument("sql")
@in_space
@click.option("--csv", "as_csv", is_flag=True, help="Comma-separated values.")
@click.option("--seconds", default=10.0, show_default=True, help="The longest time that it may take.")
@click.option("--megabytes", default=16.0, show_default=True, help="The most that may come back.")
@click.option("--limit", "-n", default=100, show_default=True, help="The most rows to return (1 to 100,000).")
@common
def query(
    call: Call, sql: str, space: str, as_csv: bool, seconds: float, megabytes: float, limit: int
) -> None:
    """Ask in SQL: one select over the views and tables that `quipu transcripts schema` lists.

    It runs as a role of the database that can only read them, and only what is in the space. Where rows are
    left out, cut_by in the JSON names the option that did.
    """
    with opened(call) as (screen, memory):
        result = memory.transcripts.query(sql, space=space, limit=limit, seconds=seconds, megabytes=megabytes)
    if as_csv and not call.json:
        writer = csv.writer(sys.stdout)
        rows = [result.columns, *result.rows]
        if sys.stdout.isatty():  # a program gets what is stored, a terminal must not obey it
            rows = [[visible(cell) if isinstance(cell, str) else cell for cell in row] for row in rows]
        writer.writerows(rows)
    else:
        screen.answer(result, counts.answer(result))
    if result.truncated:
        more = f"--limit {limit * 10}" if result.cut_by == "limit" else f"--megabytes {megabytes * 10:g}"
        screen.note(f"\nThere are more rows: {more}")


@click.command("bootstrap")
@in_space
@click.option(
    "--query", metavar="TEXT", help="Pick the lessons by what they mean; without it the surest come."
)
@click.option("--project", metavar="PATH", help="Of this project: its path, or the last part of it.")
@click.option("--session", metavar="ID", help="Leave this session out: it is the one that begins.")
@click.option("--limit", type=int, default=10, show_default=True, help="The most of each kind.")
@click.option("--budget-tokens", type=int, default=400, show_default=True, help="The most in all.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["markdown", "json"]),
    default="markdown",
    help="A text, or the lists (as --json).",
)
@common
def bootstrap(
    call: Call,
    space: str,
    query: str | None,
    project: str | None,
    session: str | None,
    limit: int,
    budget_tokens: int,
    form: str,
) -> None:
    """Tell what an agent should know: recent sessions, lessons, files often edited, open tasks.

    The text never has more than --budget-tokens; lessons are kept before tasks, tasks before sessions,
    sessions before files. It is marked as recalled memory, so that it is not taken in again when it comes
    back in a transcript. Files are those of 90 days; tasks are those of an agent's last list, of lessons
    and of teams.
    """
    call.json = call.json or form == "json"
    with opened(call) as (screen, memory):
        made = memory.transcripts.bootstrap(
            space=space,
            query=query,
            project=project,
            session=session,
            limit=limit,
            budget_tokens=budget_tokens,
        )
    screen.answer(made, Text(visible(made.text)))
    if not made.text:
        screen.note("Nothing is known that fits. `quipu transcripts sync` takes recorded sessions in.")


@click.command("index")
@in_one_space("Only this space.")
@common
def index(call: Call, space: str | None) -> None:
    """Index the words of all that a sync took in, and let recalls find messages by their meaning.

    Searches and recalls do it by themselves, a little before each; this does all of it now.
    """
    with opened(call) as (screen, memory):
        names = [space] if space else [one.name for one in memory.spaces()]
        lines = {name: number for name in names if (number := memory.transcripts.unindexed(space=name))}
        with screen.progress("Indexing words", total=sum(lines.values()), unit="lines") as steps:
            for name in lines:
                memory.transcripts.index_texts(space=name, progress=steps.advance)
        waiting = {name: number for name in names if (number := memory.transcripts.waiting(space=name))}
        with screen.progress("Indexing", total=sum(waiting.values()), unit="messages") as steps:
            done = {name: memory.transcripts.index(space=name, progress=steps.advance) for name in waiting}
    summary = (
        f"{count(sum(lines.values()), 'line')} indexed by words, "
        f"{count(sum(done.values()), 'message')} by meaning."
    )
    screen.answer(
        {"spaces": done, "lines": lines}, Text(summary if lines or done else "Everything is indexed.")
    )
