"""A space with something in every table that an archive carries, and a second database that is empty."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
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


@pytest.fixture
async def full(memory: AsyncMemory, url: str, tmp_path: Path) -> AsyncMemory:
    """A memory whose space ``ana`` has rows in every table: by the doors, and by SQL what no door needs."""
    await seeding.seeded(memory, {SPACE: "aardvark"}, tmp_path)
    await memory.observe([{"content": "said by nobody"}], space=SPACE, session="s")
    await memory.observe([{"content": "said alone", "id": "alone"}], space=SPACE)
    await memory.ledger.set("boat", "blue", space=SPACE, user=seeding.USER)
    for schema in ("record", "ledger", "longterm", "documents", "episodes", "transcripts"):
        add(url, getattr(rows_of_kinds, schema.upper()), schema="core" if schema == "record" else schema)
    add(url, JSON_NULL, schema="core")
    return memory


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
