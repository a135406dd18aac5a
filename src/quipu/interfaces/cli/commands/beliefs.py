"""``quipu beliefs``: what stands about people, and what contradicts it."""

from __future__ import annotations

from typing import Any

import click

from quipu.interfaces.cli.call import Call, common, in_space
from quipu.interfaces.cli.opening import opened
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.cli.views import minding as views
from quipu.kinds.episodes.minding.beliefs.model import BELIEF_STATES

_EXAMPLES = """\b
Examples:
  quipu beliefs list --user ana
  quipu beliefs history 4f1c2a
  quipu beliefs conflicts
  quipu beliefs resolve 81d0 rival
  quipu beliefs correct 4f1c2a Lisbon
"""


@click.group("beliefs", no_args_is_help=False, epilog=_EXAMPLES)
def command() -> None:
    """What stands about people: facts and traits that they told, with history.

    A correction takes the place of what stood; another value without one is a conflict. ID is the id of a
    belief (or of a conflict) or its beginning, at least four digits of it.
    """


@command.command("list")
@in_space
@click.option("--user", metavar="NAME", help="About this person.")
@click.option("--key", metavar="NAME", help="What it is about, such as home.")
@click.option("--state", type=click.Choice([*BELIEF_STATES, "all"]), default="standing", show_default=True)
@click.option("--limit", "-n", default=50, show_default=True, help="How many at most (1 to 1,000).")
@click.option("--offset", default=0, help="How many to pass over.")
@common
@click.pass_obj
def list_(call: Call, space: str, limit: int, offset: int, **where: Any) -> None:
    """List beliefs, the surest first."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        found = memory.beliefs.listing(space=space, limit=limit, offset=offset, **where)
    screen.answer({"space": space, **where, "beliefs": found}, views.beliefs(found))
    if len(found) == limit:
        screen.note(f"\nThere may be more: --offset {offset + limit}")


@command.command("show")
@click.argument("id_", metavar="ID")
@in_space
@common
@click.pass_obj
def show(call: Call, id_: str, space: str) -> None:
    """Show a belief, and where it was said."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        one = memory.beliefs.get(id_, space=space)
        told = memory.beliefs.sources(id_, space=space)
    screen.answer({"belief": one, "sources": told}, views.belief(one), views.sources(told))


@command.command("history")
@click.argument("id_", metavar="ID")
@in_space
@common
@click.pass_obj
def history(call: Call, id_: str, space: str) -> None:
    """Show all that was ever held of the person and key of a belief, the latest first."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        found = memory.beliefs.history(id_, space=space)
    screen.answer({"space": space, "beliefs": found}, views.beliefs(found))


@command.command("conflicts")
@in_space
@click.option("--user", metavar="NAME", help="About this person.")
@click.option("--settled", is_flag=True, help="Those that were settled, too.")
@click.option("--limit", "-n", default=50, show_default=True, help="How many at most (1 to 1,000).")
@common
@click.pass_obj
def conflicts(call: Call, space: str, **where: Any) -> None:
    """List contradictions that are open, the worst first."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        found = memory.beliefs.conflicts(space=space, **where)
    screen.answer({"space": space, **where, "conflicts": found}, views.conflicts(found))


@command.command("resolve")
@click.argument("id_", metavar="ID")
@click.argument("keep")
@in_space
@common
@click.pass_obj
def resolve(call: Call, id_: str, keep: str, space: str) -> None:
    """Settle a conflict: KEEP is `belief` (what stands), `rival`, or the value that is right."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        one = memory.beliefs.resolve(id_, keep, space=space)
    screen.answer(one, views.belief(one))


@command.command("correct")
@click.argument("id_", metavar="ID")
@click.argument("value")
@in_space
@common
@click.pass_obj
def correct(call: Call, id_: str, value: str, space: str) -> None:
    """Put VALUE in the place of a belief; the old value stays in its history."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        one = memory.beliefs.correct(id_, value, space=space)
    screen.answer(one, views.belief(one))


@command.command("forget")
@click.argument("id_", metavar="ID")
@in_space
@click.option("--dry-run/--confirm", default=True, help="Only show it (the default), or delete it.")
@common
@click.pass_obj
def forget(call: Call, id_: str, space: str, dry_run: bool) -> None:
    """Delete a belief and its conflicts; without --confirm only show it. What was said stays said."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        one = memory.beliefs.get(id_, space=space)
        if not dry_run:
            memory.beliefs.forget(id_, space=space)
    screen.answer({"belief": one, "forgotten": not dry_run}, views.belief(one))
    if dry_run:
        screen.note(f"\nNothing was changed. To delete it: quipu beliefs forget {id_} --confirm")
