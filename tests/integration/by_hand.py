"""SQL of an application in the tables of lessons and long-term memories, and what is found of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from quipu import AsyncMemory


@contextmanager
def entered(url: str, space: str) -> Iterator[psycopg.Connection]:
    """SQL as the application runs it."""
    with psycopg.connect(url, options="-c role=quipu_app") as conn:
        conn.execute("select core.enter(%s)", [space])
        yield conn


async def lessons(memory: AsyncMemory, question: str, space: str) -> list[str]:
    """What recall and the search of lessons find, which must be the same."""
    recalled = [hit.text for hit in await memory.recall(question, space=space, kinds=["lesson"])]
    searched = [one.lesson.fact for one in await memory.lessons.search(question, space=space)]
    assert set(recalled) == set(searched)
    return recalled


async def known(memory: AsyncMemory, question: str, space: str, user: str | None = None) -> list[str]:
    """What recovery, recall and the search of long-term memory find, which must be the same."""
    recovered = await memory.longterm.recover(question, space=space, user=user)
    assert recovered.trouble is None
    searched = await memory.longterm.search(question, space=space, user=user)
    recalled = await memory.recall(question, space=space, user=user, kinds=["longterm"]) if user else None
    found = [one.summary for one in recovered.relevant_memories]
    assert {one.memory.summary for one in searched} >= set(found)
    assert recalled is None or {hit.text for hit in recalled} >= set(found)
    return found
