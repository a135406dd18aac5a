"""After bulk work the tables are vacuumed, so that a search reads indexes alone."""

from __future__ import annotations

from collections import Counter

import psycopg
import pytest

from quipu import AsyncMemory
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.upkeep.maintenance import BULK_ENTRIES, tidy

pytestmark = pytest.mark.anyio

READ_BY_A_SEARCH = ("recall_postings", "recall_entries", "recall_vectors")


def visible(url: str, table: str) -> float:
    """The share of a table's pages that the visibility map vouches for, as of its last vacuum."""
    with psycopg.connect(url) as conn:
        row = conn.execute(
            "select relallvisible, relpages from pg_class where oid = %s::regclass", [f"core.{table}"]
        ).fetchone()
    assert row is not None
    return row[0] / max(1, row[1])


def vacuums(url: str) -> Counter[str]:
    """How often each table was vacuumed; others may have used this database before."""
    with psycopg.connect(url) as conn:
        return Counter(dict(conn.execute("select relname, vacuum_count from pg_stat_user_tables").fetchall()))


def lines(count: int, *, first: int = 0) -> list[dict[str, object]]:
    return [
        {"content": f"Ship {n} left harbour {n % 7}.", "session": f"s{n % 9}"}
        for n in range(first, first + count)
    ]


async def test_after_a_bulk_import_the_visibility_map_vouches_for_every_page(
    settings: Settings, url: str
) -> None:
    async with AsyncMemory(settings=settings) as memory:
        await memory.import_messages(lines(BULK_ENTRIES), space="ana")
        (hit,) = await memory.recall("Which harbour did ship 77 leave?", space="ana", limit=1)
        assert hit.text
    shares = {table: visible(url, table) for table in READ_BY_A_SEARCH}
    assert min(shares.values()) > 0.95, shares  # a page or two may be in use just then


async def test_small_imports_are_not_worth_it_until_they_add_up(settings: Settings, url: str) -> None:
    before = vacuums(url)
    async with AsyncMemory(settings=settings) as memory:
        await memory.import_messages(lines(BULK_ENTRIES // 2), space="ana")
    assert vacuums(url) == before
    async with AsyncMemory(settings=settings) as memory:
        for first in (BULK_ENTRIES // 2, BULK_ENTRIES):
            await memory.import_messages(lines(BULK_ENTRIES // 2, first=first), space="ana")
    assert set(READ_BY_A_SEARCH) <= set(vacuums(url) - before)


async def test_tidying_leaves_every_memory_where_it_was(memory: AsyncMemory, database: Database) -> None:
    await memory.import_messages(lines(20), space="ana")
    before = await memory.recall("ship 7", space="ana", limit=20)
    await tidy(database)
    assert await memory.recall("ship 7", space="ana", limit=20) == before
