"""``quipu transcripts migrate-sqlite``: the seed's tables in a file of ccrecall."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click
from rich.text import Text

from quipu.interfaces.cli.call import Call, common
from quipu.interfaces.cli.opening import opened
from quipu.interfaces.cli.paths import FilePath
from quipu.interfaces.cli.screen import Screen
from quipu.kinds.transcripts.sqlite.migrating import migrate


@click.command("migrate-sqlite")
@click.argument("file", type=FilePath(path_type=Path))
@click.option(
    "--write-memories", is_flag=True, help="Write our live lessons with their sources into it, too."
)
@click.option(
    "--space",
    "-s",
    "spaces",
    multiple=True,
    metavar="NAME",
    help="Lessons of this space only.",
)
@common
@click.pass_obj
def command(call: Call, file: Path, write_memories: bool, spaces: tuple[str, ...]) -> None:
    """Bring FILE, the ccrecall.db of ccrecall, to the schema with memories; twice without harm.

    FILE as it was is kept beside it, as FILE.….quipu-backup. All is done in one transaction, or nothing.
    """
    screen, file = Screen(call), file.expanduser()
    if write_memories:
        with opened(call, screen) as memory:
            done = memory.transcripts.migrate_sqlite(file, write_memories=True, spaces=spaces or None)
    else:  # no memory is needed for it
        done = migrate(file, now=datetime.now(UTC))
    lines = [
        f"Made in {done.path}: {', '.join(done.changed)}."
        if done.changed
        else f"{done.path} has all it needs."
    ]
    if write_memories:
        lines.append(f"{done.memories:,} memories written, {done.sources:,} sources.")
    if done.backup is not None:
        lines.append(f"As it was: {done.backup}")
    screen.answer(done, *map(Text, lines))
