"""An embedded server whose processes were all stopped: opening, closing, commands and what takes long."""

from __future__ import annotations

import json
import os
import signal
import sys
from dataclasses import replace
from pathlib import Path

import anyio
import pytest
from cli_process import CommandLine
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from patience import PATIENCE_SECONDS
from psycopg import errors
from stopped_server import comes_back, happens, stopped

from quipu import AsyncMemory
from quipu.app.kinds import PACKAGES
from quipu.errors import DatabaseUnavailable
from quipu.interfaces.cli.memory import owned
from quipu.kernel.config import Settings
from quipu.kernel.db import connection
from quipu.kernel.db.bounds import bounded
from quipu.kernel.db.database import Database
from quipu.kernel.db.embedded import door, lifecycle, transfer
from quipu.kernel.db.embedded.lock import read_pid_file
from quipu.kernel.db.embedded.place import find_place, make_place
from quipu.kernel.db.embedded.postmaster import door_of
from quipu.kernel.db.embedded.server import status
from quipu.kernel.db.errors import Unanswered
from quipu.kinds.tables.exchange import exchange

pytestmark = pytest.mark.anyio


@pytest.fixture
def home_to_copy(migrated_home: Path) -> Path:
    return migrated_home


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return replace(settings, embedding_model="hashing", connect_seconds=5.0, answer_seconds=PATIENCE_SECONDS)


def pid_of(settings: Settings) -> int:
    """The first process of the server."""
    found = read_pid_file(find_place(settings).data)
    assert found is not None
    return found.pid


def command_line(settings: Settings, **waits: str) -> CommandLine:
    """The command line over the home of the settings."""
    return CommandLine(settings.home, {"QUIPU_EMBEDDING_MODEL": "hashing", **waits})


async def test_a_memory_closes_while_the_server_is_stopped_and_opens_when_it_goes_on(
    settings: Settings,
) -> None:
    with anyio.fail_after(PATIENCE_SECONDS):
        async with AsyncMemory(settings=settings) as memory:
            await memory.observe([{"content": "Ana lives in Faro."}], space="ana")
            halt = stopped(pid_of(settings))
            halt.__enter__()
        try:
            with pytest.raises(DatabaseUnavailable):
                await AsyncMemory(settings=settings).__aenter__()
        finally:
            halt.__exit__(None, None, None)

    async def again() -> int:
        async with AsyncMemory(settings=settings) as memory:
            return len(await memory.recall("Where does Ana live?", space="ana"))

    assert await comes_back(again) == 1


async def test_a_server_that_stops_while_it_is_joined_is_told(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door, "_CONNECT_SECONDS", 2)

    def stop_before(opened: door.Door, database: str) -> None:
        with stopped(pid_of(settings)):
            update(opened, database)

    update = transfer.update
    monkeypatch.setattr(transfer, "update", stop_before)
    with pytest.raises(DatabaseUnavailable, match="does not answer"):
        await anyio.to_thread.run_sync(lifecycle.join, make_place(settings), settings)
    monkeypatch.undo()
    async with AsyncMemory(settings=settings) as memory:
        await memory.observe([{"content": "Ana lives in Faro."}], space="ana")


async def test_commands_end_with_the_code_of_a_database_that_does_not_answer(settings: Settings) -> None:
    hasty = command_line(settings, QUIPU_ANSWER_SECONDS="1", QUIPU_CONNECT_SECONDS="2")
    commands = [["recall", "Faro"], ["worker", "--burst"]]
    async with AsyncMemory(settings=settings):
        with stopped(pid_of(settings)):
            at_once = [hasty.start(*command) for command in commands]  # they queue for the turn to join
            doctor = await anyio.to_thread.run_sync(lambda: hasty.process("doctor"))
            assert "none of them answers" in doctor.stdout
            for process in at_once:
                out, err = process.communicate("", timeout=PATIENCE_SECONDS)
                assert (process.returncode, out) == (5, ""), err
                assert "does not answer" in err
                assert "Traceback" not in err
        done = await anyio.to_thread.run_sync(command_line(settings).run, *commands[0])
        assert done.returncode == 0, done.stderr


