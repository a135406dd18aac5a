"""One database for all tests of a file; after each, its space is forgotten and nothing may be left of it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from itertools import count

import psycopg
import pytest
from examined import insist
from psycopg import sql

from quipu import AsyncMemory
from quipu.kernel.config import Settings
from quipu.kernel.db import embedded

_NUMBERS = count()


@pytest.fixture(scope="module")
def module_url(server: embedded.EmbeddedServer) -> Iterator[str]:
    name = f"minding{next(_NUMBERS)}"
    with psycopg.connect(server.conninfo(), autocommit=True) as conn:
        conn.execute(sql.SQL("create database {} template template").format(sql.Identifier(name)))
    yield server.conninfo(name)
    with psycopg.connect(server.conninfo(), autocommit=True) as conn:
        conn.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))


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
