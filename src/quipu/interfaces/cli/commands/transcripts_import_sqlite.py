"""``quipu transcripts import-sqlite``: what ccrecall recorded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
from rich.text import Text

from quipu.interfaces.cli.call import Call, common, erased_too
from quipu.interfaces.cli.opening import opened
from quipu.interfaces.cli.paths import FilePath
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.cli.views.report import came_back, left_out, withheld
from quipu.interfaces.cli.views.text import visible
from quipu.kinds.transcripts.sqlite.model import Imported


@click.command("import-sqlite")
@click.argument("file", type=FilePath(path_type=Path))
@click.option(
    "--space",
    "-s",
    envvar="QUIPU_SPACE",
    show_envvar=True,
    metavar="NAME",
    help="One space for all projects.",
)
@erased_too
@common
@click.pass_obj
def command(call: Call, file: Path, space: str | None, erased_too: bool) -> None:
    """Take in FILE, the ccrecall.db of ccrecall: sessions, messages, calls, teams and memories.

    Each project goes to a space of its own, named like its directory; --space puts all into one. FILE is only
    read. Doing it again changes nothing.
    """
    screen = Screen(call)
    with (
        opened(call, screen) as memory,
        screen.progress("Importing lines", total=None, unit="lines") as steps,
    ):
        found = memory.transcripts.import_sqlite(
            file.expanduser(), space=space, progress=steps.advance, erased_too=erased_too
        )
    back = came_back(
        cut_characters=found.cut_characters,
        foreign_characters=found.foreign_characters,
        unmatched_marks=found.unmatched_marks,
    )
    screen.answer(
        found,
        *map(Text, _lines(found)),
        *withheld(found.withheld, "row"),
        *back,
        *left_out(found.inserted_characters),
    )


def _lines(found: Imported) -> Iterator[str]:
    sessions = ", ".join(f"{visible(name)} ({count:,})" for name, count in found.spaces.items())
    yield f"Sessions by space: {sessions or 'none'}"
    new = ", ".join(f"{count:,} {table.replace('_', ' ')}" for table, count in found.new.items())
    yield f"New: {new or 'nothing'}; known before: {found.known:,}"
    for title, counts in (
        ("Put right", found.mended),
        ("Kept nowhere", found.passed),
        ("Secrets cut out", found.redacted),
    ):
        if counts:
            yield f"{title}: {', '.join(f'{count:,} {what}' for what, count in counts.items())}"
