"""Entries of a kind that are not to be found any more, taken out among others who read and write."""

from __future__ import annotations

import numpy as np
import psycopg
import pytest

from quipu import AsyncMemory
from quipu.kernel.base.clock import SystemClock
from quipu.kernel.db.database import Database
from quipu.kernel.embedding.hashing import HashEmbedder
from quipu.recall import index
from quipu.recall.index import withdraw
from quipu.recall.model import Draft
from quipu.recall.terms import bag
from quipu.upkeep.consistency import examine

pytestmark = pytest.mark.anyio
NOW = SystemClock().now()


def draft(text: str, vector: np.ndarray[tuple[int], np.dtype[np.float32]], *, owner: str) -> Draft:
    return Draft(
        kind=1,
        bag=bag(text, language="english"),
        vector=vector,
        happened_at=NOW,
        recorded_at=NOW,
        owner=owner,
        content=text,
    )


async def counters(url: str) -> tuple[object, ...]:
    async with await psycopg.AsyncConnection.connect(url) as conn:
        cursor = await conn.execute("select entries, tokens, mixed_tokens, threads, epoch from core.spaces")
        row = await cursor.fetchone()
    assert row is not None
    return row


async def test_what_is_withdrawn_leaves_no_posting_vector_name_or_count(
    memory: AsyncMemory, database: Database, url: str
) -> None:
    await memory.observe(
        [{"content": "The boat is green."}, {"content": "Sven likes trains."}], space="ana", session="s"
    )
    before = await counters(url)
    texts = ["baseline.scope: single, Lisbon", "ui.response_depth: verbose"]
    vectors = await HashEmbedder().embed(texts)
    async with database.write("ana") as tx:
        generation = tx.space.generation
        assert generation is not None
        drafts = [
            draft(t, v, owner=f"person {n}") for n, (t, v) in enumerate(zip(texts, vectors, strict=True))
        ]
        ids = await index.file(tx, drafts, generation=generation)
    async with database.write("ana") as tx:
        await withdraw(tx, ids[:1])
    async with database.owner() as conn:
        names = await (await conn.execute("select name from core.recall_names")).fetchall()
        left = await (
            await conn.execute("select count(*) from core.recall_entries where content is not null")
        ).fetchone()
    assert names == [("person 1",)]
    assert left == (1,)
    async with database.write("ana") as tx:
        await withdraw(tx, ids[1:])
        await withdraw(tx, [])
    assert await examine(database) == []
    assert await counters(url) == before
