"""What SQL writes to episodes is found also where a recall comes before it is committed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import LiteralString

import psycopg
import pytest

from quipu import AsyncMemory

SPACE = "refiled"
INSERT: LiteralString = """
insert into episodes.episodes (intent, context, action, emotion, outcome, gist, salience, topic,
    salience_factors, open_loops)
values ('{"type": "planning", "direction": "narrowing"}', '{"situational": "at home"}',
    'Compared two boats.', '{"type": "joy", "valence": "positive", "intensity": "low", "arc": "steady"}',
    '', %s, 0.5, 'boats', '{"novelty": 2, "emotional": 2, "commitment": 1, "unresolved": false}', '[]')
"""
BLUE, RED = "Ana chose the blue boat.", "Eve sold the red boat."

pytestmark = pytest.mark.anyio


@contextmanager
def entered(url: str) -> Iterator[psycopg.Connection]:
    """SQL as the application runs it."""
    with psycopg.connect(url, options="-c role=quipu_app") as conn:
        conn.execute("select core.enter(%s)", [SPACE])
        yield conn


async def found(memory: AsyncMemory) -> set[str]:
    return {hit.text for hit in await memory.recall("boat", space=SPACE, kinds=["episodes"])}


async def test_what_sql_commits_after_a_recall_has_filed_the_rest_is_found_by_the_next(
    memory: AsyncMemory, url: str
) -> None:
    await memory.observe([{"content": "The train is late."}], space=SPACE)
    with entered(url) as conn:
        conn.execute(INSERT, [BLUE])
    with entered(url) as late:
        late.execute(INSERT, [RED])
        assert await found(memory) == {BLUE}  # and clears no bit
    assert await found(memory) == {BLUE, RED}
    with entered(url) as conn:
        unindexed = conn.execute("select unindexed & 8 from core.spaces").fetchone()
    assert unindexed == (0,)


async def test_a_recall_waits_for_nobody_who_holds_an_episode(memory: AsyncMemory, url: str) -> None:
    await memory.observe([{"content": "The train is late."}], space=SPACE)
    with entered(url) as conn:
        conn.execute(INSERT, [BLUE])
        conn.execute(INSERT, [RED])
    with entered(url) as late:
        late.execute("update episodes.episodes set gist = 'Ana chose no boat.' where gist = %s", [BLUE])
        assert await found(memory) == {RED}
    assert await found(memory) == {"Ana chose no boat.", RED}
