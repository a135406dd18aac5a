"""Snapshots of agents' tables as people read them."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from quipu.interfaces.cli.views.layout import Rows
from quipu.interfaces.cli.views.text import count, day_and_time, size, visible
from quipu.upkeep.snapshots.model import HandedOut, Restored, Snapshot, Thinned

snapshots = Rows[Snapshot](
    {
        "snapshot": lambda one: one.name,
        "schema": lambda one: one.schema,
        "taken (UTC)": lambda one: day_and_time(one.taken_at),
        "why": lambda one: one.reason,
        "kept as": lambda one: one.tier,
        "tables": lambda one: f"{len(one.sums):,}",
        "rows": lambda one: f"{one.rows:,}",
        "size": lambda one: size(one.bytes),
    },
    right=("tables", "rows", "size"),
    none="There are no snapshots.",
)
"""A line for each snapshot."""


def snapshot(one: Snapshot) -> RenderableType:
    """Show one of them, as a line of the list."""
    return snapshots([one])


def thinned(report: Thinned) -> RenderableType:
    """Show the deleted snapshots, or the preview."""
    went = "gone" if report.done else "would go"
    summary = f"{count(len(report.deleted), 'snapshot')} {went}, {len(report.kept):,} stay."
    return Group(*(Text(name) for name in report.deleted), Text(summary, style="bold"))


def restored(restore: Restored) -> RenderableType:
    """Show rows by table before and after, and how to undo it."""
    table = Table("table", "rows before", "rows after", box=None, pad_edge=False)
    for place in (1, 2):
        table.columns[place].justify = "right"
    for name in sorted({*restore.before, *restore.after}):
        table.add_row(visible(name), _rows(restore.before.get(name)), _rows(restore.after.get(name)))
    lines: list[str] = []
    if restore.erased:
        lines.append(f"{count(restore.erased, 'row')} left out: what they name was forgotten since.")
    word = "Not brought back" if restore.done else "Would not come back"
    lines += [f"{word}: {line}." for line in restore.lost]
    if restore.undo is not None:
        lines.append(f"To undo it: quipu snapshots restore {restore.undo} --yes")
    return Group(table, *map(Text, lines))


def handed_out(done: HandedOut) -> RenderableType:
    """Show the exported file and its place."""
    held = f"{count(done.tables, 'table')}, {count(done.rows, 'row')}, {size(done.bytes)}"
    return Text(f"{done.path}: {held}. Export {done.id}, SHA-256 {done.sha256}.")


def _rows(number: int | None) -> str:
    return "-" if number is None else f"{number:,}"
