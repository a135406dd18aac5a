"""Database of a server of Letta: archival memory, blocks with their history, messages, and what is gone."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from quipu.app.imports.fields import Account
from quipu.app.imports.found import Filed, Found, Said, Stated
from quipu.app.imports.sources.letta import SOURCE
from quipu.errors import BadInput, DatabaseUnavailable

COMMON = "created_at timestamptz, updated_at timestamptz, is_deleted boolean default false"
TABLES = {
    "agents": "id text, name text, agent_type text, system text",
    "identities": "id text, identifier_key text, name text, identity_type text",
    "identities_agents": "identity_id text, agent_id text",
    "messages": "id text, agent_id text, role text, text text, content json, tool_calls json, sender_id text,"
    " conversation_id text, sequence_id bigint",
    "block": 'id text, label text, value text, "limit" int, metadata_ json, read_only boolean,'
    " is_template boolean, current_history_entry_id text, version int",
    "blocks_agents": "block_id text, agent_id text, block_label text",
    "block_history": 'id text, block_id text, label text, value text, "limit" int, sequence_number int',
    "archives": "id text, name text",
    "archives_agents": "archive_id text, agent_id text",
    "archival_passages": "id text, text text, tags json, metadata_ json, archive_id text, embedding {vector}",
    "files": "id text, file_name text",
}  # as letta.orm has them, in version 0.16.8


def at(day: int) -> str:
    return f"2026-05-{day:02}T10:00:00+00:00"


ROWS: dict[str, list[dict[str, Any]]] = {
    "agents": [
        {"id": "agent-1", "name": "helper", "agent_type": "memgpt_v2_agent", "system": "Be kind."},
        {"id": "agent-2", "name": "gone", "is_deleted": True},
    ],
    "identities": [{"id": "identity-1", "identifier_key": "ana", "name": "Ana", "identity_type": "user"}],
    "identities_agents": [{"identity_id": "identity-1", "agent_id": "agent-1"}],
    "messages": [
        {"id": "message-2", "agent_id": "agent-1", "role": "assistant", "sequence_id": 2, "created_at": at(1),
         "content": [{"type": "text", "text": "A thought."}],
         "tool_calls": [{"function": {"name": "send_message", "arguments": '{"message": "Noted."}'}}]},
        {"id": "message-1", "agent_id": "agent-1", "role": "user", "sequence_id": 1, "created_at": at(2),
         "content": [{"type": "text", "text": "I moved to Lisbon."}]},
        {"id": "message-3", "agent_id": "agent-1", "role": "user", "sequence_id": 3, "text": "Old words.",
         "conversation_id": "conv-1", "created_at": at(3)},
        {"id": "message-4", "agent_id": "agent-1", "role": "user", "sequence_id": 4, "text": "Olives.",
         "is_deleted": True},
        {"id": "message-5", "agent_id": "agent-2", "role": "user", "sequence_id": 5,
         "text": "Of a dead agent."},
    ],
    "block": [
        {"id": "block-1", "label": "human", "value": "Lives in Lisbon.", "limit": 5000,
         "updated_at": at(3), "created_at": at(1),
         "current_history_entry_id": "hist-2", "version": 3,
         "metadata_": {"kind": "home"}},
        {"id": "block-2", "label": "persona", "value": "I am patient.", "updated_at": at(2),
         "created_at": at(1)},
        {"id": "block-3", "label": "human", "value": "A template.", "is_template": True},
        {"id": "block-4", "label": "human", "value": "  "},
        {"id": "block-5", "label": "human", "value": "Erased words.", "is_deleted": True},
    ],
    "blocks_agents": [
        {"block_id": "block-1", "agent_id": "agent-1", "block_label": "human"},
        {"block_id": "block-2", "agent_id": "agent-1", "block_label": "persona"},
    ],
    "block_history": [
        {"id": "hist-1", "block_id": "block-1", "label": "human", "value": "Lives in Berlin.",
         "sequence_number": 1, "created_at": at(1)},
        {"id": "hist-2", "block_id": "block-1", "label": "human", "value": "Lives in Lisbon.",
         "sequence_number": 2, "created_at": at(2)},
        {"id": "hist-3", "block_id": "block-1", "label": "human", "value": "Lives in Porto.",
         "sequence_number": 3, "created_at": at(3)},
        {"id": "hist-4", "block_id": "block-2", "label": "persona", "value": "I am hasty.",
         "sequence_number": 1, "created_at": at(1)},
    ],
    "archives": [{"id": "archive-1", "name": "of helper"}],
    "archives_agents": [{"archive_id": "archive-1", "agent_id": "agent-1"}],
    "archival_passages": [
        {"id": "passage-1", "text": "Alba is green.", "tags": ["boat"], "archive_id": "archive-1",
         "created_at": at(2), "metadata_": {}},
        {"id": "passage-2", "text": "Likes olives.", "archive_id": "archive-1", "is_deleted": True},
    ],
    "files": [{"id": "file-1", "file_name": "a.pdf"}],
}  # fmt: skip


@pytest.fixture
def letta(url: str) -> str:
    """The address of a database of Letta."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("create schema letta")
        connection.execute("set search_path = letta, public")
        for table, columns in TABLES.items():
            made = f"{columns.format(vector='vector(3)')}, {COMMON}"
            connection.execute(sql.SQL("create table {} (" + made + ")").format(sql.Identifier(table)))
            query = sql.SQL("insert into {} select * from json_populate_recordset(null::{}, %s)")
            named = sql.Identifier(table)
            connection.execute(query.format(named, named), [json.dumps(ROWS[table])])
    return make_conninfo(url, options="-csearch_path=letta")


