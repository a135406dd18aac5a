"""Other names of people, as people read them."""

from __future__ import annotations

from rich.text import Text

from quipu.interfaces.cli.views.layout import Rows
from quipu.interfaces.cli.views.text import day_and_time, visible
from quipu.record.aliases import Alias

table = Rows[Alias](
    {
        "other name": lambda one: visible(one.alias),
        "of": lambda one: visible(one.name),
        "said by": lambda one: one.made_by,
        "in": lambda one: visible(" / ".join(filter(None, (one.session, one.message)))),
        "since": lambda one: day_and_time(one.created_at),
    },
    none="Nobody has another name here.",
)
"""Other names, with the message that told those that were learnt."""


def one(alias: Alias) -> Text:
    """Show one of them."""
    return Text(f"{visible(alias.alias)} is {visible(alias.name)}.")
