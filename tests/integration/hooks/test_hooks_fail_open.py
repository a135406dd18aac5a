"""Whatever goes wrong, a hook ends in time with exit code 0, prints nothing, and says why in the log."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from hook_process import Hooks
from patience import PATIENCE_SECONDS

from quipu.interfaces.hooks import client

HEAVY = {"quipu", "click", "rich", "psycopg", "asyncio", "anyio", "typing", "subprocess", "numpy", "site"}


def test_a_hook_loads_nothing_heavy() -> None:
    command = [sys.executable, "-I", "-S", "-X", "importtime", client.__file__, "stop", "--home", "/nowhere"]
    done = subprocess.run(command, input="{}", capture_output=True, text=True, check=True)
    loaded = {line.rsplit("|", 1)[-1].strip().split(".")[0] for line in done.stderr.splitlines()}
    assert "socket" in loaded
    assert not loaded & HEAVY


def test_a_database_that_cannot_be_reached_is_waited_for_once(hooks: Hooks) -> None:
    hooks.settings["QUIPU_DATABASE_URL"] = "postgresql://nobody@127.0.0.1:1/nothing"
    first = hooks.run("session-start")
    second = hooks.run("prompt", prompt="What about the boat then?")
    assert [(one.code, one.printed) for one in (first, second)] == [(0, "")] * 2
    assert "127.0.0.1" in hooks.log
    assert "a moment ago" in hooks.log


def test_a_service_that_hangs_costs_no_more_than_the_limit(hooks: Hooks) -> None:
    folder = Path(client.make_run_directory(str(hooks.home)))
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(folder / "hooks.sock"))
        silent.listen()
        ran = hooks.run("prompt", limited=True, prompt="What about the boat then?")
    (folder / "hooks.sock").unlink()
    assert (ran.code, ran.printed) == (0, "")
    # On a busy machine the timer may come before the end of waiting.
    assert "no answer in 1.0 s" in hooks.log or "stopped at its limit" in hooks.log


def test_an_input_that_never_ends_costs_no_more_than_the_limit(hooks: Hooks) -> None:
    command = [sys.executable, "-I", "-S", client.__file__, "stop"]
    with subprocess.Popen(command, env=hooks.environment(), stdin=subprocess.PIPE) as process:
        assert process.wait(PATIENCE_SECONDS) == 0
    assert "stopped at its limit" in hooks.log


@pytest.mark.parametrize("said", ["", "no JSON", "[1, 2]", "null"])
def test_an_input_that_is_no_document_is_noted(hooks: Hooks, said: str) -> None:
    command = [sys.executable, "-I", "-S", client.__file__, "prompt"]
    done = subprocess.run(
        command, env=hooks.environment(), input=said, capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("", "")
    assert "prompt: " in hooks.log


def test_a_home_that_cannot_be_made_is_no_trouble(hooks: Hooks) -> None:
    (hooks.home / "file").write_text("")
    hooks.settings["QUIPU_HOME"] = str(hooks.home / "file" / "home")
    ran = hooks.run("session-start")
    assert (ran.code, ran.printed) == (0, "")


def test_a_run_directory_that_others_may_enter_is_not_used(hooks: Hooks) -> None:
    folder = Path(client.make_run_directory(str(hooks.home)))
    folder.chmod(0o755)
    assert hooks.run("session-start").printed == ""
    assert "closed to all others" in hooks.log
    folder.chmod(0o700)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a socket of another user")
def test_the_service_of_another_user_is_not_asked(hooks: Hooks) -> None:
    folder = Path(client.make_run_directory(str(hooks.home)))
    with socket.socket(socket.AF_UNIX) as foreign:
        foreign.bind(str(folder / "hooks.sock"))
        os.seteuid(65534)
        try:
            foreign.listen()  # the system notes who listens
        finally:
            os.seteuid(0)
        ran = hooks.run("prompt", prompt="What about the boat then?")
        foreign.setblocking(False)
        caller, _ = foreign.accept()
        with caller:
            assert caller.recv(100) == b""  # it hung up before it said anything
    (folder / "hooks.sock").unlink()
    assert (ran.code, ran.printed) == (0, "")
    assert "belongs to another user" in hooks.log


def test_the_log_does_not_grow_without_end(home: Path) -> None:
    for _ in range(700):
        client.note(str(home), "x" * 2_000)
    kept = (home / "hooks.log").stat().st_size + (home / "hooks.log.1").stat().st_size
    assert kept < 600 << 10
