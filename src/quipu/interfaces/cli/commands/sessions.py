"""``quipu sessions``: what conversations a space holds."""

from __future__ import annotations

import click
from rich.table import Table
from rich.text import Text

from quipu.interfaces.cli.call import Call, common, in_space
from quipu.interfaces.cli.opening import opened
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.cli.views.text import day_and_time, visible
from quipu.record.store import Session


@click.command()
@in_space
@click.option("--limit", "-n", default=20, show_default=True, help="The most rows to return (1 to 1,000).")
@click.option("--offset", default=0, help="The number of rows to skip.")
@common
@click.pass_obj
def command(call: Call, space: str, limit: int, offset: int) -> None:
    """List the sessions of a space, the latest first."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        found = memory.sessions(space=space, limit=limit, offset=offset)
    screen.answer(
        {"space": space, "sessions": found}, _table(found) if found else Text("No sessions.", style="dim")
    )
    if len(found) == limit:
        screen.note(f"\nThere may be more: --offset {offset + limit}")


def _table(found: list[Session]) -> Table:
    table = Table("session", "messages", "from", "to (UTC)", box=None, pad_edge=False)
    table.columns[1].justify = "right"
    for one in found:
        table.add_row(
            visible(one.name), f"{one.messages:,}", day_and_time(one.started_at), day_and_time(one.last_at)
        )
    return table
