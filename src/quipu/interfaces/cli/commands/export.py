"""``quipu export``: a whole space, or what is one person's, as open files."""

from __future__ import annotations

from pathlib import Path
from typing import Final, get_args

import click

from quipu.interfaces.cli.call import Call, common, in_space
from quipu.interfaces.cli.input import FilePath
from quipu.interfaces.cli.memory import opened
from quipu.interfaces.cli.program import program
from quipu.interfaces.cli.views import archives as views
from quipu.upkeep.archive.formats.conversion import ArchiveFormat

_EXAMPLES: Final = """\b
Examples:
  quipu export backup.tar.zst
  quipu export --space work archive/            # a folder
  quipu export --user ana ana.tar               # what is hers
  quipu export --format markdown notes/         # to read, such as with Obsidian
"""
_AGAIN: Final = "Nothing was written; the same command again does it from the beginning."


@click.command("export", epilog=_EXAMPLES)
@click.argument("path", type=FilePath(path_type=Path))
@in_space
@click.option("--user", metavar="NAME", help="Only what is this person's, without what others said.")
@click.option("--with-others", is_flag=True, help="With what others said in that person's sessions.")
@click.option("--vectors", is_flag=True, help="With the vectors of the index, to embed nothing again.")
@click.option(
    "--format",
    type=click.Choice(get_args(ArchiveFormat)),
    default="quipu",
    show_default=True,
    help="How it is written; all but quipu leave something out, and say what.",
)
@common
def command(
    call: Call,
    path: Path,
    space: str,
    user: str | None,
    with_others: bool,
    vectors: bool,
    format: ArchiveFormat,
) -> None:
    """Write an archive of a space to PATH: a folder, or a file that ends in .tar, .tar.gz or .tar.zst.

    It has everything as of one moment: lines of JSON with a manifest and checksums; tables of agents as SQL.
    `quipu import quipu` takes it in elsewhere.

    Other formats have what they have a place for: markdown to read, also with Obsidian; mem is Portable
    Memory (.mem 1.1); cogx is for cognee. They may also be a .zip.
    """
    with (
        opened(call) as (screen, memory),
        screen.progress("exporting", total=None, unit="records", again=_AGAIN) as steps,
    ):
        done = memory.archives.export(
            path,
            space=space,
            user=user,
            with_others=with_others,
            format=format,
            vectors=vectors,
            progress=steps.advance,
        )
    screen.answer(done, views.written(done))
    if done.format == "quipu":
        screen.note(f"\nTo take it in elsewhere: {program()} import quipu {path} --space NAME")
