"""A space with something in every table that an archive carries, and a second database that is empty."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

import pytest
import rows_of_kinds
import seeding
from archive_space import JSON_NULL, SPACE, add
from examined import insist
from lent_databases import LentDatabases

from quipu import AsyncMemory
from quipu.kernel.config import Settings

Fill = Callable[[AsyncMemory, str], Awaitable[object]]
Filled = Callable[[Fill], AbstractContextManager[str]]


@pytest.fixture
def fill() -> Fill | None:
    """What the space of a module's tests has before they begin; None: rows in every table.

    Those are written for each test: tables of agents have roles, which are of the whole server.
    """
    return None


async def in_every_table(memory: AsyncMemory, url: str) -> None:
    """Write rows of the space ``ana`` into every table: by the doors, and by SQL what no door needs."""
    with tempfile.TemporaryDirectory() as root:
        await seeding.seeded(memory, {SPACE: "aardvark"}, Path(root))
    await memory.observe([{"content": "said by nobody"}], space=SPACE, session="s")
    await memory.observe([{"content": "said alone", "id": "alone"}], space=SPACE)
    await memory.ledger.set("boat", "blue", space=SPACE, user=seeding.USER)
    for schema in ("record", "ledger", "longterm", "documents", "episodes", "transcripts"):
        add(url, getattr(rows_of_kinds, schema.upper()), schema="core" if schema == "record" else schema)
    add(url, JSON_NULL, schema="core")


@pytest.fixture
def full_url(filled: Filled, fill: Fill | None, databases: LentDatabases) -> Iterator[str]:
    """The address of a database for it."""
    with databases.lend() if fill is None else filled(fill) as url:
        yield url


@pytest.fixture
async def full(server_settings: Settings, fill: Fill | None, full_url: str) -> AsyncIterator[AsyncMemory]:
    """A memory over that database."""
    async with AsyncMemory(settings=replace(server_settings, database_url=full_url)) as opened:
        if fill is None:
            await in_every_table(opened, full_url)
        yield opened
        await insist(opened)


@pytest.fixture
def other_url(databases: LentDatabases) -> Iterator[str]:
    """The address of a second database."""
    with databases.lend() as address:
        yield address


@pytest.fixture
async def other(server_settings: Settings, other_url: str) -> AsyncIterator[AsyncMemory]:
    """A memory over an empty database."""
    async with AsyncMemory(settings=replace(server_settings, database_url=other_url)) as opened:
        yield opened
        await insist(opened)
