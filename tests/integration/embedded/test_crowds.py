"""A crowd of statements of one key: it is told to come again, and another key does not notice."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import httpx
import psycopg
import pytest
from patience import PATIENCE_SECONDS

from quipu import AsyncMemory
from quipu.errors import DatabaseUnavailable, LimitReached, QuipuError, TooManyRequests
from quipu.interfaces.server import create_app
from quipu.interfaces.serving.limits import Limits
from quipu.kernel.config import Settings
from quipu.kernel.db.embedded.place import find_place
from quipu.kernel.db.embedded.postmaster import door_of
from quipu.kernel.db.turns import Turns, set_caller

pytestmark = pytest.mark.anyio

SLEEP = "select pg_sleep(3000)"
FOR_LONG = 3000.0  # longer than a test waits for anything


@pytest.fixture
def home_to_copy(migrated_home: Path) -> Path:
    return migrated_home


@pytest.fixture
async def memory(settings: Settings) -> AsyncIterator[AsyncMemory]:
    own = replace(settings, embedding_model="hashing", statement_seconds=FOR_LONG)
    async with AsyncMemory(settings=own) as opened:
        await opened.observe([{"content": "Bo lives in Faro."}], space="bo")
        for space in ("ana", "bo"):
            await opened.tables.create_table(
                "notes",
                "create table notes (id serial primary key, text text)",
                description="What was noted.",
                embed_fields=[],
                space=space,
            )
        yield opened


class Server:
    """What runs in the server, seen from outside."""

    def __init__(self, settings: Settings) -> None:
        self._dsn = door_of(find_place(settings)).conninfo("quipu")

    def sleepers(self) -> list[int]:
        """The backends that sleep."""
        with psycopg.connect(self._dsn, autocommit=True) as conn:
            rows = conn.execute("select pid from pg_stat_activity where wait_event = 'PgSleep'")
            return [pid for (pid,) in rows]

    def sleeping(self) -> int:
        """How many backends sleep."""
        return len(self.sleepers())

    def wake(self) -> None:
        """End those that sleep."""
        with psycopg.connect(self._dsn, autocommit=True) as conn:
            conn.execute(
                "select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'PgSleep'"
            )


class Crowd:
    """Calls that run beside a test, and what came of them."""

    def __init__(self) -> None:
        self.answers: list[tuple[int, str | None, str]] = []

    async def ask(
        self, client: httpx.AsyncClient, path: str, body: dict[str, Any], space: str | None = None
    ) -> None:
        """Ask once; a space that the path does not name goes into the header of tools."""
        answer = await client.post(path, json=body, headers=None if space is None else {"quipu-space": space})
        self.answers.append((answer.status_code, answer.headers.get("retry-after"), answer.text))


async def until(happens: Any) -> None:
    """Wait for it."""
    with anyio.fail_after(PATIENCE_SECONDS):
        while not happens():  # noqa: ASYNC110
            await anyio.sleep(0.05)


def tool_call(sql: str) -> dict[str, Any]:
    """A call of the tool that queries tables."""
    arguments = {"name": "tables_query", "arguments": {"sql": sql}}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": arguments}


async def test_130_sleeping_statements_of_one_key_are_told_to_come_again_and_another_key_goes_on(
    memory: AsyncMemory, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("quipu.kernel.db.turns._WAIT_SECONDS", 2.0)
    app = create_app(memory=memory, terms=Limits(request_seconds=FOR_LONG))
    server, crowd = Server(settings), Crowd()
    # A key for all spaces: one space's share of the turns does not hold it.
    token = (await memory.keys.create("crowd", level="admin", requests_per_minute=1_000_000)).token
    calm = (await memory.keys.create("bo", space="bo", level="admin")).token
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(app.router.lifespan_context(app))

        async def client(key: str) -> httpx.AsyncClient:
            headers = {"authorization": f"Bearer {key}", "accept": "application/json, text/event-stream"}
            transport = httpx.ASGITransport(app=app)
            return await stack.enter_async_context(
                httpx.AsyncClient(
                    transport=transport, base_url="http://localhost", headers=headers, timeout=None
                )
            )

        many, other = await client(token), await client(calm)
        async with anyio.create_task_group() as tasks:
            for space in ("ana", "bo"):
                path = f"/v1/tables/query?space={space}"
                tasks.start_soon(crowd.ask, many, path, {"sql": SLEEP})
            await until(lambda: server.sleeping() == 2)
            for number in range(128):
                space = ("ana", "bo")[number % 2]
                if number % 4 == 3:
                    tasks.start_soon(crowd.ask, many, "/mcp", tool_call(SLEEP), space)
                else:
                    path = f"/v1/{('tables', 'transcripts')[number % 4 // 2]}/query?space={space}"
                    tasks.start_soon(crowd.ask, many, path, {"sql": SLEEP})
            with anyio.fail_after(PATIENCE_SECONDS):
                recalled = await other.post("/v1/recall", json={"question": "Where does Bo live?"})
                assert recalled.status_code == 200
                assert "Faro" in recalled.text
                for path in ("/v1/tables/query", "/v1/transcripts/query"):
                    assert (await other.post(path, json={"sql": "select 1"})).status_code == 200
            await until(lambda: len(crowd.answers) == 128)
            assert server.sleeping() == 2
            for status, retry_after, text in crowd.answers:
                if status == 200:  # a tool's error is an answer of the protocol
                    assert '"isError":true' in text.replace(" ", ""), text
                    assert "Too many statements" in text
                else:
                    assert (status, retry_after is not None) == (429, True), text
            server.wake()
    assert len(crowd.answers) == 130
    assert {status for status, _, _ in crowd.answers[128:]} <= {422, 503}


async def test_several_processes_share_the_connections_of_a_login(
    memory: AsyncMemory, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each memory here has a pool and turns of its own, as a process has."""
    monkeypatch.setattr("quipu.kernel.db.turns._WAIT_SECONDS", 2.0)
    server = Server(settings)
    own = replace(settings, embedding_model="hashing", statement_seconds=FOR_LONG, sql_at_once=40)
    refused: list[str] = []

    async def sleep(one: AsyncMemory, kind: str) -> None:
        try:
            await getattr(one, kind).query(SLEEP, space="ana")
        except (TooManyRequests, DatabaseUnavailable, LimitReached) as error:
            refused.append(type(error).__name__)

    async with AsyncMemory(settings=own) as first, AsyncMemory(settings=own) as second:
        for kind, most in (("tables", 6), ("transcripts", 4)):
            refused.clear()
            async with anyio.create_task_group() as tasks:
                for one in (first, second):
                    for _ in range(20):
                        tasks.start_soon(sleep, one, kind)
                await until(lambda: len(refused) + server.sleeping() == 40)
                assert 0 < server.sleeping() <= most
                assert set(refused) == {"TooManyRequests"}
                (hit,) = await memory.recall("Where does Bo live?", space="bo")
                assert hit.text == "Bo lives in Faro."
                server.wake()


async def test_a_caller_has_half_of_the_turns_over_all_spaces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quipu.kernel.db.turns._WAIT_SECONDS", 0.2)
    turns = Turns(2)
    set_caller("one")
    async with turns.take("ana"):
        with pytest.raises(TooManyRequests):
            async with turns.take("bo"):
                pytest.fail("a caller has half of the turns")
        set_caller("two")
        async with turns.take("bo"):
            pass


async def test_a_backend_that_runs_sql_of_agents_computes_with_what_is_left(
    memory: AsyncMemory, settings: Settings
) -> None:
    async with anyio.create_task_group() as tasks:
        for kind in (memory.tables, memory.transcripts):
            tasks.start_soon(lambda kind=kind: swallow(kind.query(SLEEP, space="ana")))
        server = Server(settings)
        await until(lambda: server.sleeping() == 2)
        for pid in server.sleepers():
            assert os.getpriority(os.PRIO_PROCESS, pid) > 10
        server.wake()


async def swallow(call: Any) -> None:
    """Wait for a call that is ended from outside."""
    with pytest.raises(QuipuError):
        await call
