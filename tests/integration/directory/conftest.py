"""A directory and the databases that it knows, all on the server of the run."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import replace

import pytest
import read_standby
from lent_databases import LentDatabases
from pooler import WANTED
from spread_databases import Home, Spread

from quipu import AsyncMemory
from quipu.kernel.config import Settings


@pytest.fixture
def spread(databases: LentDatabases, server_settings: Settings) -> Iterator[Spread]:
    """Three databases, none of which the directory knows yet."""
    if WANTED or read_standby.WANTED:
        pytest.skip("the databases of a directory are reached directly")
    with ExitStack() as lent:
        directory, one, two = (lent.enter_context(databases.lend()) for _ in range(3))
        yield Spread(directory, {"one": one, "two": two}, replace(server_settings, pool_size=4))


@pytest.fixture
async def memory(spread: Spread) -> AsyncIterator[AsyncMemory]:
    """A memory over two databases, of which the first takes no new spaces."""
    async with spread.memory() as opened:
        for name, address in spread.databases.items():
            await opened.databases.add(name, address)
        yield opened


@pytest.fixture
def only(memory: AsyncMemory) -> Home:
    """Has new spaces of a block made in one of the databases."""

    @asynccontextmanager
    async def block(name: str) -> AsyncGenerator[None]:
        others = [one.name for one in await memory.databases.list() if one.name != name]
        for other in others:
            await memory.databases.drain(other)
        yield
        for other in others:
            await memory.databases.drain(other, stop=True)

    return block
