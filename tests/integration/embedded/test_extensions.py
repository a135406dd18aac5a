"""An extension that is older than the server's programs is brought to their version at its start."""

from __future__ import annotations

from dataclasses import replace

import psycopg
import pytest
from psycopg import sql

from quipu import AsyncMemory
from quipu.kernel.config import Settings
from quipu.kernel.db.doctor import examine
from quipu.kernel.db.embedded import lifecycle
from quipu.kernel.db.embedded.place import make_place

pytestmark = pytest.mark.anyio

VERSIONS = "select extname, extversion from pg_extension where extname in ('vector', 'pg_trgm', 'pgcrypto')"
NEWER_FUNCTION = "select to_regprocedure('strict_word_similarity(text, text)') is not null"  # of pg_trgm 1.4


async def test_an_older_extension_is_updated_at_the_next_start_and_stays_closed(settings: Settings) -> None:
    settings = replace(settings, embedding_model="hashing")
    share = lifecycle.join(make_place(settings), settings)
    with psycopg.connect(share.door.conninfo("quipu"), autocommit=True) as conn:
        conn.execute("create extension pg_trgm version '1.3'")
        conn.execute("create extension pgcrypto version '1.3'")
        async with AsyncMemory(settings=settings) as memory:
            await memory.observe([{"content": "Ana lives in Faro."}], space="ana")
        # Of pgvector the programs have the newest script alone, and those that lead to it.
        conn.execute("update pg_extension set extversion = '0.8.4' where extname = 'vector'")
        older = dict(conn.execute(VERSIONS).fetchall())
        assert conn.execute(NEWER_FUNCTION).fetchone() == (False,)
        found = [one for one in await examine(settings) if one.name == "extensions"]
        assert [one.state for one in found] == ["ok", "warn"]
        assert "older than the programs: pg_trgm, pgcrypto, vector" in found[1].detail
    lifecycle.leave(share)
    share = lifecycle.join(make_place(settings), settings)
    with psycopg.connect(share.door.conninfo("quipu"), autocommit=True) as conn:
        newer = dict(conn.execute(VERSIONS).fetchall())
        assert all(newer[name] > version for name, version in older.items())
        assert conn.execute(NEWER_FUNCTION).fetchone() == (True,)
        assert conn.execute("select granted from core.open_rights()").fetchall() == []
    lifecycle.leave(share)
    async with AsyncMemory(settings=settings) as memory:
        assert len(await memory.recall("Where does Ana live?", space="ana")) == 1


async def test_one_that_cannot_be_updated_stops_no_start(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    share = lifecycle.join(make_place(settings), settings)
    with psycopg.connect(share.door.conninfo("quipu"), autocommit=True) as conn:
        conn.execute(sql.SQL("create extension if not exists pg_trgm"))
        conn.execute("update pg_extension set extversion = '0.1' where extname = 'pg_trgm'")
    lifecycle.leave(share)
    share = lifecycle.join(make_place(settings), settings)
    lifecycle.leave(share)
    assert "The extension pg_trgm could not be updated" in caplog.text
