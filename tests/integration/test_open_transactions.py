"""Nobody waits for an open transaction: what is committed is recalled, what is said is written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import LiteralString

import psycopg
import pytest
from anyio import fail_after
from patience import PATIENCE_SECONDS
from pooler import WANTED
from psycopg import sql

from quipu import AsyncMemory
from quipu.errors import TookTooLong
from quipu.kernel.config import Settings

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
        hits = await memory.recall("boat", space=space, kinds=["ledger", "lesson"])
    return {hit.text for hit in hits}


async def test_a_recall_waits_for_no_open_transaction(memory: AsyncMemory, url: str) -> None:
    for space, (held, afterwards) in HELD.items():
        await memory.observe([{"content": "Hello."}], space=space, session="s")
        if "filed" in space:
            await memory.lessons.add("The boat is old.", space=space)
        await memory.ledger.set("boat", "red", space=space, session="s")  # which nobody has filed
        with entered(url, space) as late:
            late.execute(held)
            while_open = await found(memory, space)
            assert while_open <= {"boat: red", "The boat is old."}, space
            if space in {"a fact", "a fact that is corrected"}:
                assert while_open == {"boat: red"}, space
        assert await found(memory, space) == afterwards, space


EPISODE: LiteralString = """
insert into episodes.episodes (intent, context, action, emotion, outcome, gist, salience, freshness, topic,
    salience_factors)
values ('{}', '{}', '', '{}', '', 'Ana chose the red boat.', 0.5, 1, 'boats', '{}')
"""
WRITTEN: dict[str, LiteralString] = {
    **{name: sql for name, (sql, _) in HELD.items() if name != "a session that is deleted"},
    "a lesson that is deleted": "delete from transcripts.memories",
    "what is known that changes": "update longterm.long_term_memory set summary = 'Has a red boat.'",
    "what is known that is deleted": "delete from longterm.long_term_memory",
    "an episode": EPISODE,
    "a session that ends": "update ledger.chat_sessions set status = 'ended'",
    "a conversation that is named": "update episodes.conversations set title = 'Boats'",
    "a message": "update episodes.messages set mode = 'ACT'",
    "a session that is marked": "update transcripts.sessions set memories_extracted = 1",
}


async def test_who_writes_waits_for_no_open_transaction(memory: AsyncMemory, url: str) -> None:
    for space, held in WRITTEN.items():
        await memory.observe([{"content": "A boat."}], space=space, session="s")
        await memory.lessons.add("The boat is old.", space=space)
        await memory.longterm.add("Has a boat named Tejo.", space=space)
        await memory.ledger.set("boat", "red", space=space, session="s")
        await memory.recall("boat", space=space)
        with entered(url, space) as late, fail_after(PATIENCE_SECONDS):
            late.execute(held)
            for session in ("s", "another"):
                await memory.observe([{"content": "The boat is late."}], space=space, session=session)
            await memory.lessons.add("A boat needs paint.", space=space)
            await memory.longterm.add("Has a goat.", space=space)
            await memory.ledger.set("mast", "short", space=space, session="s")


async def test_what_sql_leaves_to_its_end_is_done_then_and_only_then(memory: AsyncMemory, url: str) -> None:
    for space in ("one", "other"):
        await memory.observe([{"content": "Hello."}], space=space, session="s")
        await memory.lessons.add("The boat is old.", space=space)
    with entered(url, "one") as late:
        for isolation, ends in (("read committed", "rollback"), ("repeatable read", "commit")):
            late.rollback()
            late.execute(f"set transaction isolation level {isolation}".encode())
            for space in ("one", "other"):  # it is done where it was written, not where the transaction ends
                late.execute("select core.enter(%s)", [space])
                late.execute("delete from transcripts.memories")
                late.execute(LESSON)
                late.execute("savepoint before")
                late.execute("insert into transcripts.memories (fact) values ('No boat at all.')")
                late.execute("rollback to before")
            for space in ("one", "other"):
                assert await found(memory, space) == {"The boat is old."}
            late.execute(ends.encode())
    for space in ("one", "other"):
        assert await found(memory, space) == {"The boat is green."}
    with psycopg.connect(url) as conn:
        assert conn.execute("select from core.at_commit").fetchall() == []


async def test_sql_that_saw_others_wait_to_be_filed_has_its_own_filed(memory: AsyncMemory, url: str) -> None:
    await memory.observe([{"content": "Hello."}], space="one", session="s")
    with entered(url, "one") as first:
        first.execute(LESSON)
    with entered(url, "one") as late:
        late.rollback()
        late.execute("set transaction isolation level repeatable read")
        late.execute("select core.enter('one')")
        late.execute("select from transcripts.memories")
        assert await found(memory, "one") == {"The boat is green."}  # nothing waits any more
        late.execute("insert into transcripts.memories (fact) values ('The boat is new.')")
        with pytest.raises(psycopg.errors.SerializationFailure):
            late.commit()


@pytest.mark.skipif(WANTED, reason="sessions that a pooler has open keep the limit that they began with")
async def test_who_waits_for_a_lock_in_vain_is_told_of_it_and_of_the_way_out(
    memory: AsyncMemory, url: str, settings: Settings
) -> None:
    """It was told that the database does not answer: is the server running?"""
    await memory.observe([{"content": "Hello."}], space="a", session="s")
    with psycopg.connect(url) as conn:
        base = sql.Identifier(conn.info.dbname)
        conn.execute(sql.SQL("alter database {} set lock_timeout = 50").format(base))
    async with AsyncMemory(settings=settings) as other:
        with psycopg.connect(url) as conn:
            conn.execute("lock table core.messages, transcripts.memories in access exclusive mode")
            for asked in (
                other.observe([{"content": "Again."}], space="a", session="s"),
                memory.transcripts.query("select count(*) from memories", space="a"),
            ):
                with pytest.raises(TookTooLong, match=r"holds a lock .* after \d+\.\d seconds") as told:
                    await asked
                assert "pg_stat_activity" in (told.value.hint or "")
        await other.observe([{"content": "Again."}], space="a", session="s")
