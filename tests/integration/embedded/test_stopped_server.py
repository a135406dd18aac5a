"""A server whose processes were all stopped: every door says so in time, and works again once they go on."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import anyio
import httpx
import psycopg
import pytest
from cli_process import CommandLine
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from psycopg import sql

from quipu import AsyncMemory, Memory
from quipu.app.kinds import PACKAGES
from quipu.errors import DatabaseUnavailable, QuipuError
from quipu.interfaces.cli.opening import owned
from quipu.interfaces.mcp import server
from quipu.interfaces.mcp.model import Caller
from quipu.interfaces.server import create_app
from quipu.interfaces.serving.terms import Terms
from quipu.kernel.config import Settings
from quipu.kernel.db import deadline
from quipu.kernel.db.database import Database
from quipu.kernel.db.embedded import lifecycle
from quipu.kernel.db.embedded.locate import find_place
from quipu.kernel.db.embedded.pidfile import read_pid_file
from quipu.kernel.db.embedded.postmaster import door_of
from quipu.kernel.db.embedded.status import status
from quipu.kinds.tables.exchange import exchange
from quipu.kinds.tables.running import bounded
from quipu.recall.model import Hit

pytestmark = pytest.mark.anyio

_FOR_EVER = 300  # seconds after which a call counts as one that hangs


_HALTED: set[int] = set()
"""The servers that are stopped. Nobody is impatient before: a slow machine is silent as well."""


@pytest.fixture
def impatient(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Settings with which this process waits for a second where the server is stopped, else for ever."""
    for module in (deadline, lifecycle):
        monkeypatch.setattr(module, "answer_seconds", lambda _: 1.0 if _HALTED else _FOR_EVER)
    return replace(
        settings, embedding_model="hashing", statement_seconds=float(_FOR_EVER), connect_seconds=5.0
    )


@pytest.fixture
def quipu(impatient: Settings) -> CommandLine:
    """The command line, with all the time that it may need."""
    waits = {"QUIPU_CONNECT_SECONDS": "60", "QUIPU_STATEMENT_SECONDS": "300"}
    return CommandLine(impatient.home, {"QUIPU_EMBEDDING_MODEL": "hashing", **waits})


@pytest.fixture
def hasty(impatient: Settings) -> CommandLine:
    """The command line for a server that is stopped."""
    waits = {"QUIPU_ANSWER_SECONDS": "1", "QUIPU_CONNECT_SECONDS": "2"}
    return CommandLine(impatient.home, {"QUIPU_EMBEDDING_MODEL": "hashing", **waits})


