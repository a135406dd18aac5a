"""Backups as people read them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from quipu.interfaces.cli.views.text import count, size
from quipu.upkeep.backup.model import Backups, PutAside, Restored, Taken, Upgraded


def taken(base: Taken) -> RenderableType:
    """Show a base that was taken."""
    lines = [Text(f"{base.base.name}: {size(base.base.size_bytes)}, whole at {_time(base.base.ended_at)}.")]
    if base.removed:
        lines.append(
            Text(
                f"Removed: {count(len(base.removed), 'older base')}, "
                f"{count(base.log_segments_removed, 'segment')} of the log."
            )
        )
    if not base.log_kept:
        lines.append(
            Text(
                "The log is not kept, so only this moment can be restored. To keep it: quipu db stop, then "
                "QUIPU_ARCHIVE=true quipu db start",
                style="yellow",
            )
        )
    return Group(*lines)


def backups(kept: Backups) -> Iterator[RenderableType]:
    """Show the bases and the log."""
    if not kept.bases:
        yield Text(f"No bases in {kept.directory}. Take one: quipu backup base")
    else:
        table = Table(box=None, pad_edge=False, header_style="dim")
        for heading in ("base", "restores from (UTC)", "size", "PostgreSQL"):
            table.add_column(heading)
        for one in kept.bases:
            table.add_row(one.name, _time(one.ended_at), size(one.size_bytes), str(one.major))
        yield table
    log = kept.log
    if log.until is not None:
        segments = count(log.segments, "segment")
        yield Text(f"The log: {segments}, {size(log.size_bytes)}, the last closed at {_time(log.until)}.")
    yield Text(
        "It is kept." if log.kept else "The log is not kept; QUIPU_ARCHIVE=true begins it.", style="dim"
    )


def restored(restore: Restored) -> RenderableType:
    """Show the outcome of a restore, or its preview."""
    when = "at the end of the log" if restore.at is None else f"at {_time(restore.at)}"
    if not restore.done:
        return Group(
            Text(f"{restore.home} would have the database as it was {when}, from {restore.base.name}."),
            Text("To do it: --yes", style="dim"),
        )
    lines = [Text(f"{restore.home} has the database as it was {when}.")]
    if restore.last_change is not None:
        lines.append(Text(f"The last change in it is of {_time(restore.last_change)}."))
    if restore.put_aside is not None:
        lines.append(Text(f"What was there before is in {restore.put_aside}; delete it when you are sure."))
    return Group(*lines)


def upgraded(upgrade: Upgraded | None) -> RenderableType:
    """Show the outcome of an upgrade, or its preview."""
    if upgrade is None:
        return Text("Nothing to do: the data are of the version of the programs.")
    if not upgrade.done:
        lines = [
            Text(
                f"{upgrade.data} ({size(upgrade.size_bytes)}) would come from PostgreSQL "
                f"{upgrade.from_version} to {upgrade.to_version}."
            ),
            Text(
                f"It takes {size(upgrade.needed_bytes)} of the disk meanwhile; "
                f"{size(upgrade.free_bytes)} are free."
            ),
        ]
        if upgrade.free_bytes < upgrade.needed_bytes:
            lines.append(Text("Make room first.", style="red"))
        return Group(*lines, Text("To do it: --yes", style="dim"))
    return Group(
        Text(
            f"{upgrade.data} is of PostgreSQL {upgrade.to_version}: {count(upgrade.tables, 'table')}, "
            f"{upgrade.rows} rows."
        ),
        Text(f"The data of PostgreSQL {upgrade.from_version} are in {upgrade.put_aside}."),
        Text("When you are sure: quipu db clean. Take a base soon: quipu backup base", style="dim"),
    )


def put_aside(copies: list[PutAside], *, removed: bool) -> Iterator[RenderableType]:
    """Show data that were put aside."""
    if not copies:
        yield Text("Nothing was put aside.")
        return
    for one in copies:
        yield Text(f"{one.path} (PostgreSQL {one.major}, {size(one.size_bytes)})")
    yield Text("Removed." if removed else "To remove them for good: --yes", style="dim")


def _time(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M:%S.%f} UTC"
