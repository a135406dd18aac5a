"""``quipu export``: a whole space, or what is one person's, as open files."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from quipu.interfaces.cli.call import Call, common, in_space
from quipu.interfaces.cli.input import FilePath
from quipu.interfaces.cli.memory import opened
from quipu.interfaces.cli.program import program
from quipu.interfaces.cli.views import archives as views

_EXAMPLES: Final = """\b
Examples:
  quipu export backup.tar.zst
  quipu export --space work archive/            # a folder
  quipu export --user ana ana.tar               # what is hers
"""
_AGAIN: Final = "Nothing was written; the same command again does it from the beginning."


@click.command("export", epilog=_EXAMPLES)
@click.argument("path", type=FilePath(path_type=Path))
@in_space
@click.option("--user", metavar="NAME", help="Only what is this person's, without what others said.")
@click.option("--with-others", is_flag=True, help="With what others said in that person's sessions.")
@common
def command(call: Call, path: Path, space: str, user: str | None, with_others: bool) -> None:
    """Write an archive of a space to PATH: a folder, or a file that ends in .tar, .tar.gz or .tar.zst.

    It has everything as of one moment: lines of JSON with a manifest and checksums; tables of agents as SQL.
    `quipu import quipu` takes it in elsewhere.
    """
    with (
        opened(call) as (screen, memory),
        screen.progress("exporting", total=None, unit="records", again=_AGAIN) as steps,
    ):
        done = memory.archives.export(
            path, space=space, user=user, with_others=with_others, progress=steps.advance
        )
    screen.answer(done, views.written(done))
    screen.note(f"\nTo take it in elsewhere: {program()} import quipu {path} --space NAME")
