"""API keys as people read them."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from quipu.interfaces.cli.views.layout import Rows
from quipu.interfaces.cli.views.text import day_and_time
from quipu.upkeep.keys.model import Issued, Key

_ALL = Text("all", style="italic")

table = Rows[Key](
    {
        "id": lambda one: one.id,
        "name": lambda one: one.name,
        "space": lambda one: _ALL if one.space is None else one.space,
        "user": lambda one: _ALL if one.user is None else one.user,
        "level": lambda one: one.level,
        "a minute": lambda one: f"{one.requests_per_minute:,}",
        "last used": lambda one: day_and_time(one.last_used_at) or "never",
        "state": lambda one: f"revoked {day_and_time(one.revoked_at)}" if one.revoked_at else "open",
    },
    right=("a minute",),
    none="No keys.",
)
"""A line for each key."""


def one(key: Key) -> RenderableType:
    """Show one key."""
    return table([key])


def issued(made: Issued) -> Group:
    """Show a new key with its token, which is shown this once."""
    return Group(
        one(made.key),
        Text(f"\n{made.token}\n", style="bold"),
        Text("Keep it now: it is not stored, and cannot be shown again."),
    )
