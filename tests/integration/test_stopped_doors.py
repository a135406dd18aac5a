"""Every door of a server whose processes were all stopped: it says so in time, and works again by itself."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import httpx
import psycopg
import pytest
import read_standby
from cli_process import CommandLine
from mcp.client import Client
from notes_table import make_notes
from page_client import Browser
from patience import PATIENCE_SECONDS
from psycopg import sql
from stopped_server import comes_back, happens, refused, stopped

from quipu import AsyncMemory, Memory
from quipu.interfaces.mcp import server as model_server
from quipu.interfaces.mcp.model import Caller
from quipu.interfaces.server import create_app
from quipu.interfaces.serving.limits import Limits
from quipu.kernel.config import Settings
from quipu.kernel.db.embedded import EmbeddedServer

pytestmark = pytest.mark.anyio

MCP = {"accept": "application/json, text/event-stream", "content-type": "application/json"}


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def settings(server_settings: Settings, module_url: str) -> Settings:
    """Settings that lead to the database of the module."""
    return replace(server_settings, database_url=module_url, connect_seconds=5.0)


@pytest.fixture(scope="module")
async def memory(settings: Settings) -> AsyncIterator[AsyncMemory]:
    """A memory with something in every kind."""
    async with AsyncMemory(settings=settings) as opened:
        await opened.observe([{"content": "Ana lives in Faro.", "session": "s"}], space="ana")
        await make_notes(opened)
        yield opened


def calls(m: AsyncMemory, space: str = "ana") -> dict[str, Callable[[], Any]]:
    """A call of every kind of memory, and of what looks after it."""
    return {
        "observe": lambda: m.observe([{"content": "Ana moved to Lisbon."}], space=space),
        "recall": lambda: m.recall("Where does Ana live?", space=space),
        "block": lambda: m.recall_block("Where does Ana live?", space=space, budget_tokens=200),
        "import": lambda: m.import_messages([{"content": "Bo moved to Porto."}], space=space),
        "forget": lambda: m.forget(space=space, user="nobody", confirm=True),
        "spaces": m.spaces,
        "health": m.health,
        "keys": m.keys.list,
        "settings": lambda: m.settings.set("preference_days", 30, space=space),
        "table": lambda: m.tables.query("select count(*) from notes", space=space),
        "insert": lambda: m.tables.insert("notes", [{"text": "one"}], space=space),
        "transcripts": lambda: m.transcripts.query("select count(*) from sessions", space=space),
        "conversations": lambda: m.conversations.list(space=space),
        "ledger": lambda: m.ledger.open_session(space=space, session="l"),
        "snapshot": lambda: m.snapshots.create(space=space),
        "work": m.work,
        "ready": m.ready,
    }


@pytest.mark.skipif(read_standby.WANTED, reason="each read asks the server how far it is, without end")
async def test_every_call_of_python_ends_and_all_of_them_work_again(
    memory: AsyncMemory, server: EmbeddedServer
) -> None:
    asked = calls(memory)
    first = await refused_at_once(asked, server.pid)
    assert first.keys() == asked.keys()
    for call in asked.values():
        await comes_back(call)


async def refused_at_once(asked: dict[str, Callable[[], Any]], pid: int) -> dict[str, str]:
    """What each call ends with. The first notices that nobody answers, then all are asked at once."""
    told: dict[str, str] = {}

    async def ask(name: str) -> None:
        told[name] = str(await refused(asked[name]))

    with stopped(pid):
        await ask("observe")
        async with anyio.create_task_group() as tasks:
            for name in asked.keys() - told.keys():
                tasks.start_soon(ask, name)
    return told


async def test_the_blocking_memory_ends_too(settings: Settings, server: EmbeddedServer) -> None:
    with Memory(settings=settings) as memory:
        memory.observe([{"content": "Ana lives in Faro."}], space="blocking")

        async def recall() -> str:
            return memory.recall("Where does Ana live?", space="blocking")[0].text

        with stopped(server.pid):
            await refused(recall)
        assert await comes_back(recall) == "Ana lives in Faro."


async def test_routes_tools_and_pages_say_that_nobody_answers_and_work_again(
    memory: AsyncMemory, server: EmbeddedServer
) -> None:
    key = (await memory.keys.create("ana", space="ana", level="admin")).token
    app = create_app(memory=memory, terms=Limits(ready_seconds=0.5))
    asking = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    tool = {**asking, "params": {"name": "recall", "arguments": {"question": "Where does Ana live?"}}}
    asks = [
        ("GET", "/ready", None),
        ("POST", "/v1/recall", {"question": "Where does Ana live?"}),
        ("POST", "/v1/observe", {"messages": [{"content": "Bo lives in Porto."}]}),
        ("GET", "/v1/sessions", None),
        ("POST", "/v1/transcripts/query", {"sql": "select 1"}),
    ]
    async with app.router.lifespan_context(app), Browser(app) as browser:
        await browser.sign_in()
        transport = httpx.ASGITransport(app=app)
        headers = {"authorization": f"Bearer {key}"}
        client = httpx.AsyncClient(
            transport=transport, base_url="http://localhost", headers=headers, timeout=PATIENCE_SECONDS
        )

        async def tool_fails() -> bool:
            answer = await client.post("/mcp", json=tool, headers=MCP)
            return answer.status_code == 503 or answer.json()["result"]["isError"]

        async def all_answer() -> bool:
            codes = [(await client.request(*ask[:2], json=ask[2])).status_code for ask in asks]
            page = await browser.get("/spaces")
            return {*codes, page.status_code} <= {200, 201} and not await tool_fails()

        async with client:
            await happens(all_answer)
            with stopped(server.pid), anyio.fail_after(PATIENCE_SECONDS):
                await anyio.sleep(1.1)  # what /ready found last is believed for a second
                for method, path, body in asks:
                    answer = await client.request(method, path, json=body)
                    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5"), path
                page = await browser.get("/spaces")
                assert (page.status_code, "does not answer" in page.text) == (503, True), page.text
                assert await tool_fails()
            await happens(all_answer)


async def test_tools_of_a_model_end_too(memory: AsyncMemory, server: EmbeddedServer) -> None:
    async def opened() -> AsyncMemory:
        return memory

    async with Client(model_server.build(opened, lambda _: Caller(space="ana"))) as client:

        async def answers() -> bool:
            return not (await client.call_tool("recall", {"question": "Where?"})).is_error

        await happens(answers)
        with stopped(server.pid), anyio.fail_after(PATIENCE_SECONDS):
            assert not await answers()
        await happens(answers)


async def test_commands_of_every_kind_end_with_the_code_of_a_database_that_does_not_answer(
    settings: Settings, memory: AsyncMemory, server: EmbeddedServer, home: Path, tmp_path: Path
) -> None:
    quipu = CommandLine(
        home, {"QUIPU_DATABASE_URL": settings.database_url or "", "QUIPU_EMBEDDING_MODEL": "hashing"}
    )
    hasty = replace(
        quipu,
        settings={**quipu.settings, "QUIPU_ANSWER_SECONDS": "1", "QUIPU_CONNECT_SECONDS": "1"},
    )
    said = {"role": "user", "content": "The mast is green."}
    line = {"type": "user", "uuid": "u", "sessionId": "t", "cwd": "/src/boat", "message": said}
    (tmp_path / "t.jsonl").write_text(json.dumps({**line, "timestamp": "2026-05-04T10:00:00.000Z"}) + "\n")
    commands = [["snapshots", "create", "--space", "ana"], ["transcripts", "sync", str(tmp_path)]]
    with stopped(server.pid):
        at_once = [hasty.start(*command) for command in commands]
        for process in at_once:
            out, err = process.communicate("", timeout=PATIENCE_SECONDS)
            assert (process.returncode, out) == (5, ""), err
            assert "does not answer" in err
            assert "Traceback" not in err
    for command in commands:
        done = await anyio.to_thread.run_sync(quipu.run, *command)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("table", ["core.recall_entries", "core.spaces", "episodes.stored_episodes"])
async def test_a_lock_that_blocks_recall_shows_in_ready(
    memory: AsyncMemory, settings: Settings, table: str
) -> None:
    app = create_app(memory=memory, terms=Limits(ready_seconds=0.3))
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        with psycopg.connect(settings.database_url or "") as conn:
            conn.execute(sql.SQL("lock table {} in access exclusive mode").format(sql.SQL(table)))
            assert (await client.get("/ready")).status_code == 503

        async def is_ready() -> bool:
            return (await client.get("/ready")).status_code == 200

        await happens(is_ready)


async def test_who_gives_up_a_call_is_not_held_up(memory: AsyncMemory, server: EmbeddedServer) -> None:
    """A call that is cancelled asks the server to end it, and does not wait for one that is stopped."""
    with stopped(server.pid), pytest.MonkeyPatch.context() as patch:
        patch.setattr("quipu.kernel.db.connection.answer_seconds", lambda _: PATIENCE_SECONDS)
        patch.setattr("quipu.kernel.db.connection.HEAR_SECONDS", PATIENCE_SECONDS)
        with anyio.fail_after(PATIENCE_SECONDS / 2), anyio.move_on_after(0.2) as limit:
            await memory.recall("Where?", space="ana")
        assert limit.cancelled_caught
    await comes_back(calls(memory)["recall"])