def family(pid: int) -> list[int]:
    """A process and all that descend from it."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(one for child in children for one in family(int(child)))]


@contextmanager
def stopped(settings: Settings) -> Iterator[None]:
    """Every process of the server is stopped for the block."""
    found = read_pid_file(find_place(settings).data)
    assert found is not None
    halted: list[int] = []
    try:
        os.kill(found.pid, signal.SIGSTOP)  # first the one that would make more
        for pid in family(found.pid):
            os.kill(pid, signal.SIGSTOP)
            halted.append(pid)
        _HALTED.add(found.pid)
        yield
    finally:
        _HALTED.discard(found.pid)
        for pid in [*halted[1:], found.pid]:
            os.kill(pid, signal.SIGCONT)


async def refused(call: Callable[[], Any]) -> QuipuError:
    """The error with which a call ends, which it does."""
    with anyio.fail_after(_FOR_EVER), pytest.raises(DatabaseUnavailable) as caught:
        await call()
    return caught.value


async def comes_back(call: Callable[[], Any]) -> Any:
    """What a call returns, once the server has noticed that it goes on."""
    with anyio.fail_after(_FOR_EVER):
        while True:
            try:
                return await call()
            except DatabaseUnavailable:
                await anyio.sleep(0.05)


async def until(happens: Callable[[], Awaitable[bool]]) -> None:
    """Wait for it."""
    with anyio.fail_after(_FOR_EVER):
        while not await happens():  # noqa: ASYNC110
            await anyio.sleep(0.05)


@dataclass
class Asked:
    """A memory with something in every kind, and calls of it."""

    memory: AsyncMemory

    def calls(self) -> dict[str, Callable[[], Any]]:
        m, space = self.memory, "ana"
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
            "conversations": lambda: m.conversations.listing(space=space),
            "ledger": lambda: m.ledger.open_session(space=space, session="l"),
            "snapshot": lambda: m.snapshots.create(space=space),
            "work": m.work,
            "ready": m.ready,
        }


@pytest.fixture
async def asked(impatient: Settings) -> AsyncIterator[Asked]:
    async with AsyncMemory(settings=impatient) as memory:
        await memory.observe([{"content": "Ana lives in Faro.", "session": "s"}], space="ana")
        await memory.tables.create_table(
            "notes",
            "create table notes (id serial primary key, text text)",
            description="What was noted.",
            embed_fields=[],
            space="ana",
        )
        yield Asked(memory)


async def test_every_call_of_python_ends_and_all_of_them_work_again(
    asked: Asked, impatient: Settings
) -> None:
    calls = asked.calls()
    with stopped(impatient):
        for call in calls.values():
            await refused(call)
    for call in calls.values():
        await comes_back(call)


async def test_the_blocking_memory_ends_too(impatient: Settings) -> None:
    with Memory(settings=impatient) as memory:
        memory.observe([{"content": "Ana lives in Faro."}], space="ana")
        with stopped(impatient), pytest.raises(DatabaseUnavailable):
            memory.recall("Where does Ana live?", space="ana")

        async def again() -> list[Hit]:
            return memory.recall("Where does Ana live?", space="ana")

        assert (await comes_back(again))[0].text == "Ana lives in Faro."


async def test_a_memory_closes_while_the_server_is_stopped_and_opens_when_it_goes_on(
    impatient: Settings,
) -> None:
    with anyio.fail_after(_FOR_EVER):
        async with AsyncMemory(settings=impatient) as memory:
            await memory.observe([{"content": "Ana lives in Faro."}], space="ana")
            halt = stopped(impatient)
            halt.__enter__()
        try:
            with pytest.raises(DatabaseUnavailable):
                await AsyncMemory(settings=impatient).__aenter__()
        finally:
            halt.__exit__(None, None, None)

    async def again() -> int:
        async with AsyncMemory(settings=impatient) as memory:
            return len(await memory.recall("Where does Ana live?", space="ana"))

    assert await comes_back(again) == 1


async def test_commands_end_with_the_code_of_a_database_that_does_not_answer(
    asked: Asked, quipu: CommandLine, hasty: CommandLine, impatient: Settings
) -> None:
    commands = [["recall", "Faro"], ["observe", "Bo lives in Porto."], ["spaces"], ["worker", "--burst"]]
    with stopped(impatient):
        at_once = [hasty.start(*command) for command in commands]  # they queue for the turn to join
        for process in at_once:
            out, err = process.communicate("", timeout=_FOR_EVER)
            assert (process.returncode, out) == (5, ""), err
            assert "does not answer" in err
            assert "Traceback" not in err
        doctor = await anyio.to_thread.run_sync(lambda: hasty.process("doctor"))
        assert "none of them answers" in doctor.stdout
    for command in commands:
        done = quipu.process(*command)
        assert done.returncode == 0, done.stderr


async def test_a_command_that_is_cut_off_in_its_middle_ends(quipu: CommandLine, impatient: Settings) -> None:
    """It holds the last share in the server, which it would stop at its end."""
    half = CommandLine(impatient.home, {"QUIPU_EMBEDDING_MODEL": "hashing", "QUIPU_ANSWER_SECONDS": "20"})
    process = half.start("import", "jsonl", "-", "--space", "ana")
    assert process.stdin is not None
    process.stdin.write(json.dumps({"content": "Ana lives in Faro."}) + "\n")
    process.stdin.flush()
    await until(lambda: anyio.to_thread.run_sync(lambda: _is_used(impatient)))
    with stopped(impatient):
        _, err = process.communicate("", timeout=_FOR_EVER)
        assert process.returncode == 5, err
    assert quipu.process("recall", "Faro").returncode == 0


def _is_used(settings: Settings) -> bool:
    found = status(settings)
    return found.state == "running" and found.clients > 0


async def test_every_door_of_a_server_answers_503_and_works_again(asked: Asked, impatient: Settings) -> None:
    key = (await asked.memory.keys.create("ana", space="ana", level="admin")).token
    app = create_app(memory=asked.memory, terms=Terms(ready_seconds=0.5))
    async with AsyncExitStack() as stack:
        transport = httpx.ASGITransport(app=app)
        headers = {"authorization": f"Bearer {key}"}
        client = await stack.enter_async_context(
            httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=headers, timeout=None)
        )
        asks = [
            ("GET", "/ready", None),
            ("POST", "/v1/recall", {"question": "Where does Ana live?"}),
            ("POST", "/v1/observe", {"messages": [{"content": "Bo lives in Porto."}]}),
            ("GET", "/v1/sessions", None),
            ("POST", "/v1/transcripts/query", {"sql": "select 1"}),
        ]

        async def all_answer() -> None:
            for method, path, body in asks:

                async def answers(method: str = method, path: str = path, body: Any = body) -> bool:
                    return (await client.request(method, path, json=body)).status_code in (200, 201)

                await until(answers)

        await all_answer()
        with stopped(impatient), anyio.fail_after(_FOR_EVER):
            await anyio.sleep(1.1)  # what /ready found last is believed for a second
            for method, path, body in asks:
                answer = await client.request(method, path, json=body)
                assert (answer.status_code, answer.headers["retry-after"]) == (503, "5"), path
        await all_answer()


@pytest.mark.parametrize("table", ["core.recall_entries", "core.spaces", "episodes.stored_episodes"])
async def test_a_lock_that_blocks_recall_shows_in_ready(
    asked: Asked, impatient: Settings, table: str
) -> None:
    app = create_app(memory=asked.memory, terms=Terms(ready_seconds=0.3))
    share = find_place(impatient)
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        with psycopg.connect(door_of(share).conninfo("quipu")) as conn:
            conn.execute(sql.SQL("lock table {} in access exclusive mode").format(sql.SQL(table)))
            assert (await client.get("/ready")).status_code == 503

        async def is_ready() -> bool:
            return (await client.get("/ready")).status_code == 200

        await until(is_ready)


async def test_tools_of_a_model_end_too(asked: Asked, impatient: Settings) -> None:
    async def opened() -> AsyncMemory:
        return asked.memory

    async with Client(server.build(opened, lambda _: Caller(space="ana"))) as client:
        with stopped(impatient), anyio.fail_after(_FOR_EVER):
            answer = await client.call_tool("recall", {"question": "Where does Ana live?"})
            assert answer.is_error

        async def answers() -> bool:
            return not (await client.call_tool("recall", {"question": "Where?"})).is_error

        await until(answers)


async def test_a_process_that_answers_a_model_ends_its_calls_too(
    asked: Asked, hasty: CommandLine, impatient: Settings
) -> None:
    arguments = ["-m", "quipu", "mcp", "--space", "ana"]
    command = StdioServerParameters(command=sys.executable, args=arguments, env=hasty.environment())
    async with Client(stdio_client(command)) as client:

        async def answers() -> bool:
            return not (await client.call_tool("recall", {"question": "Where?"})).is_error

        await until(answers)
        with stopped(impatient), anyio.fail_after(_FOR_EVER):
            assert not await answers()
        await until(answers)


async def test_what_is_long_is_waited_for_while_the_server_lives(
    impatient: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A statement of upkeep may be silent for longer than an answer may; a stopped server ends it."""
    monkeypatch.setattr(deadline, "_PING_SECONDS", 20)
    async with AsyncMemory(settings=impatient), owned(impatient) as conn:
        conn.answer_seconds = 0.2
        conn.endures = True
        await conn.execute("select pg_sleep(1.5)")
        with stopped(impatient), anyio.fail_after(_FOR_EVER), pytest.raises(deadline.Unanswered):
            await conn.execute("select 1")
        assert conn.closed


