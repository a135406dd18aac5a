"""``quipu sessions``: what conversations a space holds."""

from __future__ import annotations

import click

from quipu.interfaces.cli.call import Call, common, in_space
from quipu.interfaces.cli.memory import opened
from quipu.interfaces.cli.views.layout import Rows
from quipu.interfaces.cli.views.text import day_and_time
from quipu.record.store import Session

_table = Rows[Session](
    {
        "session": lambda one: one.name,
        "messages": lambda one: f"{one.messages:,}",
        "from": lambda one: day_and_time(one.started_at),
        "to (UTC)": lambda one: day_and_time(one.last_at),
    },
    right=("messages",),
    none="No sessions.",
)


@click.command()
@in_space
@click.option("--limit", "-n", default=20, show_default=True, help="The most rows to return (1 to 1,000).")
@click.option("--offset", default=0, help="The number of rows to skip.")
@common
def command(call: Call, space: str, limit: int, offset: int) -> None:
    """List the sessions of a space, the latest first."""
    with opened(call) as (screen, memory):
        sessions = memory.sessions(space=space, limit=limit, offset=offset)
    screen.answer({"space": space, "sessions": sessions}, _table(sessions))
    if len(sessions) == limit:
        screen.note(f"\nThere may be more: --offset {offset + limit}")
