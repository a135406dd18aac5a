"""Contents of a memory as people read them: spaces, sessions, counts, what is open and what was used."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from quipu.app.answer import Used
from quipu.interfaces.cli.views.layout import Rows, amounts
from quipu.interfaces.cli.views.text import day_and_time, shortened, visible
from quipu.record.store import Session
from quipu.upkeep.overview import Overview, SpaceCounts

_LONGEST = 100

spaces = Rows[SpaceCounts](
    {
        "space": lambda one: one.name,
        "memories": lambda one: f"{one.entries:,}",
        "sessions": lambda one: f"{one.sessions:,}",
    },
    right=("memories", "sessions"),
    none="No spaces.",
)
"""Spaces by name."""

sessions = Rows[Session](
    {
        "session": lambda one: one.name,
        "messages": lambda one: f"{one.messages:,}",
        "from": lambda one: day_and_time(one.started_at),
        "to (UTC)": lambda one: day_and_time(one.last_at),
    },
    right=("messages",),
    none="No sessions.",
)
"""Sessions, the latest first."""

used = Rows[Used](
    {
        "used (UTC)": lambda one: day_and_time(one.used_at),
        "kind": lambda one: one.kind,
        "memory": lambda one: shortened(one.text, _LONGEST),
    },
    none="Nothing was used yet.",
)
"""Memories that were put before agents, the latest first."""


def reminders(lines: Sequence[str]) -> RenderableType:
    """Show the open loops, a line each."""
    return Text("\n".join(map(visible, lines)) or "Nothing is open.")


def overview(counts: Overview) -> RenderableType:
    """Show the number of memories of each kind, and the time they span."""
    if not counts.kinds:
        return Text("Nothing is in this space.", style="dim")
    spans = [
        Text(f"{name} {days[0].day} to {days[-1].day}")
        for name, days in (("Taken in", counts.recorded), ("Tells of", counts.happened))
        if days
    ]
    return Group(amounts(counts.kinds, "kind", "memories"), *spans)
