"""What is said leaves work behind for kinds that hear of it: one job for a session and topic."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from quipu.kernel.base.clock import SystemClock
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.recall.generations import Models
from quipu.record.service import Record

TOPICS = ("mull", "note")


async def jobs(database: Database, space: str) -> list[tuple[str, str, int]]:
    async with database.transaction(space) as tx:
        assert tx is not None
        rows = await tx.conn.execute(
            "select topic, payload->>'session', version from core.outbox order by topic, key"
        )
        return await rows.fetchall()


@pytest.fixture
async def record(database: Database, settings: Settings) -> AsyncIterator[Record]:
    async with Models.open(database, settings) as models:
        yield Record(database, models, clock=SystemClock(), language="auto", redact=True, subscribes=TOPICS)


@pytest.mark.anyio
async def test_each_session_that_grows_waits_once_in_each_topic(record: Record, database: Database) -> None:
    for text in ("The boat is blue.", "No, it is green."):
        await record.observe([{"content": text}], space="hears", session="s", user=None)
    await record.observe([{"content": "Stands alone."}], space="hears", session=None, user=None)
    assert await jobs(database, "hears") == [("mull", "s", 2), ("note", "s", 2)]


@pytest.mark.anyio
async def test_an_import_puts_jobs_for_all_its_sessions(record: Record, database: Database) -> None:
    lines = [{"content": f"Line {n}.", "session": f"s{n % 3}", "id": str(n)} for n in range(9)]
    await record.take(lines, space="imported")
    assert [(topic, session) for topic, session, _ in await jobs(database, "imported")] == [
        (topic, f"s{n}") for topic in TOPICS for n in range(3)
    ]
    await record.take(lines, space="imported")
    assert {version for *_, version in await jobs(database, "imported")} == {1}, "nothing new, nothing to do"


@pytest.mark.anyio
async def test_what_is_refused_leaves_no_work(record: Record, database: Database) -> None:
    await record.observe([{"id": "1", "content": "First."}], space="refused", session="s", user=None)
    with pytest.raises(Exception, match="other words"):
        await record.observe([{"id": "1", "content": "Other."}], space="refused", session="s", user=None)
    assert {version for *_, version in await jobs(database, "refused")} == {1}
