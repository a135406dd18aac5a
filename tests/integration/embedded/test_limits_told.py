"""A limit that was hit is told with the way out through the command line, the tools and the pages as well."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from html import unescape
from pathlib import Path

import psycopg
import pytest
from cli_process import CommandLine
from long_form import LONG
from mcp.client.client import Client
from page_client import Browser
from patience import PATIENCE_SECONDS

from quipu import AsyncMemory, Memory
from quipu.interfaces.mcp.model import Caller
from quipu.interfaces.mcp.server import build
from quipu.interfaces.server import create_app
from quipu.kernel.config import Settings
from quipu.kernel.db.embedded.place import find_place
from quipu.kernel.db.embedded.postmaster import door_of

pytestmark = pytest.mark.anyio

EXIT_CODE = 5
TOO_MUCH = {
    "memory": "select array_agg(repeat('x', 100000) || n) from generate_series(1, 30000) n",
    "length": "select length(repeat('x', 1000000000) || repeat('x', 1000000000))",
    "a regular expression": r"select 'a' ~ '(((a{1,200}){1,200}){1,200})'",
    "temporary room": "select count(*) from (select n, md5(n::text) from generate_series(1, 20000000) n "
    "order by 2 offset 5) x",
    "time": "select pg_sleep(600)",
    "one row": "select repeat('x', 30000000)",
    "depth": "select (repeat('[', 900) || repeat(']', 900))::json",
}
TABLE = "create table notes (id serial primary key, body text)"


@pytest.fixture
def home_to_copy(migrated_home: Path) -> Path:
    return migrated_home


@pytest.fixture
def limited(settings: Settings) -> Settings:
    """Statements have a few seconds, and a process of the server 700 megabytes."""
    return replace(settings, embedding_model="hashing", statement_seconds=6.0, backend_memory_mb=700)


@pytest.fixture
async def memory(limited: Settings) -> AsyncIterator[AsyncMemory]:
    async with AsyncMemory(settings=limited) as opened:
        await opened.tables.create_table("notes", TABLE, description="N", embed_fields=[], space="ana")
        yield opened


def take_every_connection(settings: Settings, space: str) -> None:
    """Leave no connection to the logins of a space."""
    with psycopg.connect(door_of(find_place(settings)).conninfo("quipu"), autocommit=True) as conn:
        logins = conn.execute(
            "select unnest(array[t.writer, t.reader]) from tables.schemas t"
            " join core.spaces s on s.id = t.space_id where s.name = %s"
            " union select r.role from transcripts.readers r"
            " join core.spaces s on s.id = r.space_id where s.name = %s",
            [space, space],
        ).fetchall()
        for (login,) in logins:
            conn.execute(f'alter role "{login}" connection limit 0'.encode())


@pytest.mark.long(only=True)
def test_the_command_line_tells_the_way_out(limited: Settings) -> None:
    with Memory(settings=limited) as memory:
        memory.tables.create_table("notes", TABLE, description="N", embed_fields=[], space="ana")
        memory.transcripts.query("select 1", space="ana")
        line = CommandLine(
            limited.home,
            {
                "QUIPU_STATEMENT_SECONDS": "6",
                "QUIPU_EMBEDDING_MODEL": "hashing",
                "QUIPU_BACKEND_MEMORY_MB": "700",
                "QUIPU_SPACE": "ana",
            },
        )
        for kind in ("transcripts", "tables"):
            for what, statement in TOO_MUCH.items():
                done = line.run(kind, "query", statement)
                assert done.returncode == EXIT_CODE, (kind, what, done)
                said = done.stderr.strip().splitlines()
                assert said[0].startswith("quipu: "), (kind, what, done)
                assert len(said) > 1, (kind, what, done)
                assert "Traceback" not in done.stderr
        take_every_connection(limited, "ana")
        for kind in ("transcripts", "tables"):
            done = line.run(kind, "query", "select 1", "--json")
            told = json.loads(done.stderr)["error"]
            assert told["kind"] == "too-many-requests", told
            assert told["hint"]


@pytest.mark.long
async def test_the_tools_tell_the_way_out(memory: AsyncMemory, limited: Settings) -> None:
    async def opened() -> AsyncMemory:
        return memory

    async with Client(build(opened, lambda _: Caller(space="ana")), read_timeout_seconds=None) as client:
        for what in TOO_MUCH if LONG else ("memory", "length", "depth"):
            statement = TOO_MUCH[what]
            result = await client.call_tool("tables_query", {"sql": statement})
            assert result.is_error, what
            (content,) = result.content
            assert content.type == "text"
            told = content.text
            ways_out = ("Ask for", "Sort, join", "::text", "Nothing was changed")
            assert any(words in told for words in ways_out), told
            assert "Traceback" not in told
    await memory.tables.create_schema("memory", space="bo")
    take_every_connection(limited, "bo")
    async with Client(build(opened, lambda _: Caller(space="bo"))) as client:
        result = await client.call_tool("tables_query", {"sql": "select 1"})
        assert result.is_error
        assert "Every connection" in repr(result.content)
        assert "Try again" in repr(result.content)


async def test_the_pages_tell_the_way_out(memory: AsyncMemory) -> None:
    made = (
        "create table heavy (id serial primary key, body text,"
        " big text generated always as (repeat(body, 2000000000)))"
    )
    await memory.tables.create_table("heavy", made, description="H", embed_fields=[], space="ana")
    await memory.tables.insert("heavy", {"body": "x"}, space="ana")
    app = create_app(memory=memory)
    async with app.router.lifespan_context(app), Browser(app) as browser:
        browser.timeout = PATIENCE_SECONDS
        await browser.sign_in()
        answer = await browser.get("/tables/heavy", params={"space": "ana"})
        assert answer.status_code == 422, answer.text
        said = unescape(answer.text)
        assert "too large" in said
        assert "Ask for less" in said
