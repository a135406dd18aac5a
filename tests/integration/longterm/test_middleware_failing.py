"""Memory that is down, hangs or is handed nonsense: the answer comes as it would have, and it can be seen."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event
from typing import Any

import psycopg
import pytest
from cli_process import SOURCE, CommandLine
from patience import PATIENCE_SECONDS, until
from psycopg import sql
from stopped_server import stopped

from quipu import Memory
from quipu.errors import BadInput, ConfigError
from quipu.interfaces.middleware.engine import Late, RecallThreads
from quipu.interfaces.middleware.journal import troubles
from quipu.kernel.config import Settings
from quipu.kernel.db.embedded import EmbeddedServer
from quipu.kinds.longterm.sati import Recovered
from quipu.middleware import Middleware

pytestmark = pytest.mark.anyio
DAY = timedelta(days=1)


@contextmanager
def hanging() -> Iterator[str]:
    """The address of a server that takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"postgresql://x@127.0.0.1:{server.getsockname()[1]}/x"


@pytest.fixture
def closed() -> str:
    """The address of a server that is not there."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return f"postgresql://x@127.0.0.1:{server.getsockname()[1]}/x"


def parts(home: Path) -> set[str]:
    return {one.part for one in troubles(home, since=datetime.now(UTC) - DAY)}


def test_an_answer_does_not_need_a_server(server_settings: Settings, tmp_path: Path, closed: str) -> None:
    settings = replace(server_settings, home=tmp_path, database_url=closed, connect_seconds=0.2)
    around = Middleware(space="home", user="ana", settings=settings)
    with around:
        assert around(lambda message: message.upper())("hello") == "HELLO"
        around.flush(0.1)
        around.close(0.1)
    counted = around.metrics()
    assert counted.before["failed"] == 1
    assert (counted.written, counted.lost, counted.waiting) == (0, 1, 0)
    assert set(counted.troubles) == {"open", "before", "after"}
    assert parts(tmp_path) == {"open", "before", "after"}
    assert "hello" not in (tmp_path / "middleware.jsonl").read_text("utf-8")


def test_a_program_that_ends_without_closing_does_end_and_what_was_lost_is_noted(
    tmp_path: Path, closed: str
) -> None:
    program = (
        "from quipu.middleware import Middleware\n"
        "around = Middleware(space='home').of(user='ana')\n"
        "print(around(lambda message: message.upper())('hello'))\n"
    )
    environment = {"PYTHONPATH": str(SOURCE), "QUIPU_HOME": str(tmp_path), "QUIPU_DATABASE_URL": closed}
    environment |= {"QUIPU_CONNECT_SECONDS": "0.2", "PATH": os.environ["PATH"]}
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env=environment,
        timeout=PATIENCE_SECONDS,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "HELLO\n", "")
    lost = [one.trouble for one in troubles(tmp_path, since=datetime.now(UTC) - DAY) if one.part == "after"]
    assert any("not written before the middleware was closed" in trouble for trouble in lost)


def test_a_server_that_hangs_delays_no_answer_beyond_the_limit(
    server_settings: Settings, tmp_path: Path
) -> None:
    with hanging() as url:
        settings = replace(
            server_settings,
            home=tmp_path,
            database_url=url,
            connect_seconds=PATIENCE_SECONDS,
            tuned={"longterm_timeout_ms": 100},
        )
        around = Middleware(space="home", settings=settings)
        recalled = around.before("hello")
        around.after("hello", "hi", recalled=recalled)
        assert (recalled.outcome, recalled.block) == ("timeout", "")
        assert recalled.trouble is not None
        assert "100 ms" in recalled.trouble
        begun = time.monotonic()
        around.close(0.0)  # which ends the opening
        assert time.monotonic() - begun < PATIENCE_SECONDS / 2
        assert around.metrics().lost == 1
    assert "before" in parts(tmp_path)


def test_a_server_that_is_stopped_delays_no_answer_and_the_turn_is_written_when_it_goes_on(
    shared: Settings, server: EmbeddedServer, tmp_path: Path, space: str
) -> None:
    settings = replace(shared, home=tmp_path, connect_seconds=5.0)
    with (
        Memory(settings=settings) as memory,
        Middleware(memory, space=space, session="s1", settings=settings, evaluate=False) as around,
    ):
        agent = around(lambda message: message.upper())
        assert agent("hello") == "HELLO"
        assert around.flush(PATIENCE_SECONDS)
        with stopped(server.pid):
            assert agent("my green boat sank") == "MY GREEN BOAT SANK"
            assert until(lambda: around.metrics().tried_again)
        assert around.flush(PATIENCE_SECONDS)
        counted = around.metrics()
        assert (counted.before["failed"], counted.written, counted.lost) == (1, 2, 0)
        assert [one.messages for one in memory.sessions(space=space)] == [4]


def test_a_question_that_is_late_is_left_behind_and_too_many_are_not_asked() -> None:
    recalling, go = RecallThreads(), Event()

    def slow() -> Recovered:
        go.wait()
        return Recovered()

    for _ in range(8):
        with pytest.raises(Late, match="no answer within 10 ms"):
            recalling.ask(slow, seconds=0.01)
    with pytest.raises(Late, match="8 earlier questions"):
        recalling.ask(slow, seconds=PATIENCE_SECONDS)
    go.set()

    def answers() -> bool:
        with suppress(Late):
            return recalling.ask(Recovered, seconds=PATIENCE_SECONDS) == Recovered()
        return False

    assert until(answers)
    recalling.close()


def test_a_memory_that_was_closed_fails_open(shared: Settings, tmp_path: Path, space: str) -> None:
    settings = replace(shared, home=tmp_path)
    with Memory(settings=settings) as memory:
        around = Middleware(memory, space=space, settings=settings)
    assert around(lambda message: "fine")("hello") == "fine"
    assert around.metrics().before["failed"] == 1
    around.close(0.1)
    assert around.metrics().lost == 1


@pytest.mark.parametrize("message", [None, 17, b"bytes", {}, [], "\x00", "", "\ud800", ["x"]])
def test_nonsense_reaches_the_agent_as_it_was(
    shared: Settings, tmp_path: Path, space: str, message: Any
) -> None:
    heard: list[object] = []

    def agent(asked: object) -> object:
        heard.append(asked)
        return asked

    with Middleware(space=space, settings=replace(shared, home=tmp_path), evaluate=False) as around:
        around(agent)(message)
        assert around.flush(PATIENCE_SECONDS)
    assert heard == [message]
    assert around.metrics().waiting == 0


def test_a_turn_that_cannot_be_taken_is_lost_and_the_next_is_written(
    shared: Settings, tmp_path: Path, space: str
) -> None:
    settings = replace(shared, home=tmp_path)
    with (
        Memory(settings=settings) as memory,
        Middleware(memory, space=space, session="s1", settings=settings, evaluate=False) as around,
    ):
        memory.observe([{"id": "taken", "content": "Other words."}], space=space, session="s1")
        conflicting = replace(around.before("One green boat."), message="taken")
        around.after("One green boat.", "Fine.", recalled=conflicting)
        around.after("Another green boat.", "Fine.")
        assert around.flush(PATIENCE_SECONDS)
        counted = around.metrics()
        assert (counted.written, counted.lost) == (1, 1)
        texts = {hit.text for hit in memory.recall("green boat", space=space, kinds=("message",))}
    assert "Another green boat." in texts
    assert "One green boat." not in texts


def test_a_turn_waits_for_a_database_that_comes_back_and_is_there_once(
    shared: Settings, address: str, server: Any, tmp_path: Path, space: str
) -> None:
    name = sql.Identifier(psycopg.conninfo.conninfo_to_dict(address)["dbname"])  # type: ignore[arg-type]
    settings = replace(shared, home=tmp_path, connect_seconds=0.5)

    def allow(allowed: str) -> None:
        with psycopg.connect(server.conninfo(), autocommit=True) as conn:
            conn.execute(sql.SQL("alter database {} with allow_connections " + allowed).format(name))
            if allowed == "false":
                conn.execute(
                    "select pg_terminate_backend(pid) from pg_stat_activity where datname = %s",
                    [name._obj[0]],
                )

    with Middleware(space=space, session="s1", settings=settings, evaluate=False) as around:
        allow("false")
        try:
            around.after("My green boat sank.", "I am sorry.")
            assert until(lambda: around.metrics().tried_again)
        finally:
            allow("true")
        assert around.flush(PATIENCE_SECONDS)
        assert (around.metrics().written, around.metrics().lost) == (1, 0)
    with Memory(settings=settings) as memory:
        assert [one.messages for one in memory.sessions(space=space)] == [2]


def test_what_is_wrong_from_the_start_is_told_at_once(shared: Settings) -> None:
    with pytest.raises(BadInput, match="space"):
        Middleware(space="", settings=shared)
    with pytest.raises(ConfigError):
        Middleware(space="home", settings=shared, home="~nobody-of-that-name/x")


def test_doctor_tells_of_failures_of_the_last_day(
    shared: Settings, tmp_path: Path, space: str, address: str
) -> None:
    quipu = CommandLine(tmp_path, {"QUIPU_DATABASE_URL": address, "QUIPU_EMBEDDING_MODEL": "hashing"})

    def findings() -> dict[str, dict[str, str]]:
        return {one["name"]: one for one in quipu.json("doctor")["findings"]}

    assert findings()["middleware"]["state"] == "ok"
    with Middleware(space=space, settings=replace(shared, home=tmp_path), evaluate=False) as around:
        around.before(17)
    told = findings()["middleware"]
    assert told["state"] == "warn"
    assert "1 recovery failed or was late" in told["detail"]
    assert "holds no message of a user" in told["detail"]


def test_doctor_tells_of_evaluations_that_were_given_up(
    shared: Settings, address: str, tmp_path: Path, space: str
) -> None:
    quipu = CommandLine(tmp_path, {"QUIPU_DATABASE_URL": address, "QUIPU_EMBEDDING_MODEL": "hashing"})

    def finding() -> dict[str, str]:
        return next(one for one in quipu.json("doctor")["findings"] if one["name"] == "evaluation")

    assert finding()["state"] == "ok"
    # The model that is to evaluate is not set, so each try fails; there is but one.
    settings = replace(
        shared, home=tmp_path, tuned={**shared.tuned, "longterm_evaluator": "llm"}, job_tries=1
    )
    with Middleware(space=space, session="s1", settings=settings) as around:
        around.after("My name is Marta.", "Hello!")
        assert around.flush(PATIENCE_SECONDS)
    failed = around.metrics().evaluations_failed  # this one, and those that other tests left
    assert failed >= 1
    assert parts(tmp_path) == {"evaluate"}
    told = finding()
    assert told["state"] == "warn"
    assert told["detail"].startswith(f"{failed} evaluation")
    assert "given up" in told["detail"]
