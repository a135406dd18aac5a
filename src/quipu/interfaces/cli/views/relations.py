"""Links between messages as people read them."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from quipu.interfaces.cli.views.layout import Rows, named_values
from quipu.interfaces.cli.views.text import day_and_time, shortened, visible
from quipu.recall.model import Cited
from quipu.record.replacements import Replacement

_LONGEST = 60

table = Rows[Replacement](
    {
        "newer": lambda one: _said(one.newer),
        "replaces": lambda one: _said(one.older),
        "reason": lambda one: one.reason or "",
        "said by": lambda one: one.made_by,
        "since": lambda one: day_and_time(one.created_at),
        "removed": lambda one: day_and_time(one.removed_at),
    },
    none="It replaces nothing, and nothing replaces it.",
)
"""Links of a message; their ids stand before the words."""


def one(replacement: Replacement) -> RenderableType:
    """Show both messages and what is known of their link."""
    held = "replaced" if replacement.removed_at else "replaces"
    values = {
        "reason": replacement.reason,
        "said by": replacement.made_by,
        "certain": f"{replacement.strength:.2f}",
        "since": day_and_time(replacement.created_at),
        "removed": day_and_time(replacement.removed_at),
    }
    return Group(
        Text(_said(replacement.newer), style="bold"),
        Text(f"{held} {_said(replacement.older)}"),
        named_values(values),
    )


def _said(message: Cited) -> str:
    source = message.source
    where = f" in {visible(source.session)}" if source.session else ""
    day = f"{message.happened_at:%Y-%m-%d}"
    return f"[{visible(source.message or '')}]{where} {day}: {shortened(message.text, _LONGEST)}"
