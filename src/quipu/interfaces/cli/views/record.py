"""Contents of a memory as people read them: spaces, sessions, counts, what is open and what was used."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from quipu.app.entries import Used
from quipu.interfaces.cli.views.layout import Rows, amounts
from quipu.interfaces.cli.views.text import count, day_and_time, shortened, visible
from quipu.record.model import SessionMessage
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

messages = Rows[SessionMessage](
    {
        "time (UTC)": lambda one: day_and_time(one.time),
        "who": lambda one: one.speaker or one.role,
        "text": lambda one: shortened(_told(one), _LONGEST),
        "id": lambda one: one.id,
    },
    none="No messages.",
)
"""Messages of a session, in order."""

used = Rows[Used](
    {
        "used (UTC)": lambda one: day_and_time(one.used_at),
        "kind": lambda one: one.kind,
        "memory": lambda one: shortened(one.text, _LONGEST),
    },
    none="Nothing was used yet.",
)
"""Memories that were put before agents, the latest first."""


def _told(one: SessionMessage) -> str:
    """Return the text of a message, or the type of one that has none."""
    return one.content or f"({(one.item or {}).get('type', 'no text')})"


def message(one: SessionMessage) -> RenderableType:
    """Show one message."""
    return Text(f"{visible(one.speaker or one.role)}: {visible(_told(one))}")


def taken(one: SessionMessage | None) -> RenderableType:
    """Show a message that was taken back."""
    return Text("The session has no message.") if one is None else message(one)


def cleared(removed: int) -> RenderableType:
    """Show the number of messages that were taken back."""
    return Text(f"{count(removed, 'message')} taken back.")


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
