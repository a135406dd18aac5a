"""``quipu spaces``: which spaces the database has."""

from __future__ import annotations

from collections.abc import Sequence

import click
from rich.table import Table
from rich.text import Text

from quipu.interfaces.cli.call import Call, common
from quipu.interfaces.cli.opening import opened
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.cli.views.text import visible
from quipu.upkeep.overview import SpaceCounts


@click.command()
@common
@click.pass_obj
def command(call: Call) -> None:
    """List the spaces of the database, by name, and how much each holds.

    For whoever administers it: every other command keeps to one space.
    """
    screen = Screen(call)
    with opened(call, screen) as memory:
        found = memory.spaces()
    screen.answer({"spaces": found}, _table(found) if found else Text("No spaces.", style="dim"))


def _table(found: Sequence[SpaceCounts]) -> Table:
    table = Table("space", "memories", "sessions", box=None, pad_edge=False)
    for column in table.columns[1:]:
        column.justify = "right"
    for one in found:
        table.add_row(visible(one.name), f"{one.entries:,}", f"{one.sessions:,}")
    return table