def read(url: str) -> tuple[list[Found], Account]:
    account = Account()
    assert SOURCE.connect is not None
    return list(SOURCE.connect(url, account)), account


def test_messages_come_in_their_order_with_whose_they_are(letta: str) -> None:
    said = [one for one in read(letta)[0] if isinstance(one, Said)]
    assert [(one.id, one.session, one.content, one.user) for one in said] == [
        ("message-1", "agent-1", "I moved to Lisbon.", "ana"),
        ("message-2", "agent-1", "Noted.", None),
        ("message-3", "conv-1", "Old words.", "ana"),
    ]
    assert said[0].metadata == {"agent": "helper"}


def test_a_block_says_what_it_says_and_what_it_said_has_ended(letta: str) -> None:
    found, account = read(letta)
    blocks = {one.id: one for one in found if isinstance(one, Stated) and one.category == "human"}
    assert {id_: (one.text, one.valid_until) for id_, one in blocks.items()} == {
        "block-1@1": ("Lives in Berlin.", datetime(2026, 5, 2, 10, tzinfo=UTC)),
        "block-1": ("Lives in Lisbon.", None),
    }
    assert (blocks["block-1"].user, blocks["block-1"].metadata["kind"]) == ("ana", "home")
    (persona,) = (one for one in found if isinstance(one, Filed))
    assert (persona.body, persona.index) == ("I am patient.", False)
    assert [one.body for one in persona.earlier] == ["I am hasty."]
    assert account.left_out["undone at the source"] == 1


def test_archival_memory_comes_and_what_was_deleted_is_nowhere(letta: str) -> None:
    found, account = read(letta)
    (passage,) = (one for one in found if isinstance(one, Stated) and one.category == "archival")
    assert (passage.id, passage.text, passage.user) == ("passage-1", "Alba is green.", "ana")
    assert passage.metadata == {"tags": ["boat"], "archive": "of helper", "agents": ["helper"]}
    assert passage.time == datetime(2026, 5, 2, 10, tzinfo=UTC)
    told = repr((found, account))
    gone = ("Olives", "olives", "dead agent", "Porto", "Erased", "template.")
    assert not any(text in told for text in gone)
    assert account.left_out == {
        "deleted at the source": 4,
        "message of an agent that is not there": 1,
        "undone at the source": 1,
        "template of a block": 1,
        "empty block": 1,
        "file": 1,
    }


def test_nothing_is_written(letta: str) -> None:
    read(letta)
    with psycopg.connect(letta) as connection:
        counts = connection.execute("select count(*) from messages").fetchone()
    assert counts == (5,)


def test_what_is_no_letta_and_what_does_not_answer_is_refused(url: str) -> None:
    with pytest.raises(BadInput, match="no database of Letta"):
        read(url)
    with pytest.raises(DatabaseUnavailable, match="does not answer"):
        read("postgresql://nobody:secret-word@127.0.0.1:1/none")
    with pytest.raises(DatabaseUnavailable) as raised:
        read("postgresql://nobody:secret-word@127.0.0.1:1/none")
    assert "secret-word" not in str(raised.value)
