"""A recall waits for no open transaction: it answers from what is committed, and later from the rest."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import LiteralString

import psycopg
import pytest
from anyio import fail_after
from patience import PATIENCE_SECONDS

from quipu import AsyncMemory

pytestmark = pytest.mark.anyio
FACT: LiteralString = """
insert into ledger.chat_session_memory (session_id, memory_namespace, memory_key, value_json, value_source,
    source_turn_index)
select id, 'other', 'pier', '"long boat"', 'explicit', 1 from ledger.chat_sessions
"""
LESSON: LiteralString = "insert into transcripts.memories (fact) values ('The boat is green.')"
HELD: dict[str, tuple[LiteralString, set[str]]] = {
    "a fact": (FACT, {"boat: red", "pier: long boat"}),
    "a fact that is corrected": (
        "update ledger.chat_session_memory set value_json = '\"blue\"'",
        {"boat: blue"},
    ),
    "a lesson": (LESSON, {"boat: red", "The boat is green."}),
    "a lesson that is filed": (
        "update transcripts.memories set fact = 'No boat.'",
        {"boat: red", "No boat."},
    ),
    "a session that is deleted": ("delete from ledger.chat_sessions", set()),
    "a conversation": ("insert into episodes.conversations (user_id) values ('ana')", {"boat: red"}),
}


@contextmanager
def entered(url: str, space: str) -> Iterator[psycopg.Connection]:
    """SQL as the application runs it."""
    with psycopg.connect(url, options="-c role=quipu_app") as conn:
        conn.execute("select core.enter(%s)", [space])
        yield conn


async def found(memory: AsyncMemory, space: str) -> set[str]:
    with fail_after(PATIENCE_SECONDS):
        hits = await memory.recall("boat", space=space, kinds=["ledger", "transcripts"])
    return {hit.text for hit in hits}


async def test_a_recall_waits_for_no_open_transaction(memory: AsyncMemory, url: str) -> None:
    for space, (held, afterwards) in HELD.items():
        await memory.observe([{"content": "Hello."}], space=space, session="s")
        if "filed" in space:
            await memory.memories.add("The boat is old.", space=space)
        await memory.ledger.set("boat", "red", space=space, session="s")  # which nobody has filed
        with entered(url, space) as late:
            late.execute(held)
            while_open = await found(memory, space)
            assert while_open <= {"boat: red", "The boat is old."}, space
            if space in {"a fact", "a fact that is corrected"}:
                assert while_open == {"boat: red"}, space
        assert await found(memory, space) == afterwards, space
