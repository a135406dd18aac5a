"""Opening the memory that a call is about."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import replace
from typing import Final

import click

from quipu import Memory
from quipu.interfaces.cli.call import Call
from quipu.interfaces.cli.screen import Screen
from quipu.kernel.config import Settings, load
from quipu.kernel.db import embedded
from quipu.kernel.db.database import Connection, owner
from quipu.kernel.telemetry.groups import COMMAND
from quipu.kernel.telemetry.spans import span
from quipu.upkeep.directory.registry import known

DIRECTORY: Final = "directory"


def settings_of(call: Call) -> Settings:
    """Return the settings of a call: its options first, then the environment.

    Raises:
        ConfigError: naming the variable that is wrong.
    """
    options = {"home": call.home, "database_url": call.url}
    return load(None, {name: value for name, value in options.items() if value is not None})


@contextmanager
def opened(call: Call) -> Generator[tuple[Screen, Memory]]:
    """Open the memory of a call for the block, beside the screen for its answer."""
    screen = Screen(call)
    with ExitStack() as stack:
        with screen.busy("Opening the memory"):
            memory = stack.enter_context(Memory(settings=settings_of(call)))
        name = click.get_current_context().command_path
        stack.enter_context(span(COMMAND, name, {"quipu.command": name}))
        yield screen, memory


@asynccontextmanager
async def address(settings: Settings) -> AsyncGenerator[str]:
    """Yield the address of the database; an embedded server runs for the block."""
    if settings.server_url is not None:
        yield settings.server_url
        return
    async with await embedded.start(settings) as server:
        yield server.conninfo()


async def each_database(settings: Settings) -> AsyncGenerator[tuple[str, Settings]]:
    """Yield the settings of each database, one after the other: the directory's first, if there is one.

    Before each stands its name in the directory; empty where there is no directory. Those of a directory are
    read when the block of the directory itself is done.
    """
    if settings.directory_url is None:
        yield "", settings
        return
    alone = replace(settings, directory_url=None)
    yield DIRECTORY, alone
    async with owned(alone) as conn:
        rows = await known(conn)
    for row in rows:
        if row.url != settings.directory_url:
            yield row.name, replace(alone, database_url=row.url, direct_url=None)


@asynccontextmanager
async def owned(settings: Settings) -> AsyncGenerator[Connection]:
    """Connect as the owner of the database, without a memory over it and without migrating it."""
    async with address(settings) as url, owner(url, settings) as conn:
        yield conn
