"""``quipu keys``: who may reach a memory through a server."""

from __future__ import annotations

from typing import Final

import click

from quipu.interfaces.cli.call import Call, common
from quipu.interfaces.cli.derived import derived
from quipu.interfaces.cli.memory import opened
from quipu.interfaces.cli.views import keys as views
from quipu.upkeep.keys.model import LEVELS, Level

_HELP: Final = """\
Manage API keys for programs that reach this memory through `quipu serve`.

A key opens one space or all of them, to read, to write or to administer. Its token is shown once.
"""
_EXAMPLES: Final = """\b
Examples:
  quipu keys create notes --space ana --level write
  quipu keys list --space ana
  quipu keys revoke 39f7ecb18ff0                         # shows it
  quipu keys revoke 39f7ecb18ff0 --yes
"""


_LEVEL: Final = "The rights: read, write (also take in and correct), or admin (also forget and restore)."


@click.command()
@click.argument("name")
@click.option("--space", "-s", metavar="SPACE", help="The one space that it opens; else --all-spaces.")
@click.option("--all-spaces", is_flag=True, help="It opens every space.")
@click.option("--user", "-u", metavar="USER", help="The one user of the space whose rows it sees and writes.")
@click.option("--level", type=click.Choice(LEVELS), default="read", show_default=True, help=_LEVEL)
@click.option(
    "--requests-per-minute",
    default=600,
    show_default=True,
    help="Requests a minute (1 to 1,000,000).",
)
@common
def create(
    call: Call,
    name: str,
    space: str | None,
    all_spaces: bool,
    user: str | None,
    level: Level,
    requests_per_minute: int,
) -> None:
    """Make a key; NAME says which program it is for. Its token is printed this once.

    With --user the key sees and writes what belongs to that person alone.
    """
    if (space is None) != all_spaces:
        raise click.UsageError("Say either --space SPACE or --all-spaces.")
    with opened(call) as (screen, memory):
        issued = memory.keys.create(
            name, space=space, user=user, level=level, requests_per_minute=requests_per_minute
        )
    screen.answer(issued, views.issued(issued))


command = derived("keys", help=_HELP, epilog=_EXAMPLES, beside=(create,))
