"""The tables of SAQ are as SAQ makes them, and who may see what of the queue."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from psycopg_pool import AsyncConnectionPool
from saq.queue.postgres import PostgresQueue

from quipu.kernel.db.database import Database

pytestmark = pytest.mark.anyio

COLUMNS = """
select table_name, column_name, data_type, is_nullable,
    replace(replace(column_default, 'queue.', ''), table_schema || '.', '')
from information_schema.columns
where table_schema = %s and table_name in ('saq_jobs', 'saq_stats')
order by 1, 2
"""
INDEXES = """
select tablename, indexname, replace(indexdef, schemaname || '.', '') from pg_indexes
where schemaname = %s and tablename in ('saq_jobs', 'saq_stats')
order by 1, 2
"""


async def shape(database: Database, schema: str) -> list[Any]:
    async with database.owner() as conn:
        columns = await (await conn.execute(COLUMNS, [schema])).fetchall()
        return columns + await (await conn.execute(INDEXES, [schema])).fetchall()


async def test_our_migration_makes_what_saq_itself_would_make(database: Database) -> None:
    """A new SAQ with other tables fails here, and then needs a migration."""
    async with database.owner() as conn:
        await conn.execute("create schema made_by_saq")
    options = psycopg.conninfo.make_conninfo(database.url, options="-c search_path=made_by_saq")
    async with AsyncConnectionPool(options, min_size=1, open=False) as pool:
        await PostgresQueue(pool=pool).connect()
    assert len(await shape(database, "queue")) == 20
    assert await shape(database, "queue") == await shape(database, "made_by_saq")


@pytest.mark.parametrize(
    "look",
    [
        "select * from core.messages",
        "select * from core.recall_entries",
        "select * from core.spaces",  # names and numbers are all that it may see of them
        "select * from ledger.chat_memory_events",
        "insert into core.spaces (name) values ('x')",
        "create table queue.more (a integer)",
    ],
)
async def test_the_role_of_the_relay_sees_nothing_but_jobs(database: Database, look: str) -> None:
    async with database.owner() as conn:
        await conn.execute("set role quipu_relay")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            await conn.execute(look.encode())


async def test_a_space_sees_its_own_jobs_only(database: Database) -> None:
    for space in ("ana", "bo"):
        async with database.write(space) as tx:
            await tx.conn.execute(
                "insert into core.outbox (topic, key) values ('note', 'k')"  # the space is the default
            )
    async with database.transaction("ana") as tx:
        assert tx is not None
        rows = await (await tx.conn.execute("select space_id from core.outbox")).fetchall()
        assert rows == [(tx.space.id,)]
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            await tx.conn.execute("select * from queue.saq_jobs")
