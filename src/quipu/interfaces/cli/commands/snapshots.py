"""``quipu snapshots``: for people, not for agents."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from quipu.interfaces.cli.call import Call, common, in_space
from quipu.interfaces.cli.derived import derived
from quipu.interfaces.cli.input import FilePath
from quipu.interfaces.cli.memory import opened
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.cli.views import snapshots as views
from quipu.upkeep.snapshots.model import Restored

_HELP: Final = """\
Take snapshots of agents' tables, and put them back; a worker takes them hourly.

They are files of SQL in QUIPU_SNAPSHOT_DIRECTORY, or `snapshots` in the home.
"""
_EXAMPLES: Final = """\b
Examples:
  quipu snapshots create
  quipu snapshots list
  quipu snapshots restore memory_20260314_150000.sql            # shows what would change
  quipu snapshots restore memory_20260314_150000.sql --yes
  quipu snapshots export tables.sql --structure
"""
_UNCHANGED: Final = "No table was changed; the same command again does it from the beginning."
_yes = click.option("--yes", "confirm", is_flag=True, help="Do it; without it, only show what would be done.")


@click.command("restore")
@click.argument("name")
@in_space
@_yes
@common
def restore(call: Call, name: str, space: str, confirm: bool) -> None:
    """Put a snapshot in the place of what its schema holds.

    A snapshot of what is there now is taken first, so it can be undone. It is done as a whole or not at all.
    """
    with opened(call) as (screen, memory):
        total = memory.snapshots.get(name, space=space).bytes
        with screen.progress("restoring", total=total, again=_UNCHANGED) as steps:
            done = memory.snapshots.restore(name, space=space, confirm=confirm, progress=steps.advance)
    _tell(screen, done)


@click.command("import-dump")
@click.argument("path", type=FilePath(path_type=Path, dir_okay=False, exists=True))
@in_space
@click.option(
    "--schema", default="memory", show_default=True, metavar="NAME", help="The short name of the schema."
)
@_yes
@common
def import_dump(call: Call, path: Path, space: str, schema: str, confirm: bool) -> None:
    """Put an exported file in the place of what a schema holds; without --yes it is tried and undone.

    The file may be of another space or database. Functions, triggers and whatever else no export of tables
    holds are refused.
    """
    with (
        opened(call) as (screen, memory),
        screen.progress("importing", total=path.stat().st_size, again=_UNCHANGED) as steps,
    ):
        done = memory.snapshots.import_dump(
            path, space=space, schema=schema, confirm=confirm, progress=steps.advance
        )
    _tell(screen, done)


def _tell(screen: Screen, done: Restored) -> None:
    screen.answer(done, views.restored(done))
    screen.note("\nDone." if done.done else "\nNothing was changed. To do it, add --yes.")


command = derived("snapshots", help=_HELP, epilog=_EXAMPLES, beside=(restore, import_dump))
