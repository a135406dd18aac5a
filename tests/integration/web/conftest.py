"""The pages over one database for each module, asked by a client that is signed in."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from fastapi import FastAPI
from page_client import Browser, seed

from quipu import AsyncMemory
from quipu.interfaces.server import create_app
from quipu.interfaces.serving.limits import Limits
from quipu.kernel.config import Settings


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def memory(server_settings: Settings, module_url: str) -> AsyncIterator[AsyncMemory]:
    async with AsyncMemory(settings=replace(server_settings, database_url=module_url)) as opened:
        await seed(opened)
        yield opened


@pytest.fixture(scope="module")
async def app(memory: AsyncMemory) -> AsyncIterator[FastAPI]:
    made = create_app(memory=memory, terms=Limits(import_bytes=100_000))
    async with made.router.lifespan_context(made):
        yield made


@pytest.fixture
async def client(app: FastAPI) -> AsyncIterator[Browser]:
    async with Browser(app) as one:
        await one.sign_in()
        yield one


@pytest.fixture
async def stranger(app: FastAPI) -> AsyncIterator[Browser]:
    async with Browser(app) as one:
        yield one
