"""A timeline as people read it: a heading for each day, a line for each memory, the coverage at the end."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from quipu.interfaces.cli.views.text import visible
from quipu.recall.timeline import Gathered, Moment

_INDENT = (0, 0, 0, 2)
_REPLY_INDENT = (0, 0, 0, 8)


def gathered(found: Gathered) -> RenderableType:
    """Show the timeline, and how to see the rest of it."""
    if not found.items:
        return Text("Nothing is known of it." if found.cursor is None else "Nothing here.", style="dim")
    return Group(*_parts(found))


def _parts(found: Gathered) -> Iterator[RenderableType]:
    for day, moments in groupby(found.items, key=lambda one: f"{one.happened_at:%Y-%m-%d, %A}"):
        yield Text(day, style="bold")
        for one in moments:
            yield Padding(_line(one), _INDENT, expand=False)
            if one.reply:
                reply = Text.assemble((f"{visible(one.replier)}: ", "dim"), visible(_plain(one.reply)))
                yield Padding(reply, _REPLY_INDENT, expand=False)
    yield Text(f"\n{found.coverage}", style="dim")
    if found.cursor is not None:
        yield Text(f"The next part: --after {found.cursor}", style="dim")


def _line(one: Moment) -> Text:
    who = one.source.speaker or one.source.role or one.kind
    again = f" ({one.said_again})" if one.said_again else ""
    return Text.assemble(
        (f"{one.happened_at:%H:%M} ", "dim"),
        (f"{visible(who)}: ", "cyan"),
        visible(_plain(one.text)),
        (again, "dim"),
    )


def _plain(text: str) -> str:
    return " ".join(text.split())
