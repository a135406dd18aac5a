"""``quipu episodes``: what conversations condensed into, and how it fades."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from quipu import Memory
from quipu.interfaces.cli.call import Call, common, in_space
from quipu.interfaces.cli.narrowed import at_most
from quipu.interfaces.cli.opening import opened
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.cli.views import episode_curve, text
from quipu.interfaces.cli.views import episodes as views
from quipu.kinds.episodes.fading.model import ORDERS, PUTS, Condensation, Episode

_EXAMPLES = """\b
Examples:
  quipu episodes list --order activation
  quipu episodes curve 4f1c2a
  quipu episodes recall 'what did we plan for May?'
  quipu episodes rebuild --session monday
"""


@click.group("episodes", no_args_is_help=False, epilog=_EXAMPLES)
def command() -> None:
    """Episodes: conversations condensed, which fade unless they are used.

    ID is the id of an episode or its beginning, at least four digits of it. Salience, freshness
    and activation are those of today. Workers make episodes when a conversation rests: `quipu worker`.
    """


@command.command("list")
@in_space
@click.option("--session", metavar="ID", help="Of this session.")
@click.option("--user", metavar="NAME", help="Of this person.")
@click.option("--topic", metavar="NAME", help="About this.")
@click.option("--since", metavar="TIME", help="That ended then or later.")
@click.option("--until", metavar="TIME", help="That ended before.")
@click.option("--state", type=click.Choice(PUTS), default="active", show_default=True)
@click.option(
    "--order", type=click.Choice(ORDERS), default="recent", show_default=True, help="The most first."
)
@at_most(50)
@click.option("--offset", default=0, help="How many to pass over.")
@common
@click.pass_obj
def list_(call: Call, space: str, **where: Any) -> None:
    """List episodes as they are today."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        found = memory.episodes.listing(space=space, **where)
    screen.answer({"space": space, "episodes": found}, views.table(found))


@command.command("show")
@click.argument("id_", metavar="ID")
@in_space
@common
@click.pass_obj
def show(call: Call, id_: str, space: str) -> None:
    """Show an episode, what it was made of, and how it read before."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        one = memory.episodes.get(id_, space=space)
        said = memory.episodes.messages(id_, space=space)
        before = memory.episodes.history(id_, space=space)
    document = {"episode": one, "messages": said, "history": before}
    screen.answer(document, views.one(one), views.messages(said), views.history(before))


@command.command("curve")
@click.argument("id_", metavar="ID")
@in_space
@click.option("--days", "ahead_days", type=int, metavar="N", help="How far to look ahead.")
@common
@click.pass_obj
def curve(call: Call, id_: str, space: str, ahead_days: int | None) -> None:
    """Plot how an episode faded and was refreshed, and how it will fade if nobody uses it."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        found = memory.episodes.curve(id_, space=space, ahead_days=ahead_days)
    screen.answer(found, episode_curve.plot(found))


@command.command("recall")
@click.argument("question")
@in_space
@click.option("--user", metavar="NAME", help="Of this person.")
@at_most(10)
@common
@click.pass_obj
def recall(call: Call, question: str, space: str, **where: Any) -> None:
    """Find the episodes that answer QUESTION, best first. Looking changes nothing."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        found = memory.episodes.recall(question, space=space, **where)
    screen.answer({"space": space, "question": question, "episodes": found}, views.found(found))


@command.command("reinforce")
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@in_space
@common
@click.pass_obj
def reinforce(call: Call, ids: tuple[str, ...], space: str) -> None:
    """Note that episodes were of use: they fade from now."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        counted = memory.episodes.reinforce(ids, space=space)
    screen.answer({"space": space, "counted": counted}, f"{text.count(counted, 'use')} noted")


@command.command("forget")
@click.argument("id_", metavar="ID")
@in_space
@common
@click.pass_obj
def forget(call: Call, id_: str, space: str) -> None:
    """Put an episode away: it is not recalled; `restore` brings it back."""
    _change(call, lambda memory: memory.episodes.forget(id_, space=space))


@command.command("restore")
@click.argument("id_", metavar="ID")
@in_space
@common
@click.pass_obj
def restore(call: Call, id_: str, space: str) -> None:
    """Bring back an episode that was put away."""
    _change(call, lambda memory: memory.episodes.restore(id_, space=space))


@command.command("erase")
@click.argument("id_", metavar="ID")
@in_space
@click.option("--yes", is_flag=True, help="Do it. Without this, only what would go is shown.")
@common
@click.pass_obj
def erase(call: Call, id_: str, space: str, yes: bool) -> None:
    """Erase an episode for good; what was said stays and is not condensed again."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        one = memory.episodes.get(id_, space=space)
        done = memory.episodes.erase(id_, space=space, confirm=yes)
    screen.answer(done, views.one(one), views.erased(done))


@command.command("condense")
@in_space
@click.option("--session", metavar="ID", help="Of this session.")
@common
@click.pass_obj
def condense(call: Call, space: str, session: str | None) -> None:
    """Make episodes now of all exchanges that wait, as if nothing more were said."""
    _make(call, lambda memory: memory.episodes.condense(space=space, session=session))


@command.command("rebuild")
@click.argument("id_", metavar="[ID]", required=False)
@in_space
@click.option("--session", metavar="ID", help="Those of this session.")
@click.option("--again", is_flag=True, help="Also those that were written as they would be now.")
@common
@click.pass_obj
def rebuild(call: Call, id_: str | None, space: str, session: str | None, again: bool) -> None:
    """Write episodes anew from what they are made of; ids, uses and how they read before stay."""
    _make(call, lambda memory: memory.episodes.rebuild(space=space, id=id_, session=session, again=again))


@command.command("stats")
@in_space
@common
@click.pass_obj
def stats(call: Call, space: str) -> None:
    """Show how many episodes there are, and how fresh."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        found = memory.episodes.stats(space=space)
    screen.answer({"space": space, "stats": found}, views.stats(found))


def _change(call: Call, change: Callable[[Memory], Episode]) -> None:
    screen = Screen(call)
    with opened(call, screen) as memory:
        done = change(memory)
    screen.answer(done, views.one(done))


def _make(call: Call, make: Callable[[Memory], Condensation]) -> None:
    screen = Screen(call)
    with opened(call, screen) as memory:
        done = make(memory)
    screen.answer(done, views.condensed(done))
