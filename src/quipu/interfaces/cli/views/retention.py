"""What retention took, as people read it."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from quipu.interfaces.cli.views.text import day_and_time, visible
from quipu.kinds.ledger.retention.model import RetentionReport


def went(found: RetentionReport) -> Iterator[RenderableType]:
    """What went or would go, by what it is and by table; and what to do next."""
    if not found.counts:
        yield Text(f"Nothing in the space {visible(found.space)!r} is past its time.")
        return
    limits, would = found.limits, "" if found.done else "would "
    lines = (
        (found.sessions, f"sessions without a word since {day_and_time(limits.sessions)} UTC {would}go"),
        (found.emptied, f"of them {would}stay for their evidence, emptied"),
        (found.expired, f"values {would}expire"),
        (found.excerpts, f"excerpts of evidence {would}be cut" if would else "excerpts of evidence were cut"),
    )
    for number, what in lines:
        if number:
            yield Text(f"{number:,} {what}")
    yield _table(found)
    if not found.done:
        yield Text("Nothing was changed. To do it, say the same with --confirm.", style="bold")


def _table(found: RetentionReport) -> Table:
    table = Table("gone" if found.done else "would go", "rows", box=None, pad_edge=False)
    table.columns[1].justify = "right"
    for name, number in found.counts.items():
        table.add_row(name, f"{number:,}")
    return table
