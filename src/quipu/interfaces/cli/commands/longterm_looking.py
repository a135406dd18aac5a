"""The commands of ``quipu longterm`` that look: list, search, show, history, recover, audit."""

from __future__ import annotations

from typing import Any, Final

import click

from quipu.interfaces.cli.call import Call, common, in_space
from quipu.interfaces.cli.commands.longterm_narrowed import of_kind, of_user
from quipu.interfaces.cli.opening import opened
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.cli.views import longterm as views

_STATES: Final = {"live": False, "archived": True, "all": None}


@click.command("list")
@in_space
@of_user
@of_kind
@click.option("--text", metavar="TEXT", help="That hold this text, in whatever case.")
@click.option("--since", metavar="TIME", help="Said at this time or later.")
@click.option("--until", metavar="TIME", help="Said before this time.")
@click.option("--state", type=click.Choice(list(_STATES)), default="live", show_default=True)
@click.option("--limit", "-n", default=50, show_default=True, help="How many at most (1 to 1,000).")
@click.option("--offset", default=0, help="How many to pass over.")
@common
@click.pass_obj
def list_(call: Call, space: str, state: str, limit: int, offset: int, **where: Any) -> None:
    """List memories, the most important first."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        found = memory.longterm.listing(
            space=space, archived=_STATES[state], limit=limit, offset=offset, **where
        )
    screen.answer({"space": space, "state": state, **where, "memories": found}, views.table(found))
    if len(found) == limit:
        screen.note(f"\nThere may be more: --offset {offset + limit}")


@click.command("search")
@click.argument("question")
@in_space
@of_user
@of_kind
@click.option("--limit", "-n", default=10, show_default=True, help="How many at most (1 to 1,000).")
@common
@click.pass_obj
def search(call: Call, question: str, space: str, **where: Any) -> None:
    """Find the memories that answer QUESTION, by words and meaning, best first."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        found = memory.longterm.search(question, space=space, **where)
    screen.answer({"space": space, "question": question, "memories": found}, views.found(found))


@click.command("show")
@click.argument("id_", metavar="ID")
@in_space
@common
@click.pass_obj
def show(call: Call, id_: str, space: str) -> None:
    """Show a memory, and the words that it rests on."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        one = memory.longterm.get(id_, space=space)
        sources = memory.longterm.sources(id_, space=space)
    screen.answer({"memory": one, "sources": sources}, views.one(one), views.sources(sources))


@click.command("history")
@click.argument("id_", metavar="ID")
@in_space
@common
@click.pass_obj
def history(call: Call, id_: str, space: str) -> None:
    """Show how a memory read before each change, who changed it, and why; the latest first."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        one = memory.longterm.get(id_, space=space)
        before = memory.longterm.history(id_, space=space)
    screen.answer({"memory": one, "history": before}, views.history(one, before))


@click.command("recover")
@click.argument("message")
@in_space
@of_user
@click.option("--recent", multiple=True, metavar="TEXT", help="A turn before it; may be repeated.")
@click.option("--limit", "-n", type=click.IntRange(1, 100), help="How many at most.")
@click.option("--budget", "budget_tokens", type=click.IntRange(min=1), help="Tokens of the block, at most.")
@common
@click.pass_obj
def recover(call: Call, message: str, **where: Any) -> None:
    """Show what an agent would be told before it answers MESSAGE. It does not count as an access.

    The time limit is that of the settings; a first call also loads the model.
    """
    screen = Screen(call)
    with opened(call, screen) as memory:
        found = memory.longterm.recover(message, **where)
    screen.answer(found.model_dump(mode="json"), views.recovered(found))


@click.command("audit")
@in_space
@of_user
@click.option("--session", metavar="ID", help="Of this session.")
@click.option("--act", type=click.Choice(["recover", "evaluate"]), help="Only these.")
@click.option("--since", metavar="TIME", help="At this time or later.")
@click.option("--limit", "-n", default=20, show_default=True, help="How many at most (1 to 1,000).")
@common
@click.pass_obj
def audit(call: Call, space: str, **where: Any) -> None:
    """List what was recovered for which message, and what evaluations did; the latest first."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        lines = memory.longterm.audit(space=space, **where)
    screen.answer({"space": space, "lines": lines}, views.audit(lines))


COMMANDS: Final = (list_, search, show, history, recover, audit)
