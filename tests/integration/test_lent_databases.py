"""A database that is lent again is as new; one that cannot be made so is not lent again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace

import psycopg
import pytest
from anyio.from_thread import start_blocking_portal
from lent_databases import LentDatabases

from quipu import Memory
from quipu.kernel.config import Settings

SEEDED = "select array_agg(t::text order by t::text) from core.recall_kinds t"


@pytest.fixture(scope="module")
def databases(
    copy_of: Callable[[str], AbstractContextManager[str]], server_settings: Settings
) -> Iterator[LentDatabases]:
    """Of these tests alone: those of the others are dropped after some tests."""
    with start_blocking_portal() as portal:
        made = LentDatabases(lambda: copy_of("template"), server_settings, portal)
        yield made
        made.close()


def test_what_a_test_wrote_is_gone(databases: LentDatabases, server_settings: Settings) -> None:
    with databases.lend() as first, psycopg.connect(first, autocommit=True) as conn:
        kinds = conn.execute(SEEDED).fetchone()
        with Memory(settings=replace(server_settings, database_url=first)) as memory:
            memory.observe([{"content": "The boat is blue.", "session": "s"}], space="left")
            number = conn.execute("select id from core.spaces").fetchone()
        conn.execute("delete from core.erasure_chain")
        conn.execute("delete from core.recall_kinds where code > 1")
    with databases.lend() as again, psycopg.connect(again, autocommit=True) as conn:
        assert again == first
        assert conn.execute("select count(*) from core.messages").fetchone() == (0,)
        assert conn.execute("select count(*) from core.erasure_chain").fetchone() == (1,)
        assert conn.execute(SEEDED).fetchone() == kinds
        with Memory(settings=replace(server_settings, database_url=again)) as memory:
            memory.observe([{"content": "The boat is blue.", "session": "s"}], space="right")
            assert conn.execute("select id from core.spaces").fetchone() == number


@pytest.mark.parametrize(
    "statement",
    [
        "create schema mine",
        "alter table core.messages disable trigger user",
        "grant select on core.messages to public",
        "create function public.one() returns int language sql as 'select 1'",
        "truncate core.outbox",
        "do $$ begin execute format('alter database %I set lock_timeout = 50', current_database()); end $$",
        "do $$ begin execute format('grant create on database %I to public', current_database()); end $$",
        "create schema mine; drop schema mine",
        "create schema mine; select pg_stat_force_next_flush(); commit; select pg_stat_reset()",
    ],
)
def test_what_else_is_changed_is_never_lent_again(databases: LentDatabases, statement: str) -> None:
    with databases.lend() as first, psycopg.connect(first, autocommit=True) as conn:
        conn.execute(statement.encode())
    with databases.lend() as second:
        assert second != first


def test_who_stays_connected_is_ended(databases: LentDatabases) -> None:
    with databases.lend() as first:
        stays = psycopg.connect(first)
        stays.execute("select from core.messages")
    with databases.lend() as again:
        assert again == first
        with pytest.raises(psycopg.OperationalError):
            stays.execute("select 1")
