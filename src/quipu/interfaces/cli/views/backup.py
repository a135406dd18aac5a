"""Backups as people read them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from quipu.interfaces.cli.views.text import count, size
from quipu.upkeep.backup.model import Backups, PutAside, Restored, Taken, Upgraded


def taken(found: Taken) -> RenderableType:
    """Show a base that was taken."""
    lines = [
        Text(f"{found.base.name}: {size(found.base.size_bytes)}, whole at {_time(found.base.ended_at)}.")
    ]
    if found.removed:
        lines.append(
            Text(
                f"Removed: {count(len(found.removed), 'older base')}, "
                f"{count(found.log_segments_removed, 'segment')} of the log."
            )
        )
    if not found.log_kept:
        lines.append(
            Text(
                "The log is not kept, so only this moment can be restored. To keep it: quipu db stop, then "
                "QUIPU_ARCHIVE=true quipu db start",
                style="yellow",
            )
        )
    return Group(*lines)


def backups(found: Backups) -> Iterator[RenderableType]:
    """Show the bases and the log."""
    if not found.bases:
        yield Text(f"No bases in {found.directory}. Take one: quipu backup base")
    else:
        table = Table(box=None, pad_edge=False, header_style="dim")
        for heading in ("base", "restores from (UTC)", "size", "PostgreSQL"):
            table.add_column(heading)
        for one in found.bases:
            table.add_row(one.name, _time(one.ended_at), size(one.size_bytes), str(one.major))
        yield table
    log = found.log
    if log.until is not None:
        segments = count(log.segments, "segment")
        yield Text(f"The log: {segments}, {size(log.size_bytes)}, the last closed at {_time(log.until)}.")
    yield Text(
        "It is kept." if log.kept else "The log is not kept; QUIPU_ARCHIVE=true begins it.", style="dim"
    )


def restored(found: Restored) -> RenderableType:
    """Show what a restore did, or would do."""
    when = "at the end of the log" if found.at is None else f"at {_time(found.at)}"
    if not found.done:
        return Group(
            Text(f"{found.home} would have the database as it was {when}, from {found.base.name}."),
            Text("To do it: --yes", style="dim"),
        )
    lines = [Text(f"{found.home} has the database as it was {when}.")]
    if found.last_change is not None:
        lines.append(Text(f"The last change in it is of {_time(found.last_change)}."))
    if found.put_aside is not None:
        lines.append(Text(f"What was there before is in {found.put_aside}; delete it when you are sure."))
    return Group(*lines)


def upgraded(found: Upgraded | None) -> RenderableType:
    """Show what an upgrade did, or would do."""
    if found is None:
        return Text("Nothing to do: the data are of the version of the programs.")
    if not found.done:
        lines = [
            Text(
                f"{found.data} ({size(found.size_bytes)}) would come from PostgreSQL {found.from_version} to "
                f"{found.to_version}."
            ),
            Text(
                f"It takes {size(found.needed_bytes)} of the disk meanwhile; "
                f"{size(found.free_bytes)} are free."
            ),
        ]
        if found.free_bytes < found.needed_bytes:
            lines.append(Text("Make room first.", style="red"))
        return Group(*lines, Text("To do it: --yes", style="dim"))
    return Group(
        Text(
            f"{found.data} is of PostgreSQL {found.to_version}: {count(found.tables, 'table')}, "
            f"{found.rows} rows."
        ),
        Text(f"The data of PostgreSQL {found.from_version} are in {found.put_aside}."),
        Text("When you are sure: quipu db clean. Take a base soon: quipu backup base", style="dim"),
    )


def put_aside(found: list[PutAside], *, removed: bool) -> Iterator[RenderableType]:
    """Show data that were put aside."""
    if not found:
        yield Text("Nothing was put aside.")
        return
    for one in found:
        yield Text(f"{one.path} (PostgreSQL {one.major}, {size(one.size_bytes)})")
    yield Text("Removed." if removed else "To remove them for good: --yes", style="dim")


def _time(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M:%S.%f} UTC"
