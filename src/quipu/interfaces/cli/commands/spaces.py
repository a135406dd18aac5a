"""``quipu spaces``: which spaces the database has."""

from __future__ import annotations

import click

from quipu.interfaces.cli.call import Call, common
from quipu.interfaces.cli.memory import opened
from quipu.interfaces.cli.views.layout import Rows
from quipu.upkeep.overview import SpaceCounts

_table = Rows[SpaceCounts](
    {
        "space": lambda one: one.name,
        "memories": lambda one: f"{one.entries:,}",
        "sessions": lambda one: f"{one.sessions:,}",
    },
    right=("memories", "sessions"),
    none="No spaces.",
)


@click.command()
@common
def command(call: Call) -> None:
    """List the spaces of the database, by name, and how much each holds.

    For whoever administers it: every other command keeps to one space.
    """
    with opened(call) as (screen, memory):
        spaces = memory.spaces()
    screen.answer({"spaces": spaces}, _table(spaces))
