"""``quipu snapshots``: for people, not for agents."""

from __future__ import annotations

from pathlib import Path

import click

from quipu.interfaces.cli.call import Call, common, in_space
from quipu.interfaces.cli.opening import opened
from quipu.interfaces.cli.paths import FilePath
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.cli.views import snapshots as views

_EXAMPLES = """\b
Examples:
  quipu snapshots create
  quipu snapshots list
  quipu snapshots restore memory_20260314_150000.sql            # shows what would change
  quipu snapshots restore memory_20260314_150000.sql --confirm
  quipu snapshots export tables.sql --structure
"""
_schema = click.option("--schema", default="memory", show_default=True, metavar="NAME", help="Which schema.")
_one_schema = click.option("--schema", metavar="NAME", help="Of this schema only.")
_confirm = click.option("--confirm", is_flag=True, help="Do it; without this, what would change is shown.")


_UNCHANGED = "No table was changed; the same command again does it from the beginning."


@click.group("snapshots", no_args_is_help=False, epilog=_EXAMPLES)
def command() -> None:
    """Manage snapshots of agents' tables: a worker takes them hourly, people restore them.

    They are files of SQL in QUIPU_SNAPSHOT_DIRECTORY, or `snapshots` in the home.
    """


@command.command("create")
@in_space
@_schema
@common
@click.pass_obj
def create(call: Call, space: str, schema: str) -> None:
    """Take a snapshot of a schema now."""
    screen = Screen(call)
    with opened(call, screen) as memory, screen.busy("taking a snapshot"):
        done = memory.snapshots.create(space=space, schema=schema)
    screen.answer(done, views.snapshots([done]))


@command.command("list")
@in_space
@_one_schema
@common
@click.pass_obj
def list_all(call: Call, space: str, schema: str | None) -> None:
    """List the snapshots of a space, the newest first."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        found = memory.snapshots.list(space=space, schema=schema)
    screen.answer({"space": space, "snapshots": found}, views.snapshots(found))


@command.command("prune")
@in_space
@_one_schema
@click.option("--dry-run", is_flag=True, help="Only show what would go.")
@common
@click.pass_obj
def prune(call: Call, space: str, schema: str | None, dry_run: bool) -> None:
    """Thin out: 24 hourly ones stay, 4 a day for a week, one a day for the retention."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        done = memory.snapshots.prune(space=space, schema=schema, dry_run=dry_run)
    screen.answer(done, *views.thinned(done))


@command.command("delete")
@click.argument("name")
@in_space
@_confirm
@common
@click.pass_obj
def delete(call: Call, name: str, space: str, confirm: bool) -> None:
    """Delete a snapshot. It cannot be undone."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        found = memory.snapshots.find(name, space=space)
        if confirm:
            memory.snapshots.delete(name, space=space)
    screen.answer({"snapshot": found, "deleted": confirm}, views.snapshots([found]))
    screen.note(
        "It is deleted." if confirm else "\nNothing was changed. To delete it, say the same with --confirm."
    )


@command.command("restore")
@click.argument("name")
@in_space
@_confirm
@common
@click.pass_obj
def restore(call: Call, name: str, space: str, confirm: bool) -> None:
    """Put a snapshot in the place of what its schema holds.

    A snapshot of what is there now is taken first, so it can be undone. It is done as a whole or not at all.
    """
    screen = Screen(call)
    with opened(call, screen) as memory:
        total = memory.snapshots.find(name, space=space).bytes
        with screen.progress("restoring", total=total, again=_UNCHANGED) as steps:
            done = memory.snapshots.restore(name, space=space, confirm=confirm, progress=steps.advance)
    screen.answer(done, *views.restored(done))


@command.command("export")
@click.argument("path", type=FilePath(path_type=Path, dir_okay=False))
@in_space
@_schema
@click.option("--structure", is_flag=True, help="Tables without their rows.")
@click.option("--replace", "replace_file", is_flag=True, help="Replace a file that is there.")
@common
@click.pass_obj
def export(call: Call, path: Path, space: str, schema: str, structure: bool, replace_file: bool) -> None:
    """Write a schema to a file of SQL."""
    screen = Screen(call)
    with opened(call, screen) as memory, screen.busy("writing"):
        done = memory.snapshots.export(
            path, space=space, schema=schema, structure=structure, replace_file=replace_file
        )
    screen.answer(done, views.handed_out(done))


@command.command("import")
@click.argument("path", type=FilePath(path_type=Path, dir_okay=False, exists=True))
@in_space
@_schema
@_confirm
@common
@click.pass_obj
def import_dump(call: Call, path: Path, space: str, schema: str, confirm: bool) -> None:
    """Put an exported file in the place of what a schema holds; without --confirm it is tried and undone.

    The file may be of another space or database. Functions, triggers and whatever else no export of tables
    holds are refused.
    """
    screen = Screen(call)
    with (
        opened(call, screen) as memory,
        screen.progress("importing", total=path.stat().st_size, again=_UNCHANGED) as steps,
    ):
        done = memory.snapshots.import_dump(
            path, space=space, schema=schema, confirm=confirm, progress=steps.advance
        )
    screen.answer(done, *views.restored(done))
