"""``quipu keys``: who may reach a memory through a server."""

from __future__ import annotations

from collections.abc import Sequence

import click
from rich.table import Table
from rich.text import Text

from quipu.interfaces.cli.call import Call, common
from quipu.interfaces.cli.opening import opened
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.cli.views.text import day_and_time, visible
from quipu.upkeep.keys.model import LEVELS, Key, Level


@click.group()
@common
def command() -> None:
    """Manage API keys for programs that reach this memory through `quipu serve`.

    A key opens one space or all of them, to read, to write or to administer. Its token is shown once.
    """


@command.command()
@click.argument("name")
@click.option("--space", "-s", metavar="SPACE", help="The one space that it opens.")
@click.option("--all-spaces", is_flag=True, help="It opens every space.")
@click.option("--user", "-u", metavar="USER", help="The one user of the space whose rows it sees and writes.")
@click.option("--level", type=click.Choice(LEVELS), default="read", show_default=True, help="What it may do.")
@click.option("--per-minute", default=600, show_default=True, help="Requests a minute (1 to 1,000,000).")
@common
@click.pass_obj
def create(
    call: Call,
    name: str,
    space: str | None,
    all_spaces: bool,
    user: str | None,
    level: str,
    per_minute: int,
) -> None:
    """Make a key; NAME says which program it is for. Its token is printed this once.

    With --user the key sees and writes what belongs to that person alone.

    Example: quipu keys create notes --space ana --level write
    """
    if (space is None) != all_spaces:
        raise click.UsageError("Say either --space SPACE or --all-spaces.")
    screen = Screen(call)
    with opened(call, screen) as memory:
        issued = memory.keys.create(
            name, space=space, user=user, level=_level(level), requests_per_minute=per_minute
        )
    screen.answer(
        issued,
        _table([issued.key]),
        Text(f"\n{issued.token}\n", style="bold"),
        Text("Keep it now: it is not stored, and cannot be shown again."),
    )


@command.command("list")
@click.option("--space", "-s", metavar="SPACE", help="Only keys of this space.")
@common
@click.pass_obj
def listed(call: Call, space: str | None) -> None:
    """List the keys, the newest first, with when each was last used.

    Example: quipu keys list --space ana
    """
    screen = Screen(call)
    with opened(call, screen) as memory:
        found = memory.keys.list(space=space)
    screen.answer({"keys": found}, _table(found) if found else Text("No keys.", style="dim"))


@command.command()
@click.argument("key", metavar="ID")
@common
@click.pass_obj
def revoke(call: Call, key: str) -> None:
    """End the key ID: it opens nothing any more, on running servers within seconds.

    Example: quipu keys revoke 39f7ecb18ff0
    """
    screen = Screen(call)
    with opened(call, screen) as memory:
        found = memory.keys.revoke(key)
    screen.answer(found, _table([found]))


def _level(told: str) -> Level:
    return next(level for level in LEVELS if level == told)


def _table(keys: Sequence[Key]) -> Table:
    table = Table(
        "id", "name", "space", "user", "level", "a minute", "last used", "state", box=None, pad_edge=False
    )
    table.columns[5].justify = "right"
    for key in keys:
        table.add_row(
            key.id,
            visible(key.name),
            Text("all", style="italic") if key.space is None else visible(key.space),
            Text("all", style="italic") if key.user is None else visible(key.user),
            key.level,
            f"{key.requests_per_minute:,}",
            day_and_time(key.last_used_at) if key.last_used_at else "never",
            f"revoked {day_and_time(key.revoked_at)}" if key.revoked_at else "open",
        )
    return table
