"""API keys as people read them."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group
from rich.table import Table
from rich.text import Text

from quipu.interfaces.cli.views.text import day_and_time, visible
from quipu.upkeep.keys.model import Issued, Key


def table(keys: Sequence[Key]) -> Table | Text:
    """Show a line for each key."""
    if not keys:
        return Text("No keys.", style="dim")
    table = Table(
        "id", "name", "space", "user", "level", "a minute", "last used", "state", box=None, pad_edge=False
    )
    table.columns[5].justify = "right"
    for key in keys:
        table.add_row(
            key.id,
            visible(key.name),
            Text("all", style="italic") if key.space is None else visible(key.space),
            Text("all", style="italic") if key.user is None else visible(key.user),
            key.level,
            f"{key.requests_per_minute:,}",
            day_and_time(key.last_used_at) if key.last_used_at else "never",
            f"revoked {day_and_time(key.revoked_at)}" if key.revoked_at else "open",
        )
    return table


def one(key: Key) -> Table | Text:
    """Show one key."""
    return table([key])


def issued(made: Issued) -> Group:
    """Show a new key with its token, which is shown this once."""
    return Group(
        one(made.key),
        Text(f"\n{made.token}\n", style="bold"),
        Text("Keep it now: it is not stored, and cannot be shown again."),
    )
