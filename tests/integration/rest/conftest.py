"""A server over a database that the tests of a module share, and clients with keys of every level."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace

import httpx
import pytest
from fastapi import FastAPI

from quipu import AsyncMemory
from quipu.app.kinds import PACKAGES
from quipu.interfaces.server import create_app
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.upkeep.consistency import examine
from quipu.upkeep.keys.model import Level

BASE = "http://localhost"


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    """Async fixtures of a module live in one loop."""
    return "asyncio"


@pytest.fixture(scope="module")
async def memory(server_settings: Settings, module_url: str) -> AsyncIterator[AsyncMemory]:
    """A memory over the database of the module; whatever the tests did to it, it fits together afterwards."""
    settings = replace(server_settings, database_url=module_url)
    async with AsyncMemory(settings=settings) as opened:
        yield opened
    async with Database.open(module_url, settings, packages=PACKAGES) as database:
        assert await examine(database) == []


@pytest.fixture(scope="module")
def app(memory: AsyncMemory) -> FastAPI:
    """The server over that memory."""
    return create_app(memory=memory)


class Clients:
    """Clients of the server, each with a key of its own: ``await clients("write", space="ana")``."""

    def __init__(self, app: FastAPI, memory: AsyncMemory, stack: AsyncExitStack) -> None:
        self._app, self._memory, self._stack = app, memory, stack
        self._made: dict[tuple[Level, str | None, str | None], httpx.AsyncClient] = {}

    async def __call__(
        self, level: Level, *, space: str | None = None, user: str | None = None
    ) -> httpx.AsyncClient:
        """A client with a key of that level for the space or for all of them, and for one user or all."""
        if (level, space, user) not in self._made:
            name = f"{level} of {space}"
            issued = await self._memory.keys.create(
                name, space=space, user=user, level=level, requests_per_minute=1_000_000
            )
            self._made[level, space, user] = await self.with_token(issued.token)
        return self._made[level, space, user]

    async def with_token(self, token: str | None) -> httpx.AsyncClient:
        """A client with this token, or with none."""
        headers = {} if token is None else {"authorization": f"Bearer {token}"}
        transport = httpx.ASGITransport(app=self._app)
        return await self._stack.enter_async_context(
            httpx.AsyncClient(transport=transport, base_url=BASE, headers=headers)
        )


@pytest.fixture(scope="module")
async def clients(app: FastAPI, memory: AsyncMemory) -> AsyncIterator[Clients]:
    """Makes clients."""
    async with AsyncExitStack() as stack:
        yield Clients(app, memory, stack)
