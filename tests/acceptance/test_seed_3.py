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
from quipu.app.workers import duties
from quipu.kernel.base.clock import FrozenClock
from quipu.kernel.config import Settings
from quipu.kernel.queue.connections import names
from quipu.kinds.episodes.conversations.model import ConversationStatus
from quipu.kinds.episodes.prompts.model import AgentRequest

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


def answer(asked: AgentRequest) -> str:
    """Answer a prompt, as somebody's agent does."""
    return f"You asked: {asked.prompt}"


@pytest.fixture
async def memory(accepting: Settings, address: str) -> AsyncIterator[AsyncMemory]:
    connected = replace(
        accepting,
        database_url=address,
        connections=TEXTS / "connections.json",
        tuned={"agent": f"{__name__}:{answer.__name__}"},
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


@pytest.mark.parametrize(
    ("topic", "queue"),
    [
        ("chat_history", "llm-chat"),
        ("prompt_queue", "prompt-queue"),
        ("memory_chunker", "memory-chunker-queue"),
        ("episodic_memory", "episodic-memory-queue"),
    ],
)
def test_each_topic_is_called_as_in_the_text_and_worked_on(topic: str, queue: str) -> None:
    assert json.loads((TEXTS / "connections.json").read_text())["topics"][topic] == queue
    assert names(duties().topics, None)[topic] == queue
    assert topic in duties().topics


@pytest.mark.parametrize("around", [True, False])
def test_both_forms_of_the_configuration_name_the_queues(tmp_path: Path, around: bool) -> None:
    """The text shows the names alone, and under ``topics``."""
    topics = {"chat_history": "chats", "episodic_memory": "episodes"}
    file = tmp_path / "connections.json"
    file.write_text(json.dumps({"topics": topics} if around else topics))
    assert names(duties().topics, file).items() >= topics.items()


async def test_workers_consume_each_from_its_queue(memory: AsyncMemory, space: str) -> None:
    """What is said goes through the chunker's queue into that of episodes; prompts and chats into theirs."""
    await memory.observe([{"content": "Do roses like shade?"}], space=space, session="s")
    await memory.conversations.answer("s", space=space)
    await memory.conversations.prompt("And ferns?", space=space, session="t")
    for queue in ("llm-chat", "prompt-queue", "memory-chunker-queue", "episodic-memory-queue"):
        worked = await memory.work(topics=[queue])
        assert (worked.done > 0, worked.failed) == (True, 0), queue
    assert {one.status for one in await memory.conversations.prompts(space=space)} == {"answered"}


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
    (conversation,) = await memory.conversations.list(space=space, status="archived")
    assert (conversation.id, conversation.session, conversation.user) == (str(number), str(number), "ana")


async def test_a_conversation_has_the_defaults_of_the_text(
    memory: AsyncMemory, address: str, space: str
) -> None:
    await memory.observe([{"content": "Hello."}], space=space, session="other", user="bob")
    with inside(address, space) as conn:
        conn.execute("insert into conversations (id, user_id, topic) values (%s, 'ana', 'garden')", [uuid4()])
        (row,) = conn.execute(
            "select title, status, created_at = now(), updated_at = now(), thread_id from conversations"
            " where user_id = 'ana'"
        ).fetchall()
        assert row == (None, "active", True, True, None)
        again = conn.execute("select id from conversations where user_id = 'ana'").fetchone()
        with pytest.raises(errors.UniqueViolation), conn.transaction():
            conn.execute("insert into conversations (id, user_id, topic) values (%s, 'ana', 'garden')", again)


@pytest.mark.parametrize("status", ["active", "archived", "deleted"])
async def test_a_conversation_is_active_archived_or_deleted(
    memory: AsyncMemory, address: str, space: str, status: ConversationStatus
) -> None:
    await memory.observe([{"content": "Hello."}], space=space, session="other", user="bob")
    with inside(address, space) as conn:
        conn.execute("insert into conversations (user_id, topic, status) values ('ana', 'x', %s)", [status])
    (found,) = await memory.conversations.list(space=space, user="ana", status=status)
    assert found.status == status


async def test_a_conversation_keeps_what_it_is_inserted_with(
    memory: AsyncMemory, address: str, space: str
) -> None:
    """Its ``thread_id`` and ``created_at`` were dropped without a word."""
    await memory.observe([{"content": "Hello."}], space=space, session="other", user="bob")
    row = (uuid4(), "ana", "garden", "Roses", "archived", NOW, NOW + timedelta(hours=1), "telegram:42:7")
    columns = "id, user_id, topic, title, status, created_at, updated_at, thread_id"
    with inside(address, space) as conn:
        conn.execute(
            f"insert into conversations ({columns}) values (%s, %s, %s, %s, %s, %s, %s, %s)",
            row,
        )
        assert conn.execute(f"select {columns} from conversations where user_id = 'ana'").fetchone() == row
        conn.execute(
            "update conversations set thread_id = 'telegram:42:8', title = 'Ferns' where id = %s", row[:1]
        )
        changed = conn.execute("select thread_id, title, topic from conversations where id = %s", row[:1])
        assert changed.fetchone() == ("telegram:42:8", "Ferns", "garden")
        with pytest.raises(errors.FeatureNotSupported, match="follow from what was said"), conn.transaction():
            conn.execute("update conversations set created_at = now()")
    (found,) = await memory.conversations.list(space=space, status="archived")
    assert (found.thread, found.created_at) == ("telegram:42:8", NOW)


@pytest.mark.parametrize("mode", ["RESPOND", "ACT", "CLARIFY", "ACKNOWLEDGE"])
async def test_a_message_has_a_mode_of_the_text(
    memory: AsyncMemory, address: str, space: str, mode: str
) -> None:
    await memory.observe([{"role": "assistant", "content": "Ferns do."}], space=space, session="s")
    with inside(address, space) as conn:
        conn.execute("update messages set mode = %s", [mode])
    (message,) = (await memory.conversations.get("s", space=space)).messages
    assert message.mode == mode


async def test_a_message_belongs_to_its_conversation(memory: AsyncMemory, address: str, space: str) -> None:
    await memory.observe([{"content": "Ferns?"}], space=space, session="s")
    with inside(address, space) as conn:
        query = "select c.session, m.role from messages m join conversations c on c.id = m.conversation_id"
        assert conn.execute(query).fetchall() == [("s", "user")]
        with pytest.raises(errors.FeatureNotSupported, match="observe"), conn.transaction():
            conn.execute("update messages set conversation_id = %s", [uuid4()])
        with pytest.raises(errors.CheckViolation), conn.transaction():
            conn.execute("update messages set metadata = '[]'")


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