async def test_a_command_that_is_cut_off_in_its_middle_ends(settings: Settings) -> None:
    """It holds the last share in the server, which it would stop at its end."""
    process = command_line(settings, QUIPU_ANSWER_SECONDS="2").start("import", "jsonl", "-", "--space", "ana")
    assert process.stdin is not None
    process.stdin.write(json.dumps({"content": "Ana lives in Faro."}) + "\n")
    process.stdin.flush()
    await happens(lambda: anyio.to_thread.run_sync(lambda: _is_used(settings)))
    with stopped(pid_of(settings)):
        _, err = process.communicate("", timeout=PATIENCE_SECONDS)
        assert process.returncode == 5, err
    done = await anyio.to_thread.run_sync(command_line(settings).run, "recall", "Faro")
    assert done.returncode == 0, done.stderr


def _is_used(settings: Settings) -> bool:
    found = status(settings)
    return found.state == "running" and found.clients > 0


async def test_a_process_that_answers_a_model_ends_its_calls_too(settings: Settings) -> None:
    hasty = command_line(settings, QUIPU_ANSWER_SECONDS="1", QUIPU_CONNECT_SECONDS="2")
    arguments = ["-m", "quipu", "mcp", "--space", "ana"]
    command = StdioServerParameters(command=sys.executable, args=arguments, env=hasty.environment())
    async with Client(stdio_client(command)) as client:

        async def answers() -> bool:
            return not (await client.call_tool("recall", {"question": "Where?"})).is_error

        await happens(answers)
        with stopped(pid_of(settings)), anyio.fail_after(PATIENCE_SECONDS):
            assert not await answers()
        await happens(answers)


async def test_what_is_long_is_waited_for_while_the_server_lives(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A statement of upkeep may be silent for longer than an answer may; a stopped server ends it."""
    async with AsyncMemory(settings=settings), owned(settings) as conn:
        conn.answer_seconds = 0.2
        conn.endures = True
        monkeypatch.setattr(connection, "_PING_SECONDS", int(PATIENCE_SECONDS))
        await conn.execute("select pg_sleep(1.5)")
        monkeypatch.setattr(connection, "_PING_SECONDS", 2)
        stop, limit = stopped(pid_of(settings)), anyio.fail_after(PATIENCE_SECONDS)
        with stop, limit, pytest.raises(Unanswered):
            await conn.execute("select 1")
        assert conn.closed


async def test_a_statement_of_an_agent_ends_where_the_server_stops_in_the_middle_of_it(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("quipu.kernel.db.bounds._GRACE_SECONDS", 0.5)
    async with AsyncMemory(settings=settings), owned(settings) as conn:
        url = door_of(find_place(settings)).conninfo("quipu")
        async with Database.open(url, settings, packages=PACKAGES) as database:
            conn.answer_seconds = 1.0
            stop, limit = stopped(pid_of(settings)), anyio.fail_after(PATIENCE_SECONDS)
            with stop, limit, pytest.raises(Unanswered):
                await bounded(database, conn, 0.5, lambda: exchange(conn, "select 1", most=1))
            assert conn.closed


async def test_a_statement_that_cannot_be_ended_is_left_behind(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its backend is deaf, as one that writes a huge array; the server itself answers."""
    monkeypatch.setattr("quipu.kernel.db.bounds._GRACE_SECONDS", 0.5)
    async with AsyncMemory(settings=settings), owned(settings) as conn:
        url = door_of(find_place(settings)).conninfo("quipu")
        async with Database.open(url, settings, packages=PACKAGES) as database:
            os.kill(conn.info.backend_pid, signal.SIGSTOP)
            backend = conn.info.backend_pid
            try:
                with anyio.fail_after(PATIENCE_SECONDS / 2), pytest.raises(errors.QueryCanceled):
                    await bounded(database, conn, 0.2, lambda: exchange(conn, "select 1", most=1))
                assert conn.closed
            finally:
                os.kill(backend, signal.SIGCONT)
