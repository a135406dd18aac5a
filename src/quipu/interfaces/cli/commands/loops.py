"""``quipu loops``: what is open, and closing it."""

from __future__ import annotations

from typing import Any

import click

from quipu.interfaces.cli.call import Call, common, in_space
from quipu.interfaces.cli.opening import opened
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.cli.views import minding as views
from quipu.kinds.episodes.minding.loops.model import LOOP_KINDS, LOOP_STATES

_EXAMPLES = """\b
Examples:
  quipu loops list --user ana
  quipu loops remind --user ana
  quipu loops close 4f1c2a --evidence 'Sent on Monday.'
  quipu loops reopen 4f1c2a
"""


@click.group("loops", no_args_is_help=False, epilog=_EXAMPLES)
def command() -> None:
    """What was asked, promised, given to do or waited for, until it is resolved.

    Workers find it in conversations, and close it when a later exchange resolves it. ID is the id of a loop
    or its beginning, at least four digits of it.
    """


@command.command("list")
@in_space
@click.option("--user", metavar="NAME", help="Of this person.")
@click.option("--session", metavar="ID", help="Of this session.")
@click.option("--state", type=click.Choice([*LOOP_STATES, "all"]), default="open", show_default=True)
@click.option("--kind", type=click.Choice(LOOP_KINDS), help="Of this kind.")
@click.option("--limit", "-n", default=50, show_default=True, help="How many at most (1 to 1,000).")
@click.option("--offset", default=0, help="How many to pass over.")
@common
@click.pass_obj
def list_(call: Call, space: str, limit: int, offset: int, **where: Any) -> None:
    """List loops, the latest first."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        found = memory.loops.listing(space=space, limit=limit, offset=offset, **where)
    screen.answer({"space": space, **where, "loops": found}, views.loops(found))
    if len(found) == limit:
        screen.note(f"\nThere may be more: --offset {offset + limit}")


@command.command("show")
@click.argument("id_", metavar="ID")
@in_space
@common
@click.pass_obj
def show(call: Call, id_: str, space: str) -> None:
    """Show a loop, where it was said, and what closed it."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        one = memory.loops.get(id_, space=space)
    screen.answer(one, views.loop(one))


@command.command("remind")
@in_space
@click.option("--user", metavar="NAME", help="Of this person.")
@click.option("--session", metavar="ID", help="Of this session.")
@click.option("--limit", "-n", default=5, show_default=True, help="How many at most (1 to 100).")
@common
@click.pass_obj
def remind(call: Call, space: str, limit: int, **where: Any) -> None:
    """Show what matters now, the most urgent first: what prompts are told of."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        found = memory.loops.remind(space=space, limit=limit, **where)
    screen.answer({"space": space, **where, "loops": found}, views.loops(found))


@command.command("close")
@click.argument("id_", metavar="ID")
@in_space
@click.option("--evidence", metavar="WORDS", help="Why it is closed.")
@click.option("--dropped", is_flag=True, help="Nobody wants it any more; without it, it is resolved.")
@common
@click.pass_obj
def close(call: Call, id_: str, space: str, evidence: str | None, dropped: bool) -> None:
    """Close a loop by hand; `reopen` opens it again."""
    screen = Screen(call)
    outcome = "dropped" if dropped else "resolved"
    with opened(call, screen) as memory:
        one = memory.loops.close(id_, space=space, evidence=evidence, outcome=outcome)
    screen.answer(one, views.loop(one))


@command.command("reopen")
@click.argument("id_", metavar="ID")
@in_space
@common
@click.pass_obj
def reopen(call: Call, id_: str, space: str) -> None:
    """Open a closed loop again."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        one = memory.loops.reopen(id_, space=space)
    screen.answer(one, views.loop(one))
