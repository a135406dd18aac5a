"""The service: one for a home, there when it is needed, gone when it is not, and never in the way."""

from __future__ import annotations

import os
import signal
import socket
from pathlib import Path

import pytest
from hook_process import Hooks, ended
from patience import PATIENCE_SECONDS, until

from quipu.interfaces.hooks import client

PROMPT = "Why does the gangway of the boat squeak?"
pytestmark = pytest.mark.usefixtures("known")


def test_the_first_hook_starts_it_and_the_next_is_told_what_is_known_once(hooks: Hooks) -> None:
    hooks.run("session-start")
    assert hooks.status()["ready"]
    told = hooks.run("prompt", prompt=PROMPT)
    assert "The gangway of the boat squeaks since Monday." in told.context
    assert told.context.startswith('<quipu-memory code="')
    assert hooks.run("prompt", prompt=PROMPT).printed == ""
    assert "squeaks" in hooks.run("prompt", prompt=PROMPT, session_id="another").context
    assert hooks.log == ""


def test_a_session_is_not_told_what_it_said_itself(hooks: Hooks) -> None:
    hooks.run("session-start")
    assert hooks.run("prompt", prompt=PROMPT, session_id="old").printed == ""


def test_of_two_that_start_it_at_once_both_are_served_by_one(hooks: Hooks) -> None:
    both = [hooks.start("session-start") for _ in range(2)]
    assert [ended(one).code for one in both] == [0, 0]
    pid = hooks.status()["pid"]
    assert hooks.log == ""
    assert until(lambda: _services(hooks) == [pid])


def _services(hooks: Hooks) -> list[int]:
    """The processes that serve this home or would, as the system lists them."""
    named = f"quipu.interfaces.hooks.daemon\0--home\0{hooks.home}".encode()
    found: list[int] = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if named in file.read_bytes():
                found.append(int(file.parent.name))
        except OSError:
            continue
    return found


def test_one_that_was_killed_is_replaced_though_its_socket_is_left(hooks: Hooks) -> None:
    hooks.run("session-start")
    killed = hooks.status()["pid"]
    os.kill(killed, signal.SIGKILL)
    assert (hooks.run_directory / "hooks.sock").exists()
    hooks.run("session-start")
    assert hooks.status()["pid"] != killed
    assert "squeaks" in hooks.run("prompt", prompt=PROMPT).context


@pytest.mark.parametrize("limit", [("--idle-seconds", "0.4"), ("--idle-seconds", "2", "--most-mb", "1")])
def test_it_ends_when_nobody_asks_or_it_holds_too_much(hooks: Hooks, limit: tuple[str, ...]) -> None:
    with hooks.serve(*limit) as service:
        assert service.wait(PATIENCE_SECONDS) == 0
    assert not (hooks.run_directory / "hooks.sock").exists()


def test_it_gives_way_to_another_version(hooks: Hooks, monkeypatch: pytest.MonkeyPatch) -> None:
    with hooks.serve() as service:
        assert until(lambda: hooks.status().get("ready"))
        monkeypatch.setattr(client, "code_state", lambda: "another version")
        assert client.converse(str(hooks.home), {"do": "prompt"}, PATIENCE_SECONDS) == {"leaving": True}
        assert service.wait(PATIENCE_SECONDS) == 0


def test_it_ends_in_good_order_when_it_is_asked_to(hooks: Hooks) -> None:
    with hooks.serve() as service:
        assert until(lambda: hooks.status().get("ready"))
        service.send_signal(signal.SIGTERM)
        assert service.wait(PATIENCE_SECONDS) == 0
    assert not (hooks.run_directory / "hooks.sock").exists()


def test_nothing_that_a_caller_says_ends_it(hooks: Hooks) -> None:
    hooks.run("session-start")
    pid = hooks.status()["pid"]
    for said in (
        b"",
        b"\n",
        b"[]\n",
        b'{"do": 7}\n',
        b"\xff\n",
        b"x" * (client.MOST_BYTES + 2),
        b'{"do": "status"',
    ):
        with socket.socket(socket.AF_UNIX) as caller:
            caller.connect(str(hooks.run_directory / "hooks.sock"))
            try:
                caller.sendall(said)
            except ConnectionError:
                continue
    wrong = hooks.run("prompt", prompt=PROMPT, cwd="/\ud800\x00boat")
    assert (wrong.code, wrong.printed) == (0, "")
    assert hooks.status()["pid"] == pid
    assert "squeaks" in hooks.run("prompt", prompt=PROMPT).context


def test_only_its_owner_can_come_near_it(hooks: Hooks) -> None:
    hooks.run("session-start")
    folder = hooks.run_directory
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / "hooks.sock").stat().st_mode & 0o777 == 0o600
    assert {file.stat().st_mode & 0o077 for file in folder.iterdir()} == {0}
