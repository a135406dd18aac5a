"""Intake of a sync."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from rich.console import RenderableType
from rich.filesize import decimal
from rich.table import Table
from rich.text import Text

from quipu.interfaces.cli.views.report import came_back, left_out, withheld
from quipu.interfaces.cli.views.text import count, visible
from quipu.kinds.transcripts.sync.model import Pending, SyncReport

_TROUBLES_SHOWN = 20


def report(sync: SyncReport) -> list[RenderableType]:
    """Show a line for each project, and below it what is unusual."""
    shown: list[RenderableType] = []
    if sync.spaces:
        shown.append(_table(sync))
    shown.append(Text(_summary(sync), style="bold"))
    redacted, unknown = Counter[str](), Counter[str]()
    for one in sync.spaces.values():
        redacted.update(one.redacted)
        unknown.update(one.unknown)
    if redacted:
        shown.append(Text(f"secrets cut out: {_listed(redacted)}", style="yellow"))
    shown += withheld(sync.withheld, "line")
    spaces = sync.spaces.values()
    shown += came_back(
        cut_characters=sum(one.cut_characters for one in spaces),
        foreign_characters=sum(one.foreign_characters for one in spaces),
        unmatched_marks=sum(one.unmatched_marks for one in spaces),
    )
    shown += left_out(sum(one.inserted_characters for one in spaces))
    if unknown:
        shown.append(Text(f"kept as they came, of unknown type: {_listed(unknown)}"))
    for trouble in sync.troubles[:_TROUBLES_SHOWN]:
        shown.append(Text(f"{visible(trouble.path)}: {visible(trouble.reason)}", style="red"))
    if len(sync.troubles) > _TROUBLES_SHOWN:
        more = len(sync.troubles) - _TROUBLES_SHOWN
        shown.append(Text(f"… and {more:,} more; --json lists all", style="red"))
    return shown


def pending(waiting: Mapping[str, Pending]) -> RenderableType:
    """Show the files that a sync would read, by project."""
    if not waiting:
        return Text("Nothing is new.")
    table = _numbers("space", "files", "to read")
    for name, one in waiting.items():
        table.add_row(visible(name), f"{one.files:,}", decimal(one.bytes))
    return table


def _table(sync: SyncReport) -> Table:
    table = _numbers("space", "files", "sessions", "messages", "calls", "results", "secrets")
    for name, one in sync.spaces.items():
        secrets = sum(one.redacted.values())
        numbers = (one.files, one.sessions, one.messages, one.tool_calls, one.tool_results, secrets)
        table.add_row(visible(name), *(f"{number:,}" for number in numbers))
    return table


def _numbers(*names: str) -> Table:
    table = Table(*names, box=None, pad_edge=False)
    for column in table.columns[1:]:
        column.justify = "right"
    return table


def _summary(sync: SyncReport) -> str:
    if not sync.lines:
        return f"Nothing is new; {sync.seconds:.1f} s"
    size = decimal(sum(one.bytes for one in sync.spaces.values()))
    return f"{count(sync.lines, 'line')} of {size} taken in; {sync.seconds:.1f} s"


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{number:,} {visible(kind)}" for kind, number in sorted(counts.items()))
