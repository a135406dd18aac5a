"""``quipu transcripts import-sqlite``, ``export-sqlite`` and ``migrate-sqlite``: files of ccrecall."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import click
from rich.text import Text

from quipu.interfaces.cli.call import Call, common, erased_too, in_one_space
from quipu.interfaces.cli.input import FilePath
from quipu.interfaces.cli.memory import opened
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.cli.views.report import came_back, left_out, withheld
from quipu.interfaces.cli.views.text import visible
from quipu.kinds.transcripts.sqlite.file import migrate
from quipu.kinds.transcripts.sqlite.model import Imported


@click.command("migrate-sqlite")
@click.argument("path", type=FilePath(path_type=Path), metavar="FILE")
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
def migrate_sqlite(call: Call, path: Path, write_memories: bool, spaces: tuple[str, ...]) -> None:
    """Bring FILE, the ccrecall.db of ccrecall, to the schema with memories; twice without harm.

    FILE as it was is kept beside it, as FILE.….quipu-backup. All is done in one transaction, or nothing.
    """
    screen, path = Screen(call), path.expanduser()
    if write_memories:
        with opened(call) as (_, memory):
            done = memory.transcripts.migrate_sqlite(path, write_memories=True, spaces=spaces or None)
    else:  # no memory is needed for it
        done = migrate(path, now=datetime.now(UTC))
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


@click.command("import-sqlite")
@click.argument("path", type=FilePath(path_type=Path), metavar="FILE")
@in_one_space("One space for all projects.")
@erased_too
@common
def import_sqlite(call: Call, path: Path, space: str | None, erased_too: bool) -> None:
    """Take in FILE, the ccrecall.db of ccrecall: sessions, messages, calls, teams and memories.

    Each project goes to a space of its own, named like its directory; --space puts all into one. FILE is only
    read. Doing it again changes nothing.
    """
    with (
        opened(call) as (screen, memory),
        screen.progress("Importing lines", total=None, unit="lines") as steps,
    ):
        imported = memory.transcripts.import_sqlite(
            path.expanduser(), space=space, progress=steps.advance, erased_too=erased_too
        )
    back = came_back(
        cut_characters=imported.cut_characters,
        foreign_characters=imported.foreign_characters,
        unmatched_marks=imported.unmatched_marks,
    )
    screen.answer(
        imported,
        *map(Text, _lines(imported)),
        *withheld(imported.withheld, "row"),
        *back,
        *left_out(imported.inserted_characters),
    )


def _lines(imported: Imported) -> Iterator[str]:
    sessions = ", ".join(f"{visible(name)} ({count:,})" for name, count in imported.spaces.items())
    yield f"Sessions by space: {sessions or 'none'}"
    new = ", ".join(f"{count:,} {table.replace('_', ' ')}" for table, count in imported.new.items())
    yield f"New: {new or 'nothing'}; known before: {imported.known:,}"
    for title, counts in (
        ("Put right", imported.repaired),
        ("Kept nowhere", imported.passed),
        ("Secrets cut out", imported.redacted),
    ):
        if counts:
            yield f"{title}: {', '.join(f'{count:,} {what}' for what, count in counts.items())}"


@click.command("export-sqlite")
@click.argument("path", type=FilePath(path_type=Path), metavar="FILE")
@click.option(
    "--space", "-s", "spaces", multiple=True, metavar="NAME", help="Only this space; all if not given."
)
@common
def export_sqlite(call: Call, path: Path, spaces: tuple[str, ...]) -> None:
    """Write FILE, which ccrecall can read, with the memories as the seed's tables have them.

    Without --space it is what all spaces hold of recorded sessions. FILE must not be there yet.
    """
    with opened(call) as (screen, memory), screen.busy("Writing"):
        done = memory.transcripts.export_sqlite(path.expanduser(), spaces=spaces or None)
    summary = ", ".join(
        f"{count:,} {table.replace('_', ' ')}" for table, count in done.written.items() if count
    )
    lines = [f"Written to {done.path}: {summary or 'nothing, as nothing is known'}."]
    if done.repeated:
        lines.append(f"{done.repeated:,} lines that forked sessions repeat are in it once.")
    lines.append(f"Export {done.id}, SHA-256 {done.sha256}.")
    screen.answer(done, *map(Text, lines))
