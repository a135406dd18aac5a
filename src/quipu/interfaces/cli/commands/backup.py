"""``quipu backup``: copies of the embedded database, and bringing it back as it was."""

from __future__ import annotations

from pathlib import Path

import click

from quipu.errors import BadInput
from quipu.interfaces.cli.call import Call, common
from quipu.interfaces.cli.input import FilePath
from quipu.interfaces.cli.memory import settings_of
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.cli.views import backup as views
from quipu.kernel.base import scope
from quipu.kernel.base.clock import SystemClock
from quipu.upkeep.backup.bases import listing, size_of_all, take
from quipu.upkeep.backup.model import Progress, Restored
from quipu.upkeep.backup.restore import restore as bring_back

_EXAMPLES = """\b
Examples:
  QUIPU_ARCHIVE=true quipu db start          # the log is kept from now on
  quipu backup base --keep 2
  quipu backup list
  quipu backup restore --at 2026-05-04T10:00:00Z --into ~/quipu-as-it-was --yes
"""


_FINISHED = (
    "The data are as they were, or the next start puts the restored ones in their place; "
    "the same command again does it from the beginning."
)


@click.group("backup", no_args_is_help=False, epilog=_EXAMPLES)
def command() -> None:
    """Copy the whole embedded database, and bring it back as it was at any moment.

    A base is a copy of everything. With QUIPU_ARCHIVE=true the server keeps its log as well: then any moment
    after a base can be restored, to the microsecond.
    """


@command.command("base")
@click.option("--keep", type=int, metavar="N", help="Keep the latest N bases and what they need of the log.")
@common
def base(call: Call, keep: int | None) -> None:
    """Take a base, while everything goes on."""
    settings, screen = settings_of(call), Screen(call)
    if settings.database_url is None and screen.watched:
        total = size_of_all(settings)
    else:
        total = None
    with screen.progress("Copying", total=total, again="Nothing of this base was kept.") as steps:
        taken = take(settings, clock=SystemClock(), keep=keep, progress=steps.advance)
    screen.answer(taken, views.taken(taken))


@command.command("list")
@common
def list_(call: Call) -> None:
    """List the bases, and from when to when the log is kept."""
    screen = Screen(call)
    backups = listing(settings_of(call))
    screen.answer(backups, *views.backups(backups))


@command.command("restore")
@click.option("--at", metavar="TIME", help="As it was then (ISO 8601, UTC if no zone); else all of the log.")
@click.option("--into", type=FilePath(path_type=Path), metavar="DIR", help="A home without a database.")
@click.option("--in-place", is_flag=True, help="Instead of what is there now, which is put aside.")
@click.option("--yes", is_flag=True, help="Do it. Without this, only what would be done is shown.")
@common
def restore(call: Call, at: str | None, into: Path | None, in_place: bool, yes: bool) -> None:
    """Bring the database back as it was: into another home, or in place.

    What is there now is never deleted. A restore in place needs all other programs to let go of it.
    """
    if (into is None) != in_place:
        raise BadInput("say where to: --into DIR, or --in-place.", field="into")
    settings, screen, clock = settings_of(call), Screen(call), SystemClock()
    moment = None if at is None else scope.time("at", at)

    def work(confirm: bool, progress: Progress | None = None) -> Restored:
        return bring_back(settings, at=moment, clock=clock, into=into, confirm=confirm, progress=progress)

    restored = work(False)
    if yes:
        with screen.progress("Restoring", total=restored.base.size_bytes, again=_FINISHED) as steps:
            restored = work(True, steps.advance)
    screen.answer(restored, views.restored(restored))
