"""``quipu transcripts schema``: what a query can name."""

from __future__ import annotations

import click

from quipu.interfaces.cli.call import Call, common, in_space
from quipu.interfaces.cli.opening import opened
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.cli.views import transcripts_counts as views


@click.command("schema")
@click.argument("table", required=False)
@in_space
@common
@click.pass_obj
def command(call: Call, table: str | None, space: str) -> None:
    """List the views and tables that a query can name, or the columns of TABLE and what they mean."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        found = memory.transcripts.schema(table, space=space)
    screen.answer({"relations": found}, views.relations(found))
