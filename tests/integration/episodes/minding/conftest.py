"""One database for all tests of a file; after each, its space is forgotten and nothing may be left of it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

import psycopg
import pytest
from examined import insist
from psycopg import sql

from quipu import AsyncMemory
from quipu.kernel.config import Settings


@pytest.fixture
def url(module_url: str) -> str:
    return module_url


@pytest.fixture
def settings(server_settings: Settings, module_url: str) -> Settings:
    return replace(server_settings, database_url=module_url)


@pytest.fixture
async def memory(settings: Settings) -> AsyncIterator[AsyncMemory]:
    async with AsyncMemory(settings=settings) as opened:
        yield opened
        await insist(opened)
        await opened.forget(space="a", confirm=True)
    assert settings.database_url is not None
    with psycopg.connect(settings.database_url) as conn:
        for table in ("loops", "loop_messages", "beliefs", "belief_sources", "conflicts"):
            query = sql.SQL("select count(*) from episodes.{}").format(sql.Identifier(table))
            assert conn.execute(query).fetchone() == (0,), table
