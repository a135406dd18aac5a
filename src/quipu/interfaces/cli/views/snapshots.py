"""Snapshots of agents' tables as people read them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from quipu.interfaces.cli.views.text import count, day_and_time, size, visible
from quipu.upkeep.snapshots.model import HandedOut, Restored, Snapshot, Thinned


def snapshots(found: Sequence[Snapshot]) -> RenderableType:
    """Show a line for each snapshot."""
    if not found:
        return Text("There are no snapshots.")
    table = Table("snapshot", "schema", "taken (UTC)", "why", "kept as", "tables", "rows", "size", box=None)
    for place in (5, 6, 7):
        table.columns[place].justify = "right"
    for one in found:
        numbers = (f"{len(one.sums):,}", f"{one.rows:,}", size(one.bytes))
        table.add_row(one.name, one.schema, day_and_time(one.taken_at), one.reason, one.tier, *numbers)
    return table


def thinned(done: Thinned) -> Iterator[RenderableType]:
    """Show what went or would go."""
    for name in done.deleted:
        yield Text(name)
    went = "would go" if done.dry_run else "gone"
    yield Text(f"{count(len(done.deleted), 'snapshot')} {went}, {len(done.kept):,} stay.", style="bold")


def restored(done: Restored) -> Iterator[RenderableType]:
    """Show rows by table before and after, and how to undo it."""
    table = Table("table", "rows before", "rows after", box=None, pad_edge=False)
    for place in (1, 2):
        table.columns[place].justify = "right"
    for name in sorted({*done.before, *done.after}):
        table.add_row(visible(name), _rows(done.before.get(name)), _rows(done.after.get(name)))
    yield table
    if done.erased:
        yield Text(f"{count(done.erased, 'row')} left out: what they name was forgotten since.")
    for line in done.lost:
        yield Text(f"{'Not brought back' if done.done else 'Would not come back'}: {line}.")
    if not done.done:
        yield Text("Nothing was changed. To do it, say the same with --confirm.", style="bold")
    elif done.undo is not None:
        yield Text(f"To undo it: quipu snapshots restore {done.undo} --confirm", style="bold")


def handed_out(done: HandedOut) -> RenderableType:
    """Show what was written, and where."""
    held = f"{count(done.tables, 'table')}, {count(done.rows, 'row')}, {size(done.bytes)}"
    return Text(f"{done.path}: {held}. Export {done.id}, SHA-256 {done.sha256}.")


def _rows(number: int | None) -> str:
    return "-" if number is None else f"{number:,}"
