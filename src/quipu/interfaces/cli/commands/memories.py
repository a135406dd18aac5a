"""``quipu memories``: the lessons that were kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from quipu import Memory
from quipu.interfaces.cli.call import Call, common, in_space
from quipu.interfaces.cli.opening import opened
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.cli.views import memories as views
from quipu.kinds.transcripts.memories.model import STATES, Lesson

Command = TypeVar("Command", bound=Callable[..., Any])

_EXAMPLES = """\b
Examples:
  quipu memories list --category preferences
  quipu memories search 'which port'
  quipu memories edit 4f1c2a 'The API runs on port 9090.'
  quipu memories prune
"""


def _narrowed(function: Command) -> Command:
    """Add ``--category`` and ``--project``."""
    function = click.option("--project", metavar="PATH", help="Of this project.")(function)
    return click.option("--category", metavar="NAME", help="Of this category, such as preferences.")(function)


@click.group("memories", no_args_is_help=False, epilog=_EXAMPLES)
def command() -> None:
    """The lessons of recorded sessions: look them up, correct them, let go of them.

    ID is the id of a memory or its beginning, at least four digits of it. Confidence is what a memory is
    worth today: it falls with time, and rises where the memory is used or confirmed.
    """


@command.command("list")
@in_space
@_narrowed
@click.option("--session", metavar="ID", help="Told by this session.")
@click.option("--state", type=click.Choice([*STATES, "all"]), default="active", show_default=True)
@click.option("--limit", "-n", default=50, show_default=True, help="How many at most (1 to 1,000).")
@click.option("--offset", default=0, help="How many to pass over.")
@common
@click.pass_obj
def list_(call: Call, space: str, limit: int, offset: int, **where: Any) -> None:
    """List memories, the surest first."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        found = memory.memories.listing(space=space, limit=limit, offset=offset, **where)
    screen.answer({"space": space, **where, "memories": found}, views.table(found))
    if len(found) == limit:
        screen.note(f"\nThere may be more: --offset {offset + limit}")


@command.command("search")
@click.argument("question")
@in_space
@_narrowed
@click.option("--limit", "-n", default=10, show_default=True, help="How many at most (1 to 1,000).")
@common
@click.pass_obj
def search(call: Call, question: str, space: str, **where: Any) -> None:
    """Find the memories that answer QUESTION, by words and meaning, best first."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        found = memory.memories.search(question, space=space, **where)
    screen.answer({"space": space, "question": question, "memories": found}, views.found(found))


@command.command("show")
@click.argument("id_", metavar="ID")
@in_space
@common
@click.pass_obj
def show(call: Call, id_: str, space: str) -> None:
    """Show a memory, and where it was said."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        one = memory.memories.get(id_, space=space)
        sources = memory.memories.sources(id_, space=space)
    screen.answer({"memory": one, "sources": sources}, views.one(one), views.sources(sources))


@command.command("add")
@click.argument("fact")
@in_space
@click.option("--category", default="knowledge", show_default=True, metavar="NAME", help="Its category.")
@click.option("--project", default="", metavar="PATH", help="Of this project.")
@click.option("--confidence", default=1.0, show_default=True, help="How sure it is, from 0 to 1.")
@common
@click.pass_obj
def add(call: Call, fact: str, **said: Any) -> None:
    """Write FACT down by hand."""
    _change(call, lambda memory: memory.memories.add(fact, **said))


@command.command("edit")
@click.argument("id_", metavar="ID")
@click.argument("fact", required=False)
@in_space
@click.option("--category", metavar="NAME", help="Its category from now on.")
@common
@click.pass_obj
def edit(call: Call, id_: str, fact: str | None, **said: Any) -> None:
    """Change what a memory says to FACT, or its category; extraction leaves it alone from then on."""
    _change(call, lambda memory: memory.memories.edit(id_, fact=fact, **said))


@command.command("confirm")
@click.argument("id_", metavar="ID")
@in_space
@common
@click.pass_obj
def confirm(call: Call, id_: str, space: str) -> None:
    """Say that a memory is so: it is surer from now on and ages anew."""
    _change(call, lambda memory: memory.memories.confirm(id_, space=space))


@command.command("archive")
@click.argument("id_", metavar="ID")
@in_space
@common
@click.pass_obj
def archive(call: Call, id_: str, space: str) -> None:
    """Take a memory out of recall; `restore` brings it back."""
    _change(call, lambda memory: memory.memories.archive(id_, space=space))


@command.command("restore")
@click.argument("id_", metavar="ID")
@in_space
@common
@click.pass_obj
def restore(call: Call, id_: str, space: str) -> None:
    """Bring an archived memory back into recall."""
    _change(call, lambda memory: memory.memories.restore(id_, space=space))


@command.command("prune")
@in_space
@click.option("--dry-run/--confirm", default=True, help="Only show them (the default), or archive them.")
@common
@click.pass_obj
def prune(call: Call, space: str, dry_run: bool) -> None:
    """Archive memories whose confidence fell below 0.1; without --confirm only show which they are."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        done = memory.memories.prune(space=space, dry_run=dry_run)
    screen.answer(done, views.pruned(done))
    if done.memories and not done.archived:
        screen.note("\nNothing was changed. To archive them: quipu memories prune --confirm")


def _change(call: Call, change: Callable[[Memory], Lesson]) -> None:
    screen = Screen(call)
    with opened(call, screen) as memory:
        done = change(memory)
    screen.answer(done, views.one(done))
