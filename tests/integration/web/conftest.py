"""The pages over one database for each module, asked by a client that is signed in."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

import httpx
import pytest
from fastapi import FastAPI
from page_client import OneVisitor, client_of, seed

from quipu import AsyncMemory
from quipu.interfaces.web.pages import pages
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
async def app(memory: AsyncMemory) -> FastAPI:
    made = FastAPI()
    made.state.memory = memory
    made.state.gate = OneVisitor()
    made.include_router(pages())
    return made


@pytest.fixture
async def client(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    async with client_of(app, signed_in=True) as one:
        yield one


@pytest.fixture
async def stranger(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    async with client_of(app, signed_in=False) as one:
        yield one
