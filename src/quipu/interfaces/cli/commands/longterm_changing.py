"""The commands of ``quipu longterm`` that change: add, edit, archive, revive, revert."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import click

from quipu import Memory
from quipu.interfaces.cli.call import Call, common, in_space
from quipu.interfaces.cli.commands.longterm_narrowed import if_version, of_kind, of_user, with_reason
from quipu.interfaces.cli.opening import opened
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.cli.views import longterm as views
from quipu.kinds.longterm.model import CATEGORIES, IMPORTANCES, LongtermMemory


@click.command("add")
@click.argument("summary")
@in_space
@of_user
@click.option("--category", type=click.Choice(CATEGORIES), default="context", show_default=True)
@click.option("--importance", type=click.Choice(IMPORTANCES), default="medium", show_default=True)
@click.option("--details", metavar="TEXT", help="More about it.")
@click.option("--session", metavar="ID", help="Where it was said.")
@click.option("--source", metavar="TEXT", help="Where it is from, if not from a session.")
@click.option("--time", metavar="TIME", help="When it was said, if not now.")
@common
@click.pass_obj
def add(call: Call, summary: str, **said: Any) -> None:
    """Write SUMMARY down. What is known already is not doubled: it was said once more.

    Without --user it holds for everybody in the space.
    """
    _change(call, lambda memory: memory.longterm.add(summary, **said))


@click.command("edit")
@click.argument("id_", metavar="ID")
@click.argument("summary", required=False)
@in_space
@click.option("--category", type=click.Choice(CATEGORIES), metavar="NAME", help="Its category from now on.")
@click.option("--importance", type=click.Choice(IMPORTANCES), help="Its importance from now on.")
@click.option("--details", metavar="TEXT", help="More about it; '' takes them away.")
@if_version
@with_reason
@common
@click.pass_obj
def edit(call: Call, id_: str, summary: str | None, **said: Any) -> None:
    """Change what a memory says to SUMMARY, or its category, importance, details. Before stays in history."""
    _change(call, lambda memory: memory.longterm.edit(id_, summary=summary, **said))


@click.command("archive")
@click.argument("id_", metavar="[ID]", required=False)
@in_space
@of_user
@of_kind
@click.option("--text", metavar="TEXT", help="Those that hold this text.")
@click.option("--before", metavar="TIME", help="Those said before this time.")
@if_version
@with_reason
@click.option("--yes", is_flag=True, help="Archive those that the options mean; without it, only show them.")
@common
@click.pass_obj
def archive(call: Call, id_: str | None, yes: bool, **given: Any) -> None:
    """Take a memory out of recall, or all that the options mean; `revive` brings one back.

    Many are only shown until --yes is given.
    """
    many = {name: given.pop(name) for name in ("user", "category", "importance", "text", "before")}
    version = given.pop("expected_version")
    if id_ is not None:
        if any(value is not None for value in many.values()):
            raise click.UsageError("Give an ID, or options that say which; not both.")
        _change(call, lambda memory: memory.longterm.archive(id_, expected_version=version, **given))
        return
    screen = Screen(call)
    with opened(call, screen) as memory:
        done = memory.longterm.archive_many(dry_run=not yes, **many, **given)
    screen.answer(done, views.archived(done))
    if done.memories and not done.archived:
        screen.note("\nNothing was changed. To archive them, say it again with --yes.")


@click.command("revive")
@click.argument("id_", metavar="ID")
@in_space
@with_reason
@common
@click.pass_obj
def revive(call: Call, id_: str, **said: Any) -> None:
    """Bring an archived memory back into recall."""
    _change(call, lambda memory: memory.longterm.revive(id_, **said))


@click.command("revert")
@click.argument("id_", metavar="ID")
@in_space
@click.option(
    "--to", type=click.IntRange(min=1), required=True, metavar="N", help="The version to go back to."
)
@with_reason
@common
@click.pass_obj
def revert(call: Call, id_: str, **said: Any) -> None:
    """Have a memory read as an earlier version did; `history` shows them."""
    _change(call, lambda memory: memory.longterm.revert(id_, **said))


COMMANDS: Final = (add, edit, archive, revive, revert)


def _change(call: Call, change: Callable[[Memory], LongtermMemory]) -> None:
    screen = Screen(call)
    with opened(call, screen) as memory:
        done = change(memory)
    screen.answer(done, views.one(done))
