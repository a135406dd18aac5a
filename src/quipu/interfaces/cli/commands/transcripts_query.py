"""``quipu transcripts query``: SQL over what was recorded, to read only."""

from __future__ import annotations

import csv
import sys

import click

from quipu.interfaces.cli.call import Call, common, in_space
from quipu.interfaces.cli.opening import opened
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.cli.views import transcripts_counts as views
from quipu.interfaces.cli.views.text import visible

_EXAMPLES = """\b
Examples:
  quipu transcripts query 'select type, count(*) from messages group by type'
  quipu transcripts query 'select id, title from sessions order by last_timestamp desc' --csv
"""


@click.command("query", epilog=_EXAMPLES)
@click.argument("sql")
@in_space
@click.option("--csv", "as_csv", is_flag=True, help="Comma-separated values.")
@click.option("--seconds", default=10.0, show_default=True, help="How long it may take.")
@click.option("--megabytes", default=16.0, show_default=True, help="How much of it may come back.")
@click.option("--limit", "-n", default=100, show_default=True, help="How many rows at most (1 to 100,000).")
@common
@click.pass_obj
def command(
    call: Call, sql: str, space: str, as_csv: bool, seconds: float, megabytes: float, limit: int
) -> None:
    """Ask in SQL: one select over the views and tables that `quipu transcripts schema` lists.

    It runs as a role of the database that can only read them, and only what is in the space. Where rows are
    left out, cut_by in the JSON names the option that did.
    """
    screen = Screen(call)
    with opened(call, screen) as memory:
        found = memory.transcripts.query(sql, space=space, limit=limit, seconds=seconds, megabytes=megabytes)
    if as_csv and not call.json:
        writer = csv.writer(sys.stdout)
        rows = [found.columns, *found.rows]
        if sys.stdout.isatty():  # a program gets what is stored, a terminal must not obey it
            rows = [[visible(cell) if isinstance(cell, str) else cell for cell in row] for row in rows]
        writer.writerows(rows)
    else:
        screen.answer(found, views.answer(found))
    if found.truncated:
        more = f"--limit {limit * 10}" if found.cut_by == "limit" else f"--megabytes {megabytes * 10:g}"
        screen.note(f"\nThere are more rows: {more}")
