"""A database of the directory dies, or the directory itself; the others go on, and it comes back."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import anyio
import pytest
from patience import PATIENCE_SECONDS
from spread_databases import Spread

from quipu import AsyncMemory
from quipu.errors import DatabaseUnavailable
from quipu.kernel.config import Settings
from quipu.kernel.db import embedded

pytestmark = [pytest.mark.anyio, pytest.mark.skipif(os.name != "posix", reason="it starts servers")]
SAID = [{"content": "I live in Oslo.", "user": "ana", "session": "s"}]


@pytest.fixture
def far(server_settings: Settings) -> Iterator[Settings]:
    """Settings of a server of its own, which this test starts and stops."""
    with tempfile.TemporaryDirectory(prefix="quipu-test-") as home:
        Path(home).chmod(0o711)
        yield replace(server_settings, home=Path(home), shared_buffers_mb=16)


def quick(spread: Spread, directory: str) -> AsyncMemory:
    """A memory that does not wait long for who does not answer."""
    return AsyncMemory(settings=replace(spread.settings, directory_url=directory, connect_seconds=2))


async def as_soon_as_it_answers(call: Callable[[], Awaitable[object]]) -> None:
    """Do it again until the database answers."""
    with anyio.fail_after(PATIENCE_SECONDS):
        while True:
            with suppress(DatabaseUnavailable):
                await call()
                return
            await anyio.sleep(0.1)


async def ask(memory: AsyncMemory, space: str) -> list[str]:
    return [hit.text for hit in await memory.recall("Where do I live?", space=space)]


async def test_a_database_dies_and_comes_back(spread: Spread, far: Settings) -> None:
    running = await embedded.start(far)
    async with quick(spread, spread.directory) as memory:
        await memory.databases.add("far", running.conninfo())
        await memory.observe(SAID, space="there")
        await memory.databases.drain("far")
        await memory.databases.add("one", spread.databases["one"])
        await memory.observe(SAID, space="here")
        await running.aclose()
        with pytest.raises(DatabaseUnavailable, match="The database 'far'"):
            await ask(memory, "there")
        assert await ask(memory, "here") == ["I live in Oslo."]
        await memory.observe(SAID, space="new")
        states = {one.name: one.problem is None for one in await memory.databases.list()}
        assert states == {"far": False, "one": True}
        running = await embedded.start(far)
        try:
            await as_soon_as_it_answers(lambda: memory.observe(SAID, space="there"))
            assert set(await ask(memory, "there")) == {"I live in Oslo."}
        finally:
            await running.aclose()


async def test_the_directory_dies_and_known_spaces_go_on(spread: Spread, far: Settings) -> None:
    running = await embedded.start(far)
    async with quick(spread, running.conninfo()) as memory:
        await memory.databases.add("one", spread.databases["one"])
        await memory.observe(SAID, space="here")
        await running.aclose()
        assert await ask(memory, "here") == ["I live in Oslo."]
        await memory.observe(SAID, space="here")
        await memory.ready()
        with pytest.raises(DatabaseUnavailable):
            await memory.observe(SAID, space="new")
        running = await embedded.start(far)
        try:
            await as_soon_as_it_answers(lambda: memory.observe(SAID, space="new"))
            assert await ask(memory, "new") == ["I live in Oslo."]
        finally:
            await running.aclose()
