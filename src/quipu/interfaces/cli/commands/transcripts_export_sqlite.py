"""``quipu transcripts export-sqlite``: a file that ccrecall can read."""

from __future__ import annotations

from pathlib import Path

import click
from rich.text import Text

from quipu.interfaces.cli.call import Call, common
from quipu.interfaces.cli.opening import opened
from quipu.interfaces.cli.paths import FilePath
from quipu.interfaces.cli.screen import Screen


@click.command("export-sqlite")
@click.argument("file", type=FilePath(path_type=Path))
@click.option(
    "--space", "-s", "spaces", multiple=True, metavar="NAME", help="Only this space; all if not given."
)
@common
@click.pass_obj
def command(call: Call, file: Path, spaces: tuple[str, ...]) -> None:
    """Write FILE, which ccrecall can read, with the memories as the seed's tables have them.

    Without --space it is what all spaces hold of recorded sessions. FILE must not be there yet.
    """
    screen = Screen(call)
    with opened(call, screen) as memory, screen.busy("Writing"):
        done = memory.transcripts.export_sqlite(file.expanduser(), spaces=spaces or None)
    told = ", ".join(f"{count:,} {table.replace('_', ' ')}" for table, count in done.written.items() if count)
    lines = [f"Written to {done.path}: {told or 'nothing, as nothing is known'}."]
    if done.repeated:
        lines.append(f"{done.repeated:,} lines that forked sessions repeat are in it once.")
    lines.append(f"Export {done.id}, SHA-256 {done.sha256}.")
    screen.answer(done, *map(Text, lines))
