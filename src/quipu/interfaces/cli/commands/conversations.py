"""``quipu conversations``: what was talked of, in which threads, and what each exchange yields."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

import click

from quipu import Memory
from quipu.interfaces.cli.call import Call, common, in_space
from quipu.interfaces.cli.narrowed import at_most
from quipu.interfaces.cli.opening import opened
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.cli.views import conversations as views
from quipu.interfaces.cli.views.text import count
from quipu.kinds.episodes.conversing.model import Conversation, ConversationStatus

_EXAMPLES = """\b
Examples:
  quipu conversations list --user ana
  quipu conversations show monday
  quipu conversations set monday --title 'The garden'
  quipu conversations topics
"""
_STATUS = click.Choice([*get_args(ConversationStatus), "all"])


@click.group("conversations", no_args_is_help=False, epilog=_EXAMPLES)
def command() -> None:
    """Conversations: sessions with their topic, thread and status, and what each exchange yields.

    A worker reads what was taken in: `quipu worker`, or `quipu worker --burst`.
    """


@command.command("list")
@in_space
@click.option("--user", metavar="NAME", help="Of this person.")
@click.option("--topic", metavar="NAME", help="About this.")
@click.option("--status", type=_STATUS, default="active", show_default=True)
@at_most(50)
@click.option("--offset", default=0, help="How many to pass over.")
@common
@click.pass_obj
def list_(call: Call, space: str, status: str, **where: Any) -> None:
    """List conversations, the latest first."""
    screen = Screen(call)
    chosen: Any = None if status == "all" else status
    with opened(call, screen) as memory:
        found = memory.conversations.listing(space=space, status=chosen, **where)
    screen.answer({"space": space, "conversations": found}, views.table(found))


@command.command("show")
@click.argument("session")
@in_space
@common
@click.pass_obj
def show(call: Call, session: str, space: str) -> None:
    """Show the messages of SESSION, what replies did, and what was kept of each exchange."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        found = memory.conversations.show(session, space=space)
    screen.answer(found, views.dialogue(found))


@command.command("set")
@click.argument("session")
@in_space
@click.option("--title", metavar="TEXT", help="Its title from now on.")
@click.option("--topic", metavar="NAME", help="What it is about, from now on.")
@click.option("--status", type=click.Choice(get_args(ConversationStatus)))
@common
@click.pass_obj
def set_(call: Call, session: str, **given: Any) -> None:
    """Set title, topic or status of SESSION; what is not given stays."""
    _change(call, lambda memory: memory.conversations.change(session, **given))


@command.command("delete")
@click.argument("session")
@in_space
@common
@click.pass_obj
def delete(call: Call, session: str, space: str) -> None:
    """Take SESSION out of sight; `restore` brings it back. To erase what was said: quipu forget --session."""
    _change(call, lambda memory: memory.conversations.delete(session, space=space))


@command.command("restore")
@click.argument("session")
@in_space
@common
@click.pass_obj
def restore(call: Call, session: str, space: str) -> None:
    """Bring a deleted or archived SESSION back."""
    _change(call, lambda memory: memory.conversations.restore(session, space=space))


@command.command("threads")
@in_space
@click.option("--user", metavar="NAME", help="Of this person.")
@click.option("--session", metavar="ID", help="Of the channel of this session.")
@at_most(50)
@common
@click.pass_obj
def threads(call: Call, space: str, **where: Any) -> None:
    """List threads, the latest first: runs of exchanges without a long pause."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        found = memory.conversations.threads(space=space, **where)
    screen.answer({"space": space, "threads": found}, views.threads(found))


@command.command("topics")
@in_space
@click.option("--user", metavar="NAME", help="Of this person.")
@at_most(50)
@common
@click.pass_obj
def topics(call: Call, space: str, **where: Any) -> None:
    """List what is talked of, the latest first."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        found = memory.conversations.topics(space=space, **where)
    screen.answer({"space": space, "topics": found}, views.topics(found))


@command.command("reread")
@click.argument("session", required=False)
@in_space
@common
@click.pass_obj
def reread(call: Call, session: str | None, space: str) -> None:
    """Have exchanges of SESSION (all, if none is named) read anew by whoever would read them now."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        done = memory.conversations.reread(space=space, session=session)
    screen.answer({"space": space, "sessions": done}, f"{count(done, 'session')} will be read anew.")


def _change(call: Call, change: Callable[[Memory], Conversation]) -> None:
    screen = Screen(call)
    with opened(call, screen) as memory:
        done = change(memory)
    screen.answer(done, views.one(done))
