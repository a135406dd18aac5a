"""Archives as people read them."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from quipu.interfaces.cli.views.text import count, size, visible
from quipu.upkeep.archive.archive import ArchiveLoaded, ArchiveWritten


def written(done: ArchiveWritten) -> RenderableType:
    """Show the kinds of records in an archive, what it leaves out, and where it is."""
    held = f"{count(sum(done.records.values()), 'record')}, {size(done.bytes)}"
    place = f"{visible(str(done.path))}: {held}. Export {done.id}, SHA-256 {done.sha256}."
    shown: list[RenderableType] = [_kinds(done.records)]
    if done.left_out:
        left = ", ".join(f"{visible(kind)} {number:,}" for kind, number in done.left_out.items())
        shown.append(Text(f"Left out, as {done.format} has no place for it: {left}."))
    return Group(*shown, Text(place))


def loaded(done: ArchiveLoaded) -> RenderableType:
    """Show the kinds of records that were taken in, or would be, and how many rows were left out."""
    word = "taken in" if done.done else "would be taken in"
    of = f"space {visible(done.of_space)!r} as of {done.taken_at}"
    lines = [f"{count(sum(done.records.values()), 'record')} of the {of} {word}."]
    if done.withheld:
        rows = count(sum(done.withheld.values()), "row")
        lines.append(f"{rows} left out: what they belong to was forgotten since.")
    if done.vectors == "ignored":
        lines.append(
            "Its vectors are of another model than serves here, and were left: all is embedded again."
        )
    return Group(_kinds(done.records), *map(Text, lines))


def _kinds(records: Mapping[str, int]) -> Table:
    table = Table("kind", "records", box=None, pad_edge=False)
    table.columns[1].justify = "right"
    for kind, number in records.items():
        table.add_row(visible(kind), f"{number:,}")
    return table
