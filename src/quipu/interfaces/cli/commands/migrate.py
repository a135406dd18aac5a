"""``quipu migrate``: the schema of the database."""

from __future__ import annotations

import anyio
import click
from rich.text import Text

from quipu.app.kinds import PACKAGES
from quipu.interfaces.cli.call import Call, common
from quipu.interfaces.cli.memory import each_database, owned, settings_of
from quipu.interfaces.cli.screen import Screen
from quipu.kernel.config import Settings
from quipu.kernel.db.migrate import migrate, pending


@click.command()
@click.option("--check", is_flag=True, help="Only list what is missing.")
@common
def command(call: Call, check: bool) -> None:
    """Bring the database to this version's schema.

    Opening a memory does it too; on a server that several programs share, do it before they start. With a
    directory it is done in all its databases, one after the other.
    """
    screen = Screen(call)
    names = anyio.run(_run, settings_of(call), check)
    text = (
        ("missing" if check else "applied") + f": {', '.join(names)}"
        if names
        else "The schema is up to date."
    )
    screen.answer({"missing" if check else "applied": names}, Text(text))


async def _run(settings: Settings, check: bool) -> list[str]:
    names: list[str] = []
    async for name, one in each_database(settings):
        async with owned(one) as conn:
            migrations = await (pending if check else migrate)(conn, PACKAGES)
        before = f"{name}: " if name else ""
        names += [f"{before}{migration.room}/{migration.version}" for migration in migrations]
    return names
