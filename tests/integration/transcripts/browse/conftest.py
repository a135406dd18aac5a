"""A database with recorded sessions, shared by the tests of a module, and one for each test that writes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

import psycopg
import pytest
from recording import START, boats

from quipu.app.kinds import PACKAGES
from quipu.kernel.base.clock import FrozenClock
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.kinds.transcripts.browse.browse import AsyncBrowse


@pytest.fixture(scope="module")
def filled(module_url: str) -> str:
    """The address of a database with two spaces of the same sessions; for tests that only read."""
    with psycopg.connect(module_url) as conn:
        boats(conn)
        boats(conn, "others")
    return module_url


@pytest.fixture(scope="module")
async def browse(filled: str, server_settings: Settings) -> AsyncIterator[AsyncBrowse]:
    """Looking into that database."""
    settings = replace(server_settings, database_url=filled, pool_size=2)
    async with Database.open(filled, settings, packages=PACKAGES) as database:
        yield AsyncBrowse(database, clock=FrozenClock(START))


@pytest.fixture
async def mine(url: str, database: Database) -> AsyncBrowse:
    """Looking into a database of this test's own, with the same sessions in the space ``boats``."""
    with psycopg.connect(url) as conn:
        boats(conn)
    return AsyncBrowse(database, clock=FrozenClock(START))
