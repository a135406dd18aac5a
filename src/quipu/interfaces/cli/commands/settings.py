"""``quipu settings``: what can be set, and setting it."""

from __future__ import annotations

import click

from quipu.interfaces.cli.call import Call, common
from quipu.interfaces.cli.opening import opened
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.cli.views import settings as views

_EXAMPLES = """\b
Examples:
  quipu settings list --kind episodes
  quipu settings get memory_snapshot_retention_days
  quipu settings set memory_snapshot_retention_days 60
  quipu settings set episode_decay_per_hour 0.01 --space ana
  quipu settings reset episode_decay_per_hour --space ana
"""

_SPACE = click.option("--space", "-s", metavar="NAME", help="For this space; without it, for all.")


@click.group("settings", no_args_is_help=False, epilog=_EXAMPLES)
def command() -> None:
    """See and change what can be set, in the whole database or in a space.

    QUIPU_* in the environment comes first, then what is set for the space, then what is set for all, then
    the default. Every process of the database goes by a change within a second.
    """


@command.command("list")
@_SPACE
@click.option("--kind", metavar="NAME", help="Only of this kind of memory, or of the system.")
@common
@click.pass_obj
def list_(call: Call, space: str | None, kind: str | None) -> None:
    """List every setting with its value and where that is from."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        found = memory.settings.list(space=space, kind=kind)
    screen.answer({"space": space, "kind": kind, "settings": found}, views.states(found))
    screen.note("\nOne in full: quipu settings get NAME")


@command.command("get")
@click.argument("name")
@_SPACE
@common
@click.pass_obj
def get(call: Call, name: str, space: str | None) -> None:
    """Show a setting in full: what it means, what it can be, where its value is from."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        found = memory.settings.get(name, space=space)
    screen.answer(found, views.state(found))


@command.command("set", context_settings={"ignore_unknown_options": True})
@click.argument("name")
@click.argument("value")
@_SPACE
@common
@click.pass_obj
def set_(call: Call, name: str, value: str, space: str | None) -> None:
    """Keep VALUE for the setting NAME."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        found = memory.settings.set(name, value, space=space)
    screen.answer(found, views.changed(found))


@command.command("reset")
@click.argument("name")
@_SPACE
@common
@click.pass_obj
def reset(call: Call, name: str, space: str | None) -> None:
    """Forget what was kept for the setting NAME: what comes after it holds again."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        found = memory.settings.reset(name, space=space)
    screen.answer(found, views.changed(found))
