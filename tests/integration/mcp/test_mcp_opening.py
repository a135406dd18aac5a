"""The memory opens beside the server: what stands in its way is told, and tried again."""

from __future__ import annotations

import socket
from dataclasses import replace

import anyio
import pytest

from quipu.errors import DatabaseError, QuipuError
from quipu.interfaces.mcp.stdio import Opening
from quipu.kernel.config import Settings

pytestmark = pytest.mark.anyio


async def test_many_who_ask_at_once_get_the_same_memory(server_settings: Settings, module_url: str) -> None:
    found: list[object] = []
    async with Opening(replace(server_settings, database_url=module_url)) as opening:
        opening.begin()

        async def ask() -> None:
            found.append(await opening.memory())

        async with anyio.create_task_group() as group:
            for _ in range(5):
                group.start_soon(ask)
    assert len({id(memory) for memory in found}) == 1


async def test_a_server_that_is_not_there_is_told_to_each_who_asks(server_settings: Settings) -> None:
    nowhere = "postgresql://nobody@127.0.0.1:9/none?connect_timeout=1"
    async with Opening(replace(server_settings, database_url=nowhere)) as opening:
        opening.begin()
        for _ in range(2):
            with pytest.raises(DatabaseError):
                await opening.memory()


async def test_a_memory_that_nobody_asked_for_is_never_opened(server_settings: Settings) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"postgresql://nobody@127.0.0.1:{server.getsockname()[1]}/none"
        async with Opening(replace(server_settings, database_url=url)):
            pass
        server.setblocking(False)
        with pytest.raises(BlockingIOError):  # nobody has called
            server.accept()


async def test_after_close_nothing_of_the_memory_is_open_and_the_block_still_ends(
    server_settings: Settings, module_url: str
) -> None:
    async with Opening(replace(server_settings, database_url=module_url)) as opening:
        memory = await opening.memory()
        await opening.close()
        with pytest.raises(QuipuError):
            await memory.health()
