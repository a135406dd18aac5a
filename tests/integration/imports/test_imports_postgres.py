"""Stores of other systems in PostgreSQL are read by URL: in one snapshot, and never written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, cast
from urllib.parse import urlencode

import ormsgpack
import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from quipu.app.imports.fields import Account
from quipu.app.imports.found import Filed, Found, Said
from quipu.app.imports.source import Source
from quipu.app.imports.sources import langgraph, mem0, openai_agents, postgres
from quipu.errors import BadInput

AT = datetime(2026, 5, 3, 10, 0, tzinfo=UTC)
CREATE: Any = """
    create table mem0 (id uuid primary key, vector vector(2), payload jsonb);
    create table mem0_entities (id uuid primary key, vector vector(2), payload jsonb);
    create table store (prefix text, key text, value jsonb, created_at timestamptz, updated_at timestamptz,
        expires_at timestamptz, ttl_minutes int, primary key (prefix, key));
    create table store_vectors (prefix text, key text, field_name text, embedding vector(2));
    create table checkpoints (thread_id text, checkpoint_ns text, checkpoint_id text,
        parent_checkpoint_id text, type text, checkpoint jsonb, metadata jsonb);
    create table checkpoint_blobs (thread_id text, checkpoint_ns text, channel text, version text, type text,
        blob bytea);
    create table checkpoint_writes (thread_id text, checkpoint_ns text, checkpoint_id text, task_id text,
        idx int, channel text, type text, blob bytea, task_path text);
    create table agent_messages (id serial primary key, session_id text, message_data text,
        created_at timestamp);
