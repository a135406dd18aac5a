"""Words that wait in a job are forgotten with those whose they are."""

from __future__ import annotations

import pytest
from errands import AT_NIGHT

from quipu import AsyncMemory
from quipu.kernel.db.database import Database
from quipu.kernel.queue.outbox import put
from quipu.kinds.episodes.queues import CHUNKER

pytestmark = pytest.mark.anyio


async def keys(database: Database, space: str) -> set[str]:
    async with database.transaction(space) as tx:
        if tx is None:
            return set()
        return {row[0] for row in await (await tx.conn.execute("select key from core.outbox")).fetchall()}


@pytest.mark.parametrize(
    ("what", "left"),
    [
        ({"session": "s1"}, {"s2", "nobody's", "ana's"}),
        ({"user": "ana"}, {"s2", "nobody's"}),
        ({"session": "s1", "user": "bo"}, {"s1", "s2", "nobody's", "ana's"}),
        ({"message": "m1"}, {"s1", "s2", "nobody's", "ana's"}),
        ({}, set()),
    ],
)
async def test_jobs_go_with_the_session_the_person_or_the_space(
    memory: AsyncMemory, database: Database, what: dict[str, str], left: set[str]
) -> None:
    await memory.observe([{"id": "m1", "content": "The boat is green."}], space="ana")
    async with database.write("ana") as tx:
        await put(tx, "prompt_queue", {"prompt": "?"}, key="s1", session="s1", user="ana")
        await put(tx, "prompt_queue", {"prompt": "?"}, key="s2", session="s2", user="bo")
        await put(tx, "prompt_queue", {"prompt": "?"}, key="ana's", user="ana")
        await put(tx, "prompt_queue", {}, key="nobody's")
    promised = await memory.forget(space="ana", **what)
    assert len(await keys(database, "ana")) == 4
    done = await memory.forget(space="ana", **what, confirm=True)
    assert await keys(database, "ana") == left
    assert done.counts == promised.counts
    assert done.counts.get("jobs", 0) == 4 - len(left)


@pytest.mark.parametrize("what", [{"message": "m1"}, {"user": "bo"}])
async def test_jobs_of_a_session_go_with_its_last_message(
    memory: AsyncMemory, database: Database, what: dict[str, str]
) -> None:
    await memory.observe(
        [
            {"id": f"m{n}", "content": "The boat is green.", "user": name}
            for n, name in enumerate(("ana", "bo"))
        ],
        space="ana",
        session="s1",
    )
    assert await keys(database, "ana") == {"s1"}
    await memory.forget(space="ana", message="m0", confirm=True)
    assert await keys(database, "ana") == {"s1"}
    await memory.forget(space="ana", **what, confirm=True)
    assert await keys(database, "ana") == set()


async def test_a_memory_works_off_what_is_due_in_its_own_process(
    memory: AsyncMemory, database: Database
) -> None:
    await memory.observe([{"content": "The boat is green."}], space="ana")
    assert (await memory.work(topics=[CHUNKER])).done == 0  # somebody may still be talking
    await memory.work()  # notes the schedules
    async with database.owner() as conn:
        await conn.execute("update core.schedules set due_at = now() - interval '1 hour'")
    worked = await memory.work(topics=["schedules"])
    assert worked.failed == 0
    assert worked.done >= AT_NIGHT  # for the house, and for the one space; some are due each minute
    async with database.owner() as conn:
        due = await conn.execute("select from core.schedules where due_at < now() - interval '1 hour'")
        assert await due.fetchall() == []
