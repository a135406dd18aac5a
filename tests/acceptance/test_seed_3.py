"""Acceptance of "Data Schemas": its topics are worked on, its conversations and messages are there.

The original's tables are in tests/fixtures/seed_3, as the text has them. Ours differ as the design says: they
are views over the record, times have a zone, and ``user_id`` is the name of the person instead of a reference
to a table that the text does not have.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from psycopg import errors

from quipu import AsyncMemory
from quipu.app.working import duties
from quipu.kernel.base.clock import FrozenClock
from quipu.kernel.config import Settings
from quipu.kernel.queue.topics import names
from quipu.kinds.episodes.prompting.model import Asked

pytestmark = pytest.mark.anyio
TEXTS = Path(__file__).resolve().parent.parent / "fixtures" / "seed_3"
NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
TYPES = {
    "UUID": {"uuid"},
    "TEXT": {"text"},
    "JSONB": {"jsonb"},
    "TIMESTAMP": {"timestamp with time zone"},
}
OTHERWISE = {("conversations", "user_id"): "text"}
COLUMN = re.compile(r"^\s+(\w+) (UUID|TEXT|JSONB|TIMESTAMP)\b", re.MULTILINE)
COLUMNS = """
select attname::text, format_type(atttypid, atttypmod) from pg_attribute
where attrelid = %s::regclass and attnum > 0 and not attisdropped
"""


def answer(asked: Asked) -> str:
    """Answer a prompt, as somebody's agent does."""
    return f"You asked: {asked.prompt}"


@pytest.fixture
async def memory(accepting: Settings, address: str) -> AsyncIterator[AsyncMemory]:
    connected = replace(
        accepting,
        database_url=address,
        connections=TEXTS / "connections.json",
        agent=f"{__name__}:{answer.__name__}",
    )
    async with AsyncMemory(settings=connected, clock=FrozenClock(NOW + timedelta(hours=1))) as opened:
        yield opened


@pytest.fixture
def space() -> str:
    return f"seed 3 {uuid4()}"


def inside(address: str, space: str) -> psycopg.Connection:
    """A transaction of the application that has entered a space, as ours do."""
    conn = psycopg.connect(address, options="-c role=quipu_app -c search_path=episodes,public")
    conn.execute("select core.enter(%s)", [space])
    return conn


async def test_the_topics_of_the_text_are_worked_on(memory: AsyncMemory) -> None:
    topics = json.loads((TEXTS / "connections.json").read_text())["topics"]
    assert names(topics, TEXTS / "connections.json").items() >= topics.items()
    assert {"chat_history", "prompt_queue", "memory_chunker"} <= set(duties().topics)
    assert (await memory.work(topics=["llm-chat", "prompt-queue", "memory-chunker-queue"])).failed == 0


@pytest.mark.parametrize("table", ["conversations", "messages"])
async def test_every_column_of_the_text_is_there(memory: AsyncMemory, address: str, table: str) -> None:
    assert memory
    original = dict(COLUMN.findall((TEXTS / f"{table}.sql").read_text()))
    assert len(original) >= 7
    with psycopg.connect(address) as conn:
        ours = dict(conn.execute(COLUMNS.encode(), [f"episodes.{table}"]).fetchall())
    for column, type_ in original.items():
        assert ours.get(column) in {OTHERWISE.get((table, column)), *TYPES[type_]}, column


async def test_conversations_are_read_and_written_in_the_words_of_the_text(
    memory: AsyncMemory, address: str, space: str
) -> None:
    await memory.observe([{"content": "Hello."}], space=space, session="other", user="bob")
    number = uuid4()
    with inside(address, space) as conn:
        made = conn.execute(
            "insert into conversations (id, user_id, topic, title) values (%s, 'ana', 'garden', 'Roses')"
            " returning id",
            [number],
        ).fetchone()
        assert made == (number,)
        conn.execute("update conversations set status = 'archived' where id = %s", [number])
        with pytest.raises(errors.CheckViolation), conn.transaction():
            conn.execute("update conversations set status = 'lost' where id = %s", [number])
        found = conn.execute(
            "select user_id, topic, title, status from conversations where id = %s", [number]
        ).fetchone()
    assert found == ("ana", "garden", "Roses", "archived")
    (conversation,) = await memory.conversations.listing(space=space, status="archived")
    assert (conversation.id, conversation.session, conversation.user) == (str(number), str(number), "ana")


async def test_messages_are_the_record_with_mode_and_metadata(
    memory: AsyncMemory, address: str, space: str
) -> None:
    said = [
        {"role": "user", "content": "Do roses like shade?", "time": NOW},
        {"role": "assistant", "content": "Which kind of roses do you have?", "time": NOW},
    ]
    await memory.observe(said, space=space, session="s", user="ana")
    await memory.work(topics=["memory-chunker-queue"])
    with inside(address, space) as conn:
        query = "select role, content, mode, metadata, created_at from messages order by message_number"
        asked, answered = conn.execute(query).fetchall()
        assert asked == ("user", "Do roses like shade?", None, {}, NOW)
        assert answered[:3] == ("assistant", "Which kind of roses do you have?", "CLARIFY")
        conn.execute("update messages set metadata = '{\"routing_score\": 0.9}' where role = 'assistant'")
        (metadata,) = conn.execute("select metadata from messages where role = 'assistant'").fetchone() or (
            {},
        )
        assert metadata == {"routing_score": 0.9}
        with pytest.raises(errors.CheckViolation), conn.transaction():
            conn.execute("update messages set mode = 'SING' where role = 'assistant'")
        with pytest.raises(errors.FeatureNotSupported, match="observe"), conn.transaction():
            conn.execute("update messages set content = 'other' where role = 'assistant'")
        with pytest.raises(errors.FeatureNotSupported, match="observe"), conn.transaction():
            conn.execute("insert into messages (role, content) values ('user', 'unseen')")
        thread = conn.execute("select thread_id from conversations where session = 's'").fetchone()
    assert thread == ("session:s:1",)


async def test_a_prompt_of_the_prompt_queue_is_answered_into_the_conversation(
    memory: AsyncMemory, address: str, space: str
) -> None:
    prompt = await memory.conversations.prompt("Do roses like shade?", space=space, session="s", user="ana")
    await memory.work(topics=["prompt-queue"])
    answered = await memory.conversations.await_reply(prompt.id, space=space)
    assert (answered.status, answered.reply) == ("answered", "You asked: Do roses like shade?")
    with inside(address, space) as conn:
        said = conn.execute("select role, content from messages order by message_number").fetchall()
    assert said == [("user", prompt.prompt), ("assistant", answered.reply)]