async def test_a_result_that_keeps_coming_is_not_cut_off(impatient: Settings) -> None:
    async with AsyncMemory(settings=impatient), owned(impatient) as conn:
        conn.answer_seconds = 10.0
        slow = "select repeat('x', 100000), pg_sleep(0.2) from generate_series(1, 60)"
        assert len(await (await conn.execute(slow)).fetchall()) == 60


async def test_a_statement_of_an_agent_ends_where_the_server_stops_in_the_middle_of_it(
    impatient: Settings,
) -> None:
    async with AsyncMemory(settings=impatient), owned(impatient) as conn:
        url = door_of(find_place(impatient)).conninfo("quipu")
        async with Database.open(url, impatient, packages=PACKAGES) as database:
            conn.answer_seconds = 1.0
            with stopped(impatient), anyio.fail_after(_FOR_EVER), pytest.raises(deadline.Unanswered):
                await bounded(database, conn, 0.5, lambda: exchange(conn, "select 1", most=1))
            assert conn.closed


async def test_who_gives_up_a_call_is_not_held_up(
    impatient: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A call that is cancelled asks the server to end it, and does not wait for one that is stopped."""
    monkeypatch.setattr(deadline, "answer_seconds", lambda _: 300.0)
    async with AsyncMemory(settings=impatient) as memory:
        await memory.observe([{"content": "Ana lives in Faro."}], space="ana")
        with stopped(impatient):
            with anyio.move_on_after(0.2) as limit, anyio.fail_after(_FOR_EVER):
                await memory.recall("Where?", space="ana")
            assert limit.cancelled_caught
