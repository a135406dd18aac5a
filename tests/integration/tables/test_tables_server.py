"""Agents' tables on a server with passwords, for an account that is no superuser."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import anyio
import psycopg
import pytest
from plain_server import PASSWORD, plain_server

from quipu import Memory
from quipu.errors import BadInput, DatabaseUnsuitable
from quipu.kernel.config import Settings
from quipu.kernel.db import embedded

PREPARED = f"""
create role quipu_owner nologin;
create role quipu_app nologin;
create role quipu_eraser nologin in role quipu_app;
create role quipu_relay nologin;
create role quipu_person nologin;
create role quipu_see nologin;
create role quipu_login login createrole password '{PASSWORD}';
grant quipu_owner, quipu_app, quipu_eraser, quipu_relay, quipu_person to quipu_login;
grant quipu_see to quipu_login with admin option;
"""


@pytest.fixture(scope="module")
def admin() -> Iterator[str]:
    """The address of a superuser of a server that asks everybody for a password."""
    directory = Path(tempfile.mkdtemp(prefix="quipu-test-"))
    directory.chmod(0o711)
    binaries = anyio.run(embedded.programs, Settings(home=directory))
    with plain_server(binaries, directory / "elsewhere") as url:
        with psycopg.connect(url, autocommit=True) as conn:
            conn.execute(PREPARED.encode())
            conn.execute("create database quipu owner quipu_login encoding 'UTF8' template template0")
        base = url.removesuffix("/postgres")
        with psycopg.connect(f"{base}/quipu", autocommit=True) as conn:
            for extension in ("vector", "pg_trgm", "pgcrypto"):
                conn.execute(f"create extension {extension}".encode())
        own = base.replace("admin:", "quipu_login:", 1)
        with Memory(settings=Settings(database_url=f"{own}/quipu", embedding_model="hashing")) as memory:
            memory.recall("nothing", space="nowhere")
        with psycopg.connect(f"{base}/quipu", autocommit=True) as conn:
            conn.execute("select core.harden()")
        yield f"{base}/quipu"
    shutil.rmtree(directory)


def test_without_a_closed_catalogue_sql_of_others_is_refused_or_allowed_by_a_setting(admin: str) -> None:
    url = admin.replace("admin:", "quipu_login:", 1)
    settings = Settings(database_url=url, embedding_model="hashing", pool_size=2)
    with psycopg.connect(admin, autocommit=True) as conn:
        conn.execute("grant select on pg_catalog.pg_class to public")
    with Memory(settings=settings) as memory:
        memory.observe([{"content": "The boat is green."}], space="open", session="s")
        for refused in (
            lambda: memory.tables.create_schema("memory", space="open"),
            lambda: memory.transcripts.query("select 1", space="open"),
        ):
            with pytest.raises(DatabaseUnsuitable, match="catalogue") as caught:
                refused()
            assert "core.harden()" in (caught.value.hint or "")
    with Memory(settings=replace(settings, open_catalogue=True)) as memory:
        assert memory.transcripts.query("select count(*) from messages", space="open").rows == ((0,),)
        memory.tables.execute("create table notes (id int)", space="open", confirm=True)
        memory.forget(space="open", confirm=True)
    with psycopg.connect(admin, autocommit=True) as conn:
        conn.execute("select tables.drop_discarded_roles()")
        assert conn.execute("select core.harden()").fetchone() == (1,)
        assert conn.execute("select count(*) from core.open_rights()").fetchone() == (0,)


def test_they_work_with_no_more_rights_than_to_make_roles(admin: str, tmp_path: Path) -> None:
    url = admin.replace("admin:", "quipu_login:", 1)
    settings = Settings(database_url=url, embedding_model="hashing", pool_size=2, snapshot_directory=tmp_path)
    with Memory(settings=settings) as memory:
        tables = memory.tables
        tables.execute("create table notes (id int, body text)", space="default", confirm=True)
        tables.insert("notes", {"id": 1, "body": "here"}, space="default")
        assert tables.query("select body from memory.notes", space="default").results == ({"body": "here"},)
        for refused in (
            "select * from core.messages",
            "select * from tables.passwords",
            "set role quipu_owner",
        ):
            with pytest.raises(BadInput):
                tables.query(refused, space="default")
        snapshot = memory.snapshots.create(space="default")
        tables.execute("drop table notes", space="default", confirm=True)
        done = memory.snapshots.restore(snapshot.name, space="default", confirm=True)
        assert done.after == {"notes": 1}
        # A role that gives itself another password is given a new one.
        tables.execute("alter role current_user password 'mine'", space="default", confirm=True)
    with Memory(settings=Settings(database_url=url, embedding_model="hashing", pool_size=2)) as memory:
        assert memory.tables.insert("notes", {"id": 2}, space="default").rows == 1
        memory.forget(space="default", confirm=True)
        memory.tables.create_schema("memory", space="other")
    with psycopg.connect(admin) as conn:
        roles = conn.execute(
            "select count(*) from pg_roles where rolname ~ '^quipu_(writer|reader)_'"
        ).fetchone()
        assert roles == (2,)


def test_locks_that_an_agent_may_take_there_end_with_its_call(admin: str) -> None:
    url = admin.replace("admin:", "quipu_login:", 1)
    with psycopg.connect(admin, autocommit=True) as conn:
        conn.execute("grant execute on function pg_catalog.pg_advisory_lock(bigint) to public")
    held = "select count(*) from pg_locks where locktype = 'advisory' and objid = 7310522"
    kept = "select count(*) from pg_stat_activity where application_name = 'quipu-agent'"
    settings = Settings(database_url=url, embedding_model="hashing", pool_size=2, open_catalogue=True)
    with Memory(settings=settings) as memory:
        memory.tables.create_schema("memory", space="locks")
        memory.tables.execute(
            "create table taken (id int primary key, lock text)", space="locks", confirm=True
        )
        memory.tables.execute("select pg_advisory_lock(7310522)", space="locks", confirm=True)
        with psycopg.connect(admin) as conn:
            assert conn.execute(kept.encode()).fetchone() == (1,)
            assert conn.execute(held.encode()).fetchone() == (0,)
        memory.forget(space="locks", confirm=True)
    with psycopg.connect(admin, autocommit=True) as conn:
        conn.execute("select tables.drop_discarded_roles()")
        conn.execute("select core.harden()")


def test_an_account_that_may_not_make_roles_is_told_so(admin: str) -> None:
    url = admin.replace("admin:", "quipu_login:", 1)
    with psycopg.connect(admin, autocommit=True) as conn:
        conn.execute("alter role quipu_login nocreaterole")
    with (
        Memory(settings=Settings(database_url=url, embedding_model="hashing", pool_size=2)) as memory,
        pytest.raises(DatabaseUnsuitable, match="permission denied to create role") as caught,
    ):
        memory.tables.create_schema("work", space="other")
    assert "docs/howto/tables.md" in (caught.value.hint or "")
    with psycopg.connect(admin, autocommit=True) as conn:
        conn.execute("alter role quipu_login createrole")