"""


@pytest.fixture
def there(url: str) -> Iterator[tuple[str, psycopg.Connection[Any]]]:
    """A database with the tables of all three, its URL, and a connection to fill it."""
    parts = {name: str(value) for name, value in conninfo_to_dict(url).items() if value}
    name = parts.pop("dbname")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("create extension if not exists vector")
        connection.execute("set search_path = public")
        connection.execute(CREATE)
        yield f"postgresql:///{name}?{urlencode({**parts, 'options': '-csearch_path=public'})}", connection


def connected(source: Source, url: str) -> tuple[list[Found], Account]:
    account = Account()
    assert source.connect is not None
    return list(source.connect(url, account)), account


def put(connection: psycopg.Connection[Any], table: str, *rows: tuple[Any, ...]) -> None:
    for row in rows:
        marks = ", ".join("%s" for _ in row)
        connection.execute(cast(Any, f"insert into {table} values ({marks})"), row)


def test_memories_of_mem0_are_read(there: tuple[str, psycopg.Connection[Any]]) -> None:
    url, connection = there
    payload = {
        "data": "Is vegan.",
        "user_id": "ana",
        "created_at": AT.isoformat(),
        "hash": "1",
        "topic": "food",
    }
    ids = [f"00000000-0000-0000-0000-00000000000{number}" for number in range(4)]
    deep = "[" * 200 + "]" * 200
    put(
        connection,
        "mem0",
        (ids[0], "[1,2]", json.dumps(payload)),
        (ids[1], None, None),
        (ids[2], None, f'{{"data": "deep", "x": {deep}}}'),
    )
    put(connection, "mem0_entities", (ids[3], None, '{"data": "Ana"}'))
    for address in (url, f"{url}&collection=mem0"):
        found, account = connected(mem0.SOURCE, address)
        (memory,) = found
        assert isinstance(memory, Filed)
        assert (memory.id, memory.body, memory.user, memory.created_at) == (ids[0], "Is vegan.", "ana", AT)
        assert memory.metadata == {"user_id": "ana", "created_at": AT.isoformat(), "topic": "food"}
        assert account.unreadable == 2
        assert account.dropped == {"memory.hash": 1}
    with pytest.raises(BadInput, match="mem0_entities"):
        connected(mem0.SOURCE, f"{url}&collection=other")


def test_items_of_langgraph_are_read(there: tuple[str, psycopg.Connection[Any]]) -> None:
    url, connection = there
    later = datetime(2026, 5, 4, 10, 0, tzinfo=UTC)
    put(
        connection,
        "store",
        ("a.b", "k", '{"text": "x"}', AT, later, later, 1440),
        ("a", "k", "[1]", AT, AT, None, None),
        ("a", "n", '{"text": "y"}', "infinity", AT, None, None),
        ("a", "o", '{"text": "y"}', AT, "294000-01-01", None, None),
    )
    put(connection, "store_vectors", ("a.b", "k", "text", "[1,2]"))
    (item,), account = connected(langgraph.SOURCE, url)
    assert isinstance(item, Filed)
    assert (item.path, item.key, item.value, item.index) == (("a", "b"), "k", {"text": "x"}, ["text"])
    assert (item.created_at, item.updated_at, item.expires_at, item.ttl_seconds) == (AT, later, later, 86_400)
    assert account.unreadable == 3


def human(text: str, id_: str) -> ormsgpack.Ext:
    parts = ["langchain_core.messages.human", "HumanMessage", {"content": text, "type": "human", "id": id_}]
    return ormsgpack.Ext(5, ormsgpack.packb(parts))


def test_threads_of_langgraph_are_read(there: tuple[str, psycopg.Connection[Any]]) -> None:
    """One with its messages in a blob, one with a delta channel, and one that is encrypted."""
    url, connection = there
    whole = {"v": 4, "ts": AT.isoformat(), "channel_values": {"n": 1}, "channel_versions": {"messages": "2"}}
    counted = '{"counters_since_delta_snapshot": {"messages": [1, 1]}, "user_id": "ana"}'
    blob = ormsgpack.packb([human("Hi.", "h1")])
    snapshot = ormsgpack.packb(ormsgpack.Ext(7, blob))
    marked = json.dumps({**whole, "channel_values": {"messages": True}})
    empty = json.dumps({**whole, "channel_versions": {}})
    put(
        connection,
        "checkpoints",
        ("t", "", "1", None, None, json.dumps(whole), "{}"),
        ("t", "", "2", "1", None, json.dumps(whole), '{"user_id": "ana"}'),
        ("d", "", "1", None, None, marked, "{}"),
        ("d", "", "2", "1", None, empty, counted),
        ("e", "", "1", None, None, json.dumps(whole), "{}"),
        ("t", "inner:1", "3", None, None, json.dumps(whole), "{}"),
    )
    put(
        connection,
        "checkpoint_blobs",
        ("t", "", "messages", "2", "msgpack", blob),
        ("t", "", "messages", "1", "msgpack", ormsgpack.packb([human("Old.", "h0")])),
        ("d", "", "messages", "2", "msgpack", snapshot),
        ("e", "", "messages", "2", "msgpack+aes", b"x"),
    )
    put(
        connection,
        "checkpoint_writes",
        ("d", "", "1", "b", 0, "messages", "msgpack", ormsgpack.packb([human("Last.", "h3")]), "~2"),
        ("d", "", "1", "a", 0, "messages", "msgpack", ormsgpack.packb([human("Then.", "h2")]), "~1"),
        ("d", "", "1", "c", 0, "branch:to:agent", "null", b"", ""),
    )
    found, account = connected(langgraph.SOURCE, url)
    told = [(one.session, one.id, one.content, one.user) for one in found if isinstance(one, Said)]
    assert told == [
        ("d", "h1", "Hi.", "ana"),
        ("d", "h2", "Then.", "ana"),
        ("d", "h3", "Last.", "ana"),
        ("t", "h1", "Hi.", "ana"),
    ]
    assert {one.time for one in found if isinstance(one, Said)} == {AT}
    assert account.refused == ["thread e: type: what is stored as 'msgpack+aes' is not read"]
    assert account.left_out == {"an earlier state of a thread": 2, "a state of an inner graph": 1}


def test_sessions_of_agents_are_read(there: tuple[str, psycopg.Connection[Any]]) -> None:
    url, connection = there
    put(connection, "agent_messages", (1, "s", '{"role": "user", "content": "Hi."}', AT), (2, "s", "{", AT))
    (one,), account = connected(openai_agents.SOURCE, url)
    assert isinstance(one, Said)
    assert (one.id, one.session, one.item, one.time) == ("1", "s", {"role": "user", "content": "Hi."}, AT)
    assert account.unreadable == 1


@pytest.mark.parametrize(
    "source", [mem0.SOURCE, langgraph.SOURCE, openai_agents.SOURCE], ids=lambda one: one.name
)
def test_a_database_without_their_tables_is_said_so(source: Source, there: tuple[str, Any]) -> None:
    url, connection = there
    connection.execute("drop table mem0, mem0_entities, store, checkpoints, agent_messages")
    with pytest.raises(BadInput):
        connected(source, url)


def test_nothing_can_be_written_and_all_is_of_one_moment(there: tuple[str, psycopg.Connection[Any]]) -> None:
    url, connection = there
    put(connection, "store", ("a", "k", "{}", AT, AT, None, None))
    with postgres.reading(url) as (database, _):
        assert len(list(database.rows("postgres_items"))) == 1
        put(connection, "store", ("a", "l", "{}", AT, AT, None, None))
        assert len(list(database.rows("postgres_items"))) == 1
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
            database._connection.execute("delete from store")


@pytest.mark.parametrize(
    "url",
    ["postgresql://u:secret@127.0.0.1:1/db", "postgresql://u:secret@[::1/db", "postgresql://u:secret@h:x/db"],
)
def test_a_database_that_is_not_there_is_said_so_without_the_password(url: str) -> None:
    with pytest.raises(BadInput) as refused:
        connected(mem0.SOURCE, url)
    assert "secret" not in str(refused.value)
