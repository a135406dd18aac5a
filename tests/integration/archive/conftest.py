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
def fill() -> Fill:
    """What the space of a test has before it begins; a module may have another."""
    return in_every_table


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
def full_url(filled: Filled, fill: Fill) -> Iterator[str]:
    """The address of a database that has it."""
    with filled(fill) as url:
        yield url


@pytest.fixture
async def full(server_settings: Settings, full_url: str) -> AsyncIterator[AsyncMemory]:
    """A memory over that database."""
    async with AsyncMemory(settings=replace(server_settings, database_url=full_url)) as opened:
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
