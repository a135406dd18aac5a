"""Outcome of retention, as people read it."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from quipu.interfaces.cli.views.text import count, day_and_time, visible
from quipu.kinds.ledger.retention.model import RetentionReport


def went(found: RetentionReport) -> RenderableType:
    """Show what went or would go, by kind and by table."""
    if not found.counts:
        return Text(f"Nothing in the space {visible(found.space)!r} is past its time.")
    limits, would = found.limits, "had to " if found.done else "would "
    idle = f"idle since {day_and_time(limits.sessions)} UTC"
    lines = (
        (found.sessions, f"{count(found.sessions, 'session')}, {idle}, {would}go"),
        (found.emptied, f"{count(found.emptied, 'session')}, {idle}, {would}stay for evidence alone"),
        (found.expired, f"{count(found.expired, 'value')} {would}expire"),
        (found.excerpts, f"{count(found.excerpts, 'excerpt')} of evidence {would}go"),
    )
    return Group(*(Text(line) for number, line in lines if number), _table(found))


def _table(found: RetentionReport) -> Table:
    table = Table("gone" if found.done else "would go", "rows", box=None, pad_edge=False)
    table.columns[1].justify = "right"
    for name, number in found.counts.items():
        table.add_row(name, f"{number:,}")
    return table
