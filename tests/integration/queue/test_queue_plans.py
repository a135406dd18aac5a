"""A long queue is not read through: what comes next is found by an index."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from quipu.kernel.db import queries
from quipu.kernel.db.database import Database
from quipu.kernel.queue.outbox import put

pytestmark = pytest.mark.anyio
SQL = queries.load("quipu.kernel.queue")
BACKLOG = """
insert into core.outbox (space_id, topic, key, sent_at)
select 1 + n % 50, 'note', n::text, now() from generate_series(1, 20000) as n
"""


async def indexes(conn: Any, name: str, values: dict[str, Any]) -> set[str]:
    """The indexes by which a query reads, or the names of tables that it reads through."""
    (plan,) = await (await conn.execute("explain (format json) " + SQL[name], values)).fetchone()
    text = json.dumps(plan)
    found = {part.split('"')[0] for part in text.split('"Index Name": "')[1:]}
    return found | ({"read through"} if '"Seq Scan"' in text else set())


async def test_what_is_due_is_found_by_its_index_in_a_long_queue(database: Database) -> None:
    async with database.owner() as conn:
        await conn.execute(BACKLOG)
        await conn.execute("analyze core.outbox")
        values = {"now": datetime.now(UTC), "topics": ["note"], "limit": 500}
        assert await indexes(conn, "take_due", values) == {"outbox_due", "outbox_pkey"}


async def test_a_put_does_not_look_through_what_waits(database: Database) -> None:
    async with database.write("ana") as tx:
        await put(tx, "note", {})
    async with database.owner() as conn:
        await conn.execute(BACKLOG)
        await conn.execute("analyze core.outbox")
    async with database.write("ana") as tx:
        names = ("key", "session", "user", "due")
        values = {"space": tx.space.id, "topic": "note", "payload": "{}", **dict.fromkeys(names)}
        assert await indexes(tx.conn, "put", values) == {"outbox_due_of_space"}
