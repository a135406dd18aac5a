"""The official client beside our server, over one memory for all tests of a module."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any

import pytest
from mcp.client.client import Client
from mcp_answers import Call
from mcp_types import CallToolResult

from quipu import AsyncMemory
from quipu.interfaces.mcp.model import Caller
from quipu.interfaces.mcp.server import build
from quipu.kernel.config import Settings


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    """One loop for the tests of a module, so that they share the memory."""
    return "asyncio"


@pytest.fixture(scope="module")
async def memory(server_settings: Settings, module_url: str) -> AsyncIterator[AsyncMemory]:
    async with AsyncMemory(settings=replace(server_settings, database_url=module_url)) as opened:
        yield opened


@pytest.fixture
def connect(memory: AsyncMemory) -> Callable[[Caller], Client]:
    """The official client, in this process, connected as somebody."""

    async def opened() -> AsyncMemory:
        return memory

    return lambda caller: Client(build(opened, lambda _: caller))


@pytest.fixture
def call(connect: Callable[[Caller], Client], request: pytest.FixtureRequest) -> Call:
    """Calls a tool in a space that this test has to itself, and checks the answer against its schema."""
    caller = Caller(space=request.node.name)

    async def answered(name: str, /, *, by: Caller = caller, **arguments: Any) -> CallToolResult:
        async with connect(by) as client:
            await client.list_tools()  # with the schemas, the client checks what comes back
            result = await client.call_tool(name, arguments)
            assert isinstance(result, CallToolResult)
            return result

    return answered
